"""What goes wrong is told by its kind and in migopt's words."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import migopt
import pytest
from conftest import INSTANCES

EIGHT_GPUS = INSTANCES / "wpm" / "eight-gpus.yaml"


def test_what_has_no_solution_raises_with_the_reason() -> None:
    with pytest.raises(migopt.Infeasible, match="no-home: infeasible .*`large` fits no server") as caught:
        migopt.solve(INSTANCES / "sharing" / "no-home.yaml")
    assert caught.value.reason is not None and "large" in caught.value.reason
    assert caught.value.result.is_infeasible and caught.value.result.proved
    answer = migopt.answer(INSTANCES / "sharing" / "no-home.yaml")
    assert answer.status == "infeasible" and answer.values == {}
    with pytest.raises(migopt.Infeasible):
        answer.solution


def test_a_limit_before_the_proof_raises_with_what_is_known() -> None:
    path = INSTANCES / "wpm" / "eighty-gpus.yaml"
    with pytest.raises(migopt.NotProved, match="not proved .time-limit.") as caught:
        migopt.solve(path, model="wpm", formulation="printed", time_limit=0.001)
    assert caught.value.result.status == "time-limit" and not caught.value.result.proved
    proposal = migopt.heuristic(path, "first-fit", model="wpm")
    with pytest.raises(migopt.NotProved):
        migopt.gap(path, proposal, model="wpm", formulation="printed", time_limit=0.001)


def test_a_solution_that_breaks_rules_has_no_gap() -> None:
    question = migopt.question(EIGHT_GPUS, model="wpm")
    solution = migopt.placement(question, {"new-0": ("gpu-3", 0), "new-1": ("gpu-3", 0)})
    verdict = migopt.verify(EIGHT_GPUS, solution)
    assert not verdict and verdict.violations and verdict.values == {} and verdict.score is None
    with pytest.raises(migopt.InvalidSolution) as caught:
        migopt.gap(EIGHT_GPUS, solution)
    assert caught.value.violations == verdict.violations
    assert all(violation.rule in str(caught.value) for violation in verdict.violations)


def test_bad_input_is_told_in_migopts_words() -> None:
    with pytest.raises(migopt.BadInput, match="gpuz"):
        migopt.solve({"name": "misspelt", "gpuz": []})
    with pytest.raises(migopt.BadInput, match="no-such-heuristic"):
        migopt.heuristic(EIGHT_GPUS, "no-such-heuristic", model="wpm")
    with pytest.raises(migopt.BadInput, match="gpu-99"):
        migopt.verify(EIGHT_GPUS, migopt.placement(EIGHT_GPUS, {"new-0": ("gpu-99", 0)}, model="wpm"))
    with pytest.raises(migopt.BadInput, match="no-such-model"):
        migopt.solve(EIGHT_GPUS, model="no-such-model")
    # The oracle is none the worse for it.
    assert migopt.solve(EIGHT_GPUS, model="wpm").proved


def test_what_cannot_be_sent_is_bad_input() -> None:
    with pytest.raises(migopt.BadInput, match="JSON"):
        migopt.solve({"name": "x", "cost": math.nan})
    with pytest.raises(migopt.BadInput, match="object"):
        migopt.solve({"name": object()})
    with pytest.raises(migopt.BadInput, match="cannot be read"):
        migopt.solve(Path("no/such/file.yaml"))
    with pytest.raises(migopt.BadInput, match=r"pathlib.Path\('instances/a.yaml'\)"):
        migopt.solve("instances/a.yaml")


def test_an_unknown_setting_is_a_type_error() -> None:
    # As a caller without a type checker writes it.
    solve: Any = migopt.solve
    verify: Any = migopt.verify
    oracle: Any = migopt.Oracle
    with pytest.raises(TypeError, match="'timelimit'.*time_limit"):
        solve(EIGHT_GPUS, timelimit=3)
    with pytest.raises(TypeError, match="'task'"):
        solve(EIGHT_GPUS, task="gap")
    with pytest.raises(TypeError, match="'solver'"):
        verify(EIGHT_GPUS, {}, solver="cbc")
    with pytest.raises(TypeError, match="'heuristic'"):
        oracle(heuristic="first-fit")


def test_a_program_that_is_not_there_is_told_how_to_get(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def ask() -> None:
        with migopt.Oracle() as oracle:
            oracle.solve(EIGHT_GPUS)

    monkeypatch.setenv("MIGOPT_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(migopt.BinaryNotFound, match="MIGOPT_BINARY names .*nothing.*scripts/build-wheel"):
        ask()
    monkeypatch.delenv("MIGOPT_BINARY")
    monkeypatch.setattr("migopt.binary._installed", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(migopt.BinaryNotFound, match="no migopt on PATH.*scripts/build-wheel"):
        ask()
    with pytest.raises(migopt.BinaryNotFound, match="there is no program /no/such/migopt"):
        migopt.find_binary("/no/such/migopt")


def test_the_program_is_found_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "migopt"
    program.symlink_to(migopt.find_binary())
    monkeypatch.delenv("MIGOPT_BINARY", raising=False)
    monkeypatch.setattr("migopt.binary._installed", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    assert migopt.find_binary() == program
