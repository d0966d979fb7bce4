"""One running process of ``migopt oracle``: requests in, responses out, in the same order."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections import deque
from concurrent.futures import Future
from typing import Any, Deque, Dict, Iterator, Sequence

from . import exact
from .errors import OracleFailed

Response = Dict[str, Any]
"""A response as it was read: its kind decides what it holds."""

_READ_SIZE = 1 << 16
_SECONDS_TO_END = 5.0
_LAST_WORDS = 2000


class OracleProcess:
    """The process and the thread that reads its responses.

    Any number of threads may submit. As responses are read all the time, the process never waits for a reader, so that
    no two full pipes wait for each other. The pipes are used without buffers: a fork copies no half-written line and no
    lock.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        except OSError as error:
            self._errors.close()
            raise OracleFailed(f"`{' '.join(command)}` does not start: {error}") from error
        self._lock = threading.Lock()
        self._submitted = 0
        self._waiting: Deque[tuple[int, Future[Response]]] = deque()
        self._failure: str | None = None
        self._is_foreign = False
        self._reader = threading.Thread(target=self._read, name="migopt oracle", daemon=True)
        self._reader.start()

    @property
    def has_ended(self) -> bool:
        """Whether it answers no more."""
        return self._failure is not None

    def submit(self, request: Dict[str, object]) -> Future[Response]:
        """Sends a request. Its future holds the response, or ``OracleFailed``."""
        future: Future[Response] = Future()
        line = exact.dumps(request).encode() + b"\n"
        with self._lock:
            self._submitted += 1
            # Before the line is written, as the response may be there at once.
            self._waiting.append((self._submitted, future))
            try:
                self._write(line)
            except (OSError, ValueError):
                # The process has gone; the reader finds out why.
                self._process.kill()
            except BaseException:
                # Half a line may be written: nothing that follows would be understood.
                self._process.kill()
                raise
        if self.has_ended:
            self._fail_waiting()
        return future

    def close(self) -> None:
        """Ends the process; requests that wait fail."""
        if self._is_foreign:
            return
        assert self._process.stdin is not None
        if not self._waiting:
            self._process.stdin.close()
            self._wait_for_end()
        self._process.kill()
        # The garbage collector may close an oracle in any thread.
        if threading.current_thread() is not self._reader:
            self._reader.join()
            self._process.stdin.close()

    def disown(self) -> None:
        """Lets go of the process after a fork: it is the parent's, and only the parent may write to it or end it."""
        self._is_foreign = True
        self._process.returncode = 0  # Nothing for this process to wait for.
        nothing = os.open(os.devnull, os.O_RDWR)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                # The process ends with the parent, though this copy of the pipe's end lives on.
                os.dup2(nothing, pipe.fileno(), inheritable=False)
        os.close(nothing)

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(line)
        while rest:
            written = self._process.stdin.write(rest)
            rest = rest[written:]

    def _lines(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        pieces: list[bytes] = []
        while chunk := self._process.stdout.read(_READ_SIZE):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                yield b"".join(pieces) + line
                pieces = []
            pieces.append(rest)

    def _read(self) -> None:
        nonsense = None
        for line in self._lines():
            response = self._understood(line)
            if response is None:
                nonsense = line[:200].decode(errors="replace")
                self._process.kill()
                break
            self._waiting.popleft()[1].set_result(response)
        self._wait_for_end()
        self._failure = self._obituary(nonsense)
        self._fail_waiting()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def _understood(self, line: bytes) -> Response | None:
        """The response, if it is one to the request whose turn it is."""
        try:
            response = exact.loads(line)
        except ValueError:
            return None
        expected = self._waiting[0][0] if self._waiting else None
        if not isinstance(response, dict) or expected is None or response.get("line") != expected:
            return None
        return response

    def _wait_for_end(self) -> None:
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _obituary(self, nonsense: str | None) -> str:
        code = self._process.returncode
        if nonsense is not None:
            cause = f"answered what is no response to the request: {nonsense!r}"
        elif code < 0:
            cause = f"was ended by signal {-code}"
        else:
            cause = f"ended with exit code {code}"
        unanswered = f"; {len(self._waiting)} of {self._submitted} requests were not answered"
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        words = self._errors.read().decode(errors="replace").strip()
        return f"`migopt oracle` {cause}{unanswered}." + (f" Its last words:\n{words}" if words else "")

    def _fail_waiting(self) -> None:
        while True:
            try:
                _, future = self._waiting.popleft()
            except IndexError:
                return
            future.set_exception(OracleFailed(self._failure))
