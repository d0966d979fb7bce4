"""Writing solutions: migopt's document from what a heuristic has at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, List, Mapping, Optional, Sequence, Tuple

from .documents import PackedServer, PlacedWorkload, PlannedRun, PlannedTask, Question, Solution

Run = Tuple[int, int, Sequence[str]]
"""First slot, the slot after the last one, and the sizes of the GPU instances, such as ``(0, 6, ["3g", "1g"])``."""


@dataclass(frozen=True)
class Task:
    """What happens to a model during a window of time (migrator)."""

    inference: Sequence[Run]
    """What its inference task has: runs of slots that together cover the window."""
    retraining: Optional[Tuple[str, int, int]] = None
    """Size of the GPU instance, first slot and the slot after the last one of its retraining, such as ``("2g", 0, 3)``."""


def runs(slots: Iterable[Sequence[str]]) -> List[Run]:
    """The runs of an inference task from its GPU instances slot by slot."""
    found: List[Run] = []
    for slot, instances in enumerate(slots):
        if found and sorted(found[-1][2]) == sorted(instances):
            found[-1] = (found[-1][0], slot + 1, found[-1][2])
        else:
            found.append((slot, slot + 1, tuple(instances)))
    return found


def placement_of(
    question: Question, places: Mapping[str, Tuple[str, int]], repartitioned: Optional[Iterable[str]] = None
) -> Solution:
    """The solution that places workloads on GPUs."""
    solution = _solution(question)
    solution["placement"] = [
        PlacedWorkload(workload=workload, gpu=gpu, start=start) for workload, (gpu, start) in places.items()
    ]
    if repartitioned is not None:
        solution["repartitioned"] = list(repartitioned)
    return solution


def packing_of(question: Question, servers: Mapping[str, Iterable[str]]) -> Solution:
    """The solution that packs virtual machines onto servers."""
    solution = _solution(question)
    packed = [PackedServer(server=server, vms=list(vms)) for server, vms in servers.items()]
    solution["packing"] = [server for server in packed if server["vms"]]
    return solution


def plan_of(question: Question, tasks: Mapping[str, Task]) -> Solution:
    """The solution that plans a window of time."""
    solution = _solution(question)
    solution["plan"] = {"tasks": [_planned(model, task) for model, task in tasks.items()]}
    return solution


def _solution(question: Question) -> Solution:
    solution = Solution(instance=question["instance"], model=question["model"])
    reading = question.get("reading")
    if isinstance(reading, str):
        # Model wpm judges a solution under the reading that it names.
        solution["reading"] = reading
    return solution


def _planned(model: str, task: Task) -> PlannedTask:
    def run(entry: Run) -> PlannedRun:
        first, until, instances = entry
        return {"from": first, "until": until, "instances": list(instances)}

    planned = PlannedTask(model=model, inference=[run(entry) for entry in task.inference], retraining=None)
    if task.retraining is not None:
        instance, first, until = task.retraining
        planned["retraining"] = {"instance": instance, "from": first, "until": until}
    return planned
