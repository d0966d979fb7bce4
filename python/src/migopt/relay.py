"""The other end of a Python function that is a method of a sweep: the program that the sweep runs for each row.

It passes the question to the Python process that called ``bench``, and the answer back. It imports nothing of the package, so that it
starts at once.
"""

import os
import socket
import sys

VARIABLE = "MIGOPT_FUNCTIONS"
"""The environment variable that names the socket of the process that has the functions."""


def main(name: str) -> int:
    """Asks the function of this name. A failure's traceback goes to standard error."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ[VARIABLE])
        connection.sendall(name.encode() + b"\n" + sys.stdin.buffer.read())
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as answer:
            succeeded = answer.readline() == b"solution\n"
            (sys.stdout if succeeded else sys.stderr).buffer.write(answer.read())
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
