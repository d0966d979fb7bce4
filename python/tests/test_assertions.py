"""Failures of assertions tell what a reader needs."""

from __future__ import annotations

from pathlib import Path

import migopt
import pytest
from conftest import INSTANCES

TINY = INSTANCES / "migrator" / "tiny.yaml"
PIECES = {
    "name": "three-pieces",
    "sharing": {
        "servers": [{"name": "server", "count": 3, "memory_gib": 10, "capacity": {"cpu": 8}}],
        "vms": [{"name": "piece", "replicas": 3, "memory_gib": 4, "request": {"cpu": 1}}],
    },
}
THREE_SERVERS = {"server-0": ["piece#0"], "server-1": ["piece#1"], "server-2": ["piece#2"]}


def failure(caught: pytest.ExceptionInfo[AssertionError]) -> list[str]:
    return str(caught.value).splitlines()


def test_an_optimal_solution_passes() -> None:
    optimum = migopt.solve(PIECES)
    assert migopt.assert_optimal(PIECES, optimum) == 0.0
    assert migopt.assert_gap_at_most(PIECES, optimum, 0) == 0.0
    assert migopt.assert_valid(PIECES, optimum.solution).value == 2


def test_a_gap_that_is_allowed_passes() -> None:
    solution = migopt.packing(PIECES, THREE_SERVERS)
    assert migopt.assert_gap_at_most(PIECES, solution, 0.5) == 0.5


def test_a_gap_that_is_too_large_shows_both_solutions() -> None:
    solution = migopt.packing(PIECES, THREE_SERVERS)
    with pytest.raises(AssertionError) as caught:
        migopt.assert_gap_at_most(PIECES, solution, 0.499)
    lines = failure(caught)
    assert lines[:7] == [
        "the gap to the optimum is 50 %, more than 49.9 % (in servers)",
        "  goal     yours  optimum",
        "  servers      3        2  min",
        "your solution:",
        "  server-0  piece#0",
        "  server-1  piece#1",
        "  server-2  piece#2",
    ]
    assert lines[7] == "an optimal solution:" and len(lines) == 10
    with pytest.raises(AssertionError, match="the gap to the optimum is 50 %, more than 0 %"):
        migopt.assert_optimal(PIECES, solution)


@pytest.mark.parametrize("assertion", ["valid", "optimal", "gap"])
def test_broken_rules_are_named_beside_the_solution(assertion: str) -> None:
    solution = migopt.packing(PIECES, {"server-0": ["piece#0", "piece#1", "piece#2"]})
    with pytest.raises(AssertionError) as caught:
        if assertion == "valid":
            migopt.assert_valid(PIECES, solution)
        elif assertion == "optimal":
            migopt.assert_optimal(PIECES, solution)
        else:
            migopt.assert_gap_at_most(PIECES, solution, 1e9)
    violations = migopt.verify(PIECES, solution).violations
    assert failure(caught) == [
        "the solution is not valid:",
        *(f"  {violation}" for violation in violations),
        "your solution:",
        "  server-0  piece#0, piece#1, piece#2",
    ]


def test_every_model_is_drawn() -> None:
    for file, model, heuristic, piece in [
        ("wpm/eight-gpus.yaml", "wpm", "first-fit", "gpu-3  0-7 new-4 (7g.80gb)"),
        ("siavashi/fragmented.yaml", "siavashi", "ff", "pm-1/1  0-1 pair#2 (2g.10gb)"),
        ("migrator/tiny.yaml", "migrator", "greedy", "retrained 0-1 on 2g"),
    ]:
        path = INSTANCES / file
        with pytest.raises(AssertionError, match="the gap to the optimum is") as caught:
            migopt.assert_optimal(path, migopt.heuristic(path, heuristic, model=model), model=model)
        assert any(piece in line for line in failure(caught))


def test_settings_reach_question_and_optimum() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    optimum = migopt.solve(path)
    with pytest.raises(AssertionError, match="in reach"):
        migopt.assert_optimal(path, optimum.solution, optimum="first-m-of-the-order", solver="highs")


def test_an_oracle_of_ones_own_asserts_with_its_settings() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    optimum = migopt.solve(path)
    with migopt.Oracle(optimum="first-m-of-the-order", solver="cbc") as oracle:
        with pytest.raises(AssertionError, match="in reach"):
            migopt.Assertions(oracle).assert_optimal(path, optimum.solution)
        assert migopt.Assertions(oracle).assert_optimal(path, oracle.solve(path)).result.solver == "cbc"


def test_pytest_shows_the_test_and_not_the_inside(pytester: pytest.Pytester, tmp_path: Path) -> None:
    pytester.makepyfile(
        f"""
        import migopt
        PIECES = {PIECES!r}

        def test_packing(migopt_oracle):
            assert migopt_oracle.solve(PIECES).value == 2
            migopt.assert_optimal(PIECES, migopt.packing(PIECES, {THREE_SERVERS!r}))
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *the gap to the optimum is 50 %, more than 0 % (in servers)"])
    result.stdout.no_fnmatch_line("*assertions.py*raise AssertionError*")
    result.stdout.fnmatch_lines(["*test_pytest_shows_the_test_and_not_the_inside.py:6: AssertionError"])


def test_pytest_runs_a_test_over_the_corpus(pytester: pytest.Pytester) -> None:
    truths = migopt.corpus("sharing")
    pytester.makepyfile(
        """
        import migopt

        @migopt.over_corpus("sharing")
        def test_truth(truth, migopt_oracle):
            assert migopt_oracle.answer(truth.instance).values == truth.values
        """
    )
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=len(truths))
    result.stdout.fnmatch_lines([f"*test_truth[[]{truths[0].name}[]] PASSED*"])
