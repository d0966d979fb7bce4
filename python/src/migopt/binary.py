"""Where the program ``migopt`` is."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import Optional

from .errors import BinaryNotFound

VARIABLE = "MIGOPT_BINARY"
"""The environment variable that names the program."""

_MEND = (
    "Install the wheel that `./scripts/build-wheel` of migopt's repository writes to dist/, which carries the program; or set "
    f"{VARIABLE} to the path of a program that cargo has built."
)


def find_binary(binary: str | os.PathLike[str] | None = None) -> Path:
    """The program: ``binary`` if given, else what ``MIGOPT_BINARY`` names, else the one that was installed with this package,
    else ``migopt`` on PATH.

    Raises ``BinaryNotFound``, which says how to get it.
    """
    asked = os.fspath(binary) if binary is not None else os.environ.get(VARIABLE)
    if not asked:
        installed = _installed()
        if installed is not None:
            return installed
    found = shutil.which(asked or "migopt")
    if found is not None:
        return Path(found).absolute()
    if binary is not None:
        raise BinaryNotFound(f"there is no program {asked}. {_MEND}")
    if asked:
        raise BinaryNotFound(f"{VARIABLE} names {asked}, which is no program. {_MEND}")
    raise BinaryNotFound(f"this package came without the program, and there is no migopt on PATH. {_MEND}")


def _installed() -> Optional[Path]:
    """The program among the files of the installed package: itself rather than the script that starts it, where it has one."""
    try:
        files = metadata.files("migopt") or []
    except metadata.PackageNotFoundError:
        return None
    programs = [file for file in files if file.stem == "migopt" and file.suffix in ("", ".exe")]
    programs.sort(key=lambda file: file.parent.name != "migopt.scripts")
    located = (Path(str(file.locate())).resolve() for file in programs)
    return next((program for program in located if os.access(program, os.X_OK) and program.is_file()), None)
