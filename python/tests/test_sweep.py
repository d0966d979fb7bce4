"""Sweeps from Python: functions as methods, rows with their gaps, frames."""

from __future__ import annotations

import functools
import importlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Dict, Tuple

import migopt
import pandas
import pytest
from migopt import Question, Solution

INSTANCE = """
name: one-gpu
gpus: [{name: gpu, board: A30}]
workloads: [{name: chat, profile: 1g.6gb}, {name: code, profile: 2g.12gb}]
"""
INSTANCES = {
    "name": "two-gpus",
    "gpus": [{"name": "gpu", "board": "A30", "count": 2}],
    "workloads": [{"name": f"job-{number}", "profile": "2g.12gb"} for number in range(3)],
}


def nothing(question: Question) -> Solution:
    """Lets everything wait."""
    return migopt.placement(question, {})


def first_slots(question: Question, *, fail: bool = False) -> Solution:
    """Places the instances of 2g.12gb side by side."""
    if fail:
        raise ValueError("this one gives up")
    places: Dict[str, Tuple[str, int]] = {}
    for number, workload in enumerate(question["workloads"]):  # type: ignore[typeddict-item]
        places[workload["name"]] = (f"gpu-{number // 2}", number % 2 * 2)
    return migopt.placement(question, places)


def test_a_function_is_a_method_beside_those_of_migopt(tmp_path: Path) -> None:
    sweep = migopt.bench(INSTANCES, ["optimum", "first-fit", nothing, first_slots], output=tmp_path / "sweep", jobs=2)
    assert sweep.complete
    rows = {str(row["method"]): row for row in sweep.rows()}
    assert sorted(rows) == ["first-fit", "first_slots", "nothing", "optimum"]
    best = migopt.solve(INSTANCES).value
    assert rows["optimum"]["stage_profit_value"] == best
    assert rows["first_slots"]["gap_low"] == 0
    assert rows["nothing"]["stage_profit_value"] == 0
    assert rows["nothing"]["gap_high"] == 1


def test_rows_are_a_frame(tmp_path: Path) -> None:
    sweep = migopt.bench(INSTANCES, ["optimum", nothing], output=tmp_path / "sweep", generate="wpm:gpus=2,count=3,seed=1")
    frame = sweep.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 8
    assert frame.groupby("method")["gap_low"].max()["optimum"] == 0
    assert (frame["seconds"] >= 0).all()


def test_a_frame_without_pandas_is_refused_with_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = migopt.bench(INSTANCES, ["optimum"], output=tmp_path / "sweep")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        sweep.to_frame()


def test_a_function_that_raises_fails_its_row_with_its_words(tmp_path: Path) -> None:
    failing = functools.partial(first_slots, fail=True)
    (row,) = migopt.bench(INSTANCES, [failing], output=tmp_path / "sweep").rows()
    assert row["outcome"] == "failed"
    assert "this one gives up" in str(row["reason"])


def test_files_folders_and_seeds(tmp_path: Path) -> None:
    (tmp_path / "instances").mkdir()
    (tmp_path / "instances" / "one.yaml").write_text(INSTANCE)
    sweep = migopt.bench(tmp_path / "instances", ["first-fit"], output=tmp_path / "sweep", seeds=[1, 2], model="wpm")
    assert [row["seed"] for row in sweep.rows()] == [1, 2]
    again = migopt.bench(tmp_path / "instances" / "one.yaml", ["first-fit"], output=tmp_path / "sweep", seeds=[1, 2])
    assert len(again.rows()) == 2


def test_rows_of_an_edited_function_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "edited.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    head = "import migopt\ndef mine(question):\n    return migopt.placement(question, "
    module.write_text(head + "{})\n")
    edited = importlib.import_module("edited")
    (row,) = migopt.bench(INSTANCES, [edited.mine], output=tmp_path / "sweep").rows()
    assert row["stage_profit_value"] == 0
    module.write_text(head + "{'job-0': ('gpu-0', 0)})\n")
    importlib.reload(edited)
    (row,) = migopt.bench(INSTANCES, [edited.mine], output=tmp_path / "sweep").rows()
    assert isinstance(row["stage_profit_value"], int) and row["stage_profit_value"] > 0


def test_rows_are_made_again_where_that_is_asked(tmp_path: Path) -> None:
    asked = []

    def counted(question: Question) -> Solution:
        asked.append(question["instance"]["name"])
        return migopt.placement(question, {})

    for _ in range(2):
        migopt.bench(INSTANCES, [counted], output=tmp_path / "sweep")
    assert asked == ["two-gpus"]
    migopt.bench(INSTANCES, [counted], output=tmp_path / "sweep", remake=[counted])
    assert asked == ["two-gpus"] * 2


def test_functions_of_one_name_are_refused(tmp_path: Path) -> None:
    others = [functools.partial(first_slots, fail=fail) for fail in (True, False)]
    with pytest.raises(migopt.BadInput, match="two functions are called 'first_slots'"):
        migopt.bench(INSTANCES, others, output=tmp_path / "sweep")


def test_bad_input_has_the_words_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(migopt.BadInput, match="is not a method"):
        migopt.bench(INSTANCES, ["first-fitt"], output=tmp_path / "sweep")
    with pytest.raises(migopt.BadInput, match="no-such-file"):
        migopt.bench("no-such-file.yaml", ["first-fit"], output=tmp_path / "sweep")


def test_the_report_names_the_methods(tmp_path: Path) -> None:
    sweep = migopt.bench(INSTANCES, ["optimum", "first-fit"], output=tmp_path / "sweep")
    assert "first-fit" in sweep.report(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert sweep._repr_markdown_() == sweep.report()


def test_an_interrupted_sweep_resumes(tmp_path: Path) -> None:
    program = f"""
        import time, migopt
        def slow(question):
            time.sleep(0.2)
            return migopt.placement(question, {{}})
        print(migopt.bench(generate="wpm:gpus=1,count=20,seed=1", methods=[slow], output={str(tmp_path / "sweep")!r}).complete)
        """
    (tmp_path / "slow.py").write_text(textwrap.dedent(program))
    command = [sys.executable, str(tmp_path / "slow.py")]
    # Python does not notice Ctrl-C where it begins with the signal ignored, as in the background of a shell.
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    rows = tmp_path / "sweep" / "rows.jsonl"
    deadline = time.monotonic() + 60
    while not (rows.exists() and rows.read_text().count("\n") >= 2) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    running.communicate()
    made = rows.read_text().splitlines()
    assert 2 <= len(made) < 20
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n"
    assert rows.read_text().splitlines()[: len(made)] == made
    assert len(rows.read_text().splitlines()) == 20
