"""Where the program ``migopt`` is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .errors import BinaryNotFound

VARIABLE = "MIGOPT_BINARY"
"""The environment variable that names the program."""

_MEND = (
    "Build it from a checkout of migopt with `./scripts/setup && cargo build --release --features cbc`, "
    f"then set {VARIABLE} to the path of target/release/migopt; or install it on PATH with `cargo install --path .`."
)


def find_binary(binary: str | os.PathLike[str] | None = None) -> Path:
    """The program: ``binary`` if given, else what ``MIGOPT_BINARY`` names, else ``migopt`` on PATH.

    Raises ``BinaryNotFound``, which tells how to build it.
    """
    asked = os.fspath(binary) if binary is not None else os.environ.get(VARIABLE)
    found = shutil.which(asked or "migopt")
    if found is not None:
        return Path(found).absolute()
    if binary is not None:
        raise BinaryNotFound(f"there is no program {asked}. {_MEND}")
    if asked:
        raise BinaryNotFound(f"{VARIABLE} names {asked}, which is no program. {_MEND}")
    raise BinaryNotFound(f"there is no program migopt on PATH, and {VARIABLE} is not set. {_MEND}")
