"""The commands of migopt, run once and waited for."""

from __future__ import annotations

import subprocess
from typing import List, Optional

from .binary import find_binary
from .errors import BadInput, MigoptError

_BAD_INPUT = 2


def run(arguments: List[str]) -> str:
    """What the program prints."""
    command = [str(find_binary()), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise failure(done.returncode, done.stderr)
    return done.stdout


def failure(code: int, words: Optional[str]) -> MigoptError:
    """The error that an exit code and the words of standard error stand for."""
    message = (words or "").strip() or f"migopt ended with exit code {code}; it said why on standard error"
    return BadInput(message) if code == _BAD_INPUT else MigoptError(message)
