"""What is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import migopt
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_that_of_the_program() -> None:
    found = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert found is not None
    assert migopt.__version__ == metadata.version("migopt") == found[1]


def test_types_are_installed() -> None:
    assert (Path(migopt.__file__).parent / "py.typed").exists()


def test_nothing_else_is_needed() -> None:
    required = metadata.requires("migopt") or []
    assert [requirement for requirement in required if "extra ==" not in requirement] == []


def test_the_wheel_carries_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MIGOPT_BINARY", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    program = migopt.find_binary()
    assert program.is_relative_to(Path(sys.prefix).resolve())
    for command in (program, Path(sys.prefix, "bin", "migopt")):
        printed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True, env={})
        assert printed.stdout == f"migopt {migopt.__version__}\n"


@pytest.mark.skipif(shutil.which("ldd") is None, reason="there is no ldd")
def test_the_program_needs_nothing_but_the_system_and_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MIGOPT_BINARY", raising=False)
    needed = subprocess.run(["ldd", migopt.find_binary()], capture_output=True, text=True, check=True).stdout
    paths = [Path(path).resolve() for path in re.findall(r"=> (/\S+)", needed)]
    assert paths
    system = [path for path in paths if re.fullmatch(r"(libc|libm|libz|libgcc_s|libstdc\+\+|libdl|libpthread|librt)\.so\S*", path.name)]
    assert all(path.is_relative_to(Path(sys.prefix).resolve()) for path in paths if path not in system), needed


def test_the_licence_of_the_solver_comes_with_it() -> None:
    text = (Path(migopt.__file__).parent / "licenses" / "HiGHS.txt").read_text()
    assert "Permission is hereby granted" in text and "HiGHS" in text
