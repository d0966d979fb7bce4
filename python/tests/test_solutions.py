"""Solutions written by hand are worth what they say."""

from __future__ import annotations

import migopt
import pytest
from conftest import INSTANCES
from migopt import Task


@pytest.mark.parametrize(
    ("model", "file"),
    [("wpm", "eight-gpus.yaml"), ("wpm", "pinned.yaml"), ("siavashi", "fragmented.yaml"), ("siavashi", "eviction.yaml")],
)
def test_a_placement_is_written_for_each_model_and_reading(model: str, file: str) -> None:
    path = INSTANCES / model / file
    best = migopt.solve(path, model=model)
    placed = best.solution["placement"]
    assert placed
    places = {entry["workload"]: (entry["gpu"], entry["start"]) for entry in placed}
    for given in (path, migopt.question(path, model=model)):
        assert migopt.verify(path, migopt.placement(given, places, model=model), model=model).values == best.values


def test_gpus_to_repartition_can_be_named() -> None:
    path = INSTANCES / "wpm" / "eight-gpus.yaml"
    best = migopt.solve(path, model="wpm").solution
    assert best["placement"] and best["repartitioned"]
    places = {entry["workload"]: (entry["gpu"], entry["start"]) for entry in best["placement"]}
    named = migopt.placement(path, places, repartitioned=best["repartitioned"], model="wpm")
    assert named["repartitioned"] == best["repartitioned"]
    assert migopt.verify(path, named).valid
    assert not migopt.verify(path, migopt.placement(path, places, repartitioned=[], model="wpm")).valid


def test_a_packing_is_written() -> None:
    path = INSTANCES / "sharing" / "twenty-vms.yaml"
    best = migopt.solve(path)
    assert best.solution["packing"]
    servers = {server["server"]: server["vms"] for server in best.solution["packing"]}
    unused: dict[str, list[str]] = {server["name"]: [] for server in migopt.question(path, model="sharing")["servers"]}
    assert migopt.verify(path, migopt.packing(path, {**unused, **servers})).values == best.values


def test_a_plan_is_written() -> None:
    path = INSTANCES / "migrator" / "tiny.yaml"
    # As the comments of the instance suggest, but nothing ever changes: 1g+1g and 1g for inference, 2g each for retraining.
    slots = [["1g", "1g"]] * 6
    tasks = {
        "chat": Task(inference=migopt.runs(slots), retraining=("2g", 0, 3)),
        "vision": Task(inference=[(0, 6, ["1g"])], retraining=("2g", 0, 2)),
    }
    verdict = migopt.verify(path, migopt.plan(path, tasks))
    # Chat serves 20 + 20 + 20 requests at 0.6 and 20 + 20 + 10 at 0.8, vision 10 + 10 at 0.5 and 12 in four slots at 0.9.
    assert verdict.violations == ()
    assert float(verdict.value) == pytest.approx(60 * 0.6 + 50 * 0.8 + 20 * 0.5 + 48 * 0.9)
    assert not migopt.verify(path, migopt.plan(path, {"chat": tasks["chat"]})).valid


def test_runs_join_slots_that_are_alike() -> None:
    slots = [["1g", "2g"], ("2g", "1g"), [], ["3g"], ["3g"]]
    assert migopt.runs(slots) == [(0, 2, ("1g", "2g")), (2, 3, ()), (3, 5, ("3g",))]
    assert migopt.runs([]) == []


def test_a_drawing_names_everything_at_its_place() -> None:
    question = migopt.question(INSTANCES / "wpm" / "eight-gpus.yaml", model="wpm")
    places = {"new-4": ("gpu-3", 0), "run-0": ("gpu-0", 1), "new-5": ("gpu-0", 4), "unknown": ("gpu-9", 2)}
    drawn = migopt.draw(question, migopt.placement(question, places)).splitlines()
    assert drawn[:3] == [
        "gpu-0  0 free, 1 run-0 (1g.10gb+me), 2-3 free, 4-7 new-5 (3g.40gb)",
        "gpu-3  0-7 new-4 (7g.80gb)",
        "gpu-9  0-1 free, 2 unknown (no profile there)",
    ]
    assert drawn[3].startswith("pending: run-1, run-2") and "new-4" not in drawn[3]
    assert migopt.draw(question, "a text") == "a text"


def test_a_long_drawing_is_cut() -> None:
    section = {
        "servers": [{"name": "server", "count": 60, "memory_gib": 10, "capacity": {"cpu": 8}}],
        "vms": [{"name": "vm", "replicas": 60, "memory_gib": 10, "request": {"cpu": 1}}],
    }
    instance = {"name": "sixty", "sharing": section}
    drawn = migopt.draw(instance, migopt.solve(instance)).splitlines()
    assert len(drawn) == 40 and drawn[-1] == "... and 21 more lines"
