"""The way to a process of `migopt oracle`, which is started when it is needed."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from concurrent.futures import Future
from typing import Deque, Dict, Iterable, Iterator, Optional

from .binary import find_binary
from .errors import BadInput, OracleFailed
from .process import OracleProcess, Response

Request = Dict[str, object]
"""A request, as `migopt schema request` describes it."""

_REQUESTS_AHEAD = 64


class Connection:
    """Sends requests to a process, which it starts at the first one and again when it has ended.

    After a fork the child starts a process of its own: the parent's is the parent's.
    """

    def __init__(self, binary: str | os.PathLike[str] | None, jobs: int) -> None:
        self._binary = binary
        self._jobs = jobs
        self._lock = threading.Lock()
        self._process: Optional[OracleProcess] = None
        _connections.add(self)

    def ask(self, request: Request) -> Response:
        """The response to a request; raises ``BadInput`` or ``OracleFailed`` where it is an error."""
        return self._response(self._submit(request))

    def pipeline(self, requests: Iterable[Request]) -> Iterator[Response]:
        """The responses in the order of the requests, of which some are always under way."""
        waiting: Deque[Future[Response]] = deque()
        for request in requests:
            waiting.append(self._submit(request))
            if len(waiting) == _REQUESTS_AHEAD + self._jobs:
                yield self._response(waiting.popleft())
        while waiting:
            yield self._response(waiting.popleft())

    def close(self) -> None:
        """Ends the process; requests under way fail."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def _submit(self, request: Request) -> Future[Response]:
        with self._lock:
            if self._process is None or self._process.has_ended:
                command = [str(find_binary(self._binary)), "oracle", "--jobs", str(self._jobs)]
                self._process = OracleProcess(command)
                # Also at the end of the program.
                weakref.finalize(self, self._process.close)
            process = self._process
        return process.submit(request)

    def _response(self, future: Future[Response]) -> Response:
        try:
            response = future.result()
        except KeyboardInterrupt:
            # Nobody waits for the answer any more; it might take hours.
            self.close()
            raise
        if "error" in response:
            error = response["error"]
            raise (BadInput if error["kind"] == "bad-input" else OracleFailed)(error["message"])
        return response

    def _after_fork(self) -> None:
        # A thread of the parent may have held it.
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.disown()
            _processes_of_parents.append(self._process)
            self._process = None


_connections: weakref.WeakSet[Connection] = weakref.WeakSet()
# Kept, as the end of these objects must not touch the pipes.
_processes_of_parents: list[OracleProcess] = []


def _forget_processes() -> None:
    for connection in list(_connections):
        connection._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_processes)
