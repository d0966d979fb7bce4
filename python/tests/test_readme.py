"""The example of the README runs and fails as it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import migopt
import pytest

HERE = Path(__file__).parent
README = (HERE.parent / "README.md").read_text()


def block(heading: str) -> str:
    """The one block that begins with this line."""
    (only,) = re.findall(rf"```{heading}\n(.*?)```", README, re.DOTALL)
    assert isinstance(only, str)
    return only


def test_the_example_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_my_scheduler=block("python"))
    shutil.copy(HERE / "my_scheduler.py", pytester.path)
    result = pytester.runpytest_subprocess()
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] == 1
    assert outcomes["passed"] + outcomes.get("skipped", 0) == len(migopt.corpus("wpm"))
    result.stdout.fnmatch_lines([f"E *{line}" for line in block("text").replace("[", "[[]").splitlines()], consecutive=True)


def test_the_sweep_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(sweeps=block("python sweep"))
    shutil.copy(HERE / "my_scheduler.py", pytester.path)
    result = pytester.runpython(pytester.path / "sweeps.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(block("text sweep").splitlines(), consecutive=True)


def test_every_public_function_is_named() -> None:
    functions = [name for name in migopt.__all__ if name.islower() and not name.startswith("_")]
    assert [name for name in functions if f"`{name}" not in README and f"{name}(" not in README] == []
