"""Python functions as methods of a sweep, for which `migopt bench` runs a program per row."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
import shlex
import socketserver
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import Callable, Dict, Iterable, Optional, Type, cast

from . import exact, relay
from .documents import Question, Solution
from .errors import BadInput

Heuristic = Callable[[Question], Solution]
"""A function from a question to a solution, such as ``placement`` makes."""


class Functions:
    """Answers the questions of a sweep by functions, each in a thread of this process, while the context is open."""

    def __init__(self, functions: Iterable[Heuristic], folder: Path) -> None:
        self._folder = folder
        self._functions: Dict[str, Heuristic] = {}
        for function in functions:
            name = _name(function)
            if self._functions.setdefault(name, function) is not function:
                raise BadInput(f"two functions are called {name!r}. Give one of them another name (`__name__`).")
        for name, function in self._functions.items():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(_program(name, function), encoding="utf-8")
            (folder / name).chmod(0o755)
        self._scratch: Optional[tempfile.TemporaryDirectory[str]] = None
        self._server: Optional[_Server] = None

    @property
    def names(self) -> Dict[str, str]:
        """The name of each function by that of its method."""
        return {self.method_of(function): name for name, function in self._functions.items()}

    def method_of(self, function: Heuristic) -> str:
        """What the sweep calls the function: the command that asks it."""
        return f"exec:{shlex.quote(str(self._folder / _name(function)))}"

    def __enter__(self) -> Dict[str, str]:
        """Begins to answer. Returns the environment in which the sweep has to run."""
        if not self._functions:
            return {}
        self._scratch = tempfile.TemporaryDirectory(prefix="migopt-")
        path = os.path.join(self._scratch.name, "socket")
        self._server = _Server(path, self._functions)
        threading.Thread(target=self._server.serve_forever, name="migopt functions", daemon=True).start()
        return {relay.VARIABLE: path, "MIGOPT_PYTHON": sys.executable, "MIGOPT_RELAY": os.path.abspath(relay.__file__)}

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self._scratch is not None:
            self._scratch.cleanup()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, functions: Dict[str, Heuristic]) -> None:
        super().__init__(path, _Handler)
        self.functions = functions

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing: the row was stopped by a limit and no longer waits for its answer."""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        name = self.rfile.readline().decode().strip()
        try:
            solution = cast(_Server, self.server).functions[name](exact.loads(self.rfile.read()))
            self.wfile.write(b"solution\n" + exact.dumps(solution).encode())
        except Exception:
            self.wfile.write(b"failure\n" + traceback.format_exc().encode())


def _name(function: Heuristic) -> str:
    subject = function.func if isinstance(function, functools.partial) else function
    name = getattr(subject, "__name__", type(subject).__name__)
    return re.sub(r"\W+", "-", name).strip("-") or "function"


def _program(name: str, function: Heuristic) -> str:
    """A program that asks for the function. It changes with the function, so that the sweep makes its rows again."""
    return (
        f"#!/bin/sh\n# A Python function as a method of a sweep, written by migopt.bench.\n# Content: {_digest(function)}\n"
        f'exec "$MIGOPT_PYTHON" -IS "$MIGOPT_RELAY" {shlex.quote(name)}\n'
    )


def _digest(function: Heuristic) -> str:
    """What the function is made of: its module where that is a file, else its own source, else its bytecode."""
    if isinstance(function, functools.partial):
        given = repr((function.args, function.keywords))
        return hashlib.sha256((_digest(function.func) + given).encode()).hexdigest()
    subject = inspect.unwrap(function)
    subject = subject if inspect.isroutine(subject) else type(subject)
    try:
        file = inspect.getsourcefile(subject)
        if file is not None and Path(file).is_file():
            content = Path(file).read_bytes() + getattr(subject, "__qualname__", "").encode()
        else:
            content = inspect.getsource(subject).encode()
    except (OSError, TypeError):
        code = getattr(subject, "__code__", None)
        content = repr((code.co_code, code.co_consts, code.co_names) if code else subject).encode()
    return hashlib.sha256(content).hexdigest()
