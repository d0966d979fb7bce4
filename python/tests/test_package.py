"""What is installed."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import migopt

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_that_of_the_program() -> None:
    found = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert found is not None
    assert metadata.version("migopt") == found[1]


def test_types_are_installed() -> None:
    assert (Path(migopt.__file__).parent / "py.typed").exists()


def test_nothing_else_is_needed() -> None:
    required = metadata.requires("migopt") or []
    assert [requirement for requirement in required if "extra ==" not in requirement] == []
