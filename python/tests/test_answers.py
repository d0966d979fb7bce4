"""Every function on every model, against optima that several solvers proved and figures that can be counted by hand."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from pathlib import Path

import migopt
import pytest
from conftest import INSTANCES, proved_values

# An instance of each model, one of its heuristics, and the goals as the table of proved optima calls them.
EXAMPLES = [
    ("wpm", "eight-gpus.yaml", "first-fit", {"profit": "profit"}),
    (
        "siavashi",
        "fragmented.yaml",
        "ff",
        {
            "acceptance": "acceptance",
            "hardware": "acceptance > hardware",
            "migrations": "acceptance > hardware > migrations",
        },
    ),
    ("sharing", "twenty-vms.yaml", "ff", {"servers": "servers"}),
    ("migrator", "tiny.yaml", "greedy", {"goodput": "goodput"}),
]
over_models = pytest.mark.parametrize(("model", "file", "heuristic", "goals"), EXAMPLES, ids=[row[0] for row in EXAMPLES])

BIN_PACKING = {
    "name": "three-pieces",
    "sharing": {
        "servers": [{"name": "server", "count": 3, "memory_gib": 10, "capacity": {"cpu": 8}}],
        "vms": [{"name": "piece", "replicas": 3, "memory_gib": 4, "request": {"cpu": 1}}],
    },
}
"""Two pieces of four fit in ten, three do not: two servers."""


@over_models
def test_the_optimum_is_the_proved_one(model: str, file: str, heuristic: str, goals: dict[str, str]) -> None:
    result = migopt.solve(INSTANCES / model / file, model=model)
    proved = proved_values(model, file)
    assert result.values == {goal: Decimal(proved[name]) for goal, name in goals.items()}
    assert [stage.bound for stage in result.stages] == list(result.values.values())
    assert result.value == result.stages[0].value
    assert (result.status, result.proved, result.relative_gap, result.model) == ("optimal", True, 0.0, model)
    assert result.seconds > 0 and isinstance(result.seconds, float)
    verdict = migopt.verify(INSTANCES / model / file, result.solution)
    assert verdict and verdict.valid and verdict.values == result.values and verdict.metrics == result.metrics


@over_models
def test_gaps_are_the_distance_to_the_proved_optimum(
    model: str, file: str, heuristic: str, goals: dict[str, str]
) -> None:
    path = INSTANCES / model / file
    proposal = migopt.heuristic(path, heuristic, model=model)
    assert proposal.valid and proposal.heuristic == heuristic and proposal.violations == ()
    gap = migopt.gap(path, proposal, model=model)
    # All these heuristics miss the optimum in the first goal.
    goal, name = next(iter(goals.items()))
    optimum = Decimal(proved_values(model, file)[name])
    assert (gap.stage, gap.value, gap.optimum) == (goal, proposal.value, optimum)
    assert gap == gap.relative == pytest.approx(float(abs(proposal.value - optimum) / abs(optimum)), rel=1e-12)
    assert gap > 0
    assert migopt.gap(path, gap.optimal_solution, model=model) == 0.0
    assert migopt.gap(path, gap.optimal_solution, model=model).stage is None


@over_models
def test_a_question_says_what_it_belongs_to(model: str, file: str, heuristic: str, goals: dict[str, str]) -> None:
    question = migopt.question(INSTANCES / model / file, model=model, seed=7)
    assert question["model"] == model
    assert question["seed"] == 7
    assert question["instance"] == migopt.solve(INSTANCES / model / file, model=model).solution["instance"]


def test_an_instance_is_a_document_a_text_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(BIN_PACKING))
    for instance in (BIN_PACKING, json.dumps(BIN_PACKING), path):
        assert migopt.solve(instance).value == 2


def test_a_solution_is_a_document_a_text_a_path_or_an_answer(tmp_path: Path) -> None:
    result = migopt.solve(BIN_PACKING)
    text = json.dumps(result.solution)
    path = tmp_path / "solution.json"
    path.write_text(text)
    for solution in (result, result.solution, result.document, text, path):
        assert migopt.verify(BIN_PACKING, solution).value == 2
        assert migopt.gap(BIN_PACKING, solution) == 0.0


def test_amounts_are_exact() -> None:
    path = INSTANCES / "migrator" / "tiny.yaml"
    result = migopt.solve(path)
    assert result.value == Decimal("219.2") and isinstance(result.value, Decimal)
    assert all(type(value) in (int, float) for value in result.metrics.values())
    # Decimals of an answer go back as they are.
    assert migopt.verify(path, result).value == Decimal("219.2")
    whole = migopt.solve(BIN_PACKING).value
    assert isinstance(whole, int)


def test_an_answer_is_judged_by_the_question_that_it_answers() -> None:
    path = INSTANCES / "wpm" / "eight-gpus.yaml"
    proposal = migopt.heuristic(path, "first-fit", model="wpm", use_case="compaction")
    # The instance asks for newcomers to be placed, compaction does not.
    assert migopt.gap(path, proposal, model="wpm", use_case="compaction") < migopt.gap(path, proposal.solution, model="wpm")
    assert migopt.verify(path, proposal).values == proposal.values


def test_settings_change_the_question() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    assert migopt.solve(path, optimum="first-m-of-the-order").value == int(proved_values("sharing", "twenty-vms.yaml")["reach"])
    assert migopt.solve(path, formulation="compact", solver="cbc", threads=1, warm_start="ffs").solver == "cbc"


def test_a_search_starts_from_a_solution(tmp_path: Path) -> None:
    path = INSTANCES / "siavashi" / "fragmented.yaml"
    best = migopt.solve(path, model="siavashi")
    file = tmp_path / "best.json"
    file.write_text(json.dumps(best.solution))
    # Without any time the answer is as good as the start, which no heuristic of the search itself finds.
    assert migopt.answer(path, model="siavashi", time_limit=0).values != best.values
    for start in (best, best.solution, json.dumps(best.solution), file):
        assert migopt.answer(path, model="siavashi", time_limit=0, warm_start=start).values == best.values
    with pytest.raises(migopt.BadInput, match="pathlib.Path"):
        migopt.solve(path, warm_start="best.json")


def test_the_model_that_is_taken_is_said() -> None:
    gpus = {"name": "open", "gpus": [{"name": "gpu", "board": "A30"}]}
    answers = migopt.solve(gpus), migopt.solve(gpus, model="siavashi"), migopt.solve(BIN_PACKING)
    assert [(answer.model, answer.model_from) for answer in answers] == [
        ("wpm", "guess"),
        ("siavashi", None),
        ("sharing", "section"),
    ]
    verdict = migopt.verify(gpus, migopt.placement(gpus, {}, model="siavashi"))
    assert (verdict.model, verdict.model_from) == (None, None)  # The solution names it.


def test_a_proof_within_a_gap_is_enough_where_it_is_asked_for() -> None:
    result = migopt.solve(INSTANCES / "wpm" / "eight-gpus.yaml", model="wpm", relative_gap=0.5)
    assert result.status in ("optimal", "within-gap")
    assert result.relative_gap is not None and result.relative_gap <= 0.5


def test_a_seed_is_repeated() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    proposals = [migopt.heuristic(path, "ff:order=random", seed=seed) for seed in (3, 3, 4)]
    assert proposals[0].solution == proposals[1].solution != proposals[2].solution
    assert proposals[2].seed == 4


def test_many_gaps_keep_their_order() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    proposals = [migopt.heuristic(path, "ff:order=random", seed=seed) for seed in range(20)]
    assert len({proposal.value for proposal in proposals}) > 1
    gaps = list(migopt.gap_many((path, proposal) for proposal in proposals))
    assert [gap.value for gap in gaps] == [proposal.value for proposal in proposals]


def test_answers_to_many_hold_what_has_no_solution() -> None:
    no_home = INSTANCES / "sharing" / "no-home.yaml"
    assert [result.status for result in migopt.answer_many([BIN_PACKING, no_home, BIN_PACKING])] == [
        "optimal",
        "infeasible",
        "optimal",
    ]
    results = migopt.solve_many([BIN_PACKING, no_home, BIN_PACKING])
    assert next(results).value == 2
    with pytest.raises(migopt.Infeasible):
        next(results)


def test_answers_can_be_pickled() -> None:
    result = migopt.solve(BIN_PACKING)
    gap = migopt.gap(BIN_PACKING, result)
    again = pickle.loads(pickle.dumps((result, gap)))
    assert again == (result, gap)
    assert again[1].result == gap.result and again[1].value == 2
