"""What the tests share."""

from __future__ import annotations

import csv
import sys
import textwrap
from pathlib import Path
from typing import Callable

import pytest

pytest_plugins = ["pytester"]

INSTANCES = Path(__file__).resolve().parents[2] / "instances"

FakeOracle = Callable[[str], Path]


def proved_values(model: str, file: str) -> dict[str, str]:
    """The optima of a shipped instance by objective, each proved by several formulations and solvers."""
    with (INSTANCES / model / "truth.csv").open(newline="") as table:
        return {row["objective"]: row["value"] for row in csv.DictReader(table) if row["instance"] == file}


@pytest.fixture
def fake_oracle(tmp_path: Path) -> FakeOracle:
    """Makes a program that stands for migopt: ``body`` is run with ``requests``, and ``answer(line, text)``."""

    def make(body: str) -> Path:
        program = tmp_path / "fake-migopt"
        head = f"""\
            #!{sys.executable}
            import json, os, signal, sys, time
            def answer(line, **what):
                sys.stdout.write(json.dumps({{"line": line, **what}}) + "\\n")
                sys.stdout.flush()
            requests = enumerate(map(json.loads, sys.stdin), 1)
            """
        program.write_text(textwrap.dedent(head) + textwrap.dedent(body))
        program.chmod(0o755)
        return program

    return make
