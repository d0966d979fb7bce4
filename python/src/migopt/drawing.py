"""Solutions as text: what is on each GPU or server, or what each model has when."""

from __future__ import annotations

from typing import Dict, Iterable, List, Mapping, Tuple, Union, cast

from .documents import (
    Board,
    Gpu,
    MigratorQuestion,
    Question,
    SharingQuestion,
    SiavashiQuestion,
    SiavashiWorkload,
    Solution,
    WpmQuestion,
    WpmWorkload,
)

MOST_LINES = 40
"""Lines that a drawing has at most."""


def drawing(question: Question, solution: Solution) -> str:
    """A line for each GPU or server that carries something, or for each model, and what is pending.

    What breaks a rule is drawn as it is: two workloads at one place stand beside each other.
    """
    if question["model"] == "migrator":
        lines = _plan(solution)
    elif question["model"] == "sharing":
        lines = _packing(cast(SharingQuestion, question), solution)
    else:
        lines = _placement(cast(Union[WpmQuestion, SiavashiQuestion], question), solution)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"... and {len(lines) - MOST_LINES + 1} more lines"]
    return "\n".join(lines) if lines else "nothing"


def _placement(question: Union[WpmQuestion, SiavashiQuestion], solution: Solution) -> List[str]:
    boards = cast(Mapping[str, Board], question["boards"])
    board_of = {gpu["name"]: gpu["board"] for gpu in _gpus(question)}
    workloads: Dict[str, Union[WpmWorkload, SiavashiWorkload]] = {}
    for workload in question["workloads"]:
        workloads[workload["name"]] = workload
    spans: Dict[str, List[Tuple[int, int, str]]] = {}
    for placed in solution.get("placement") or []:
        gpu, start, name = placed["gpu"], placed["start"], placed["workload"]
        board = board_of.get(gpu, "")
        profile = workloads[name]["profiles"].get(board) if name in workloads else None
        size = boards[board]["profiles"][profile]["size"] if profile else 1
        spans.setdefault(gpu, []).append((start, start + size, f"{name} ({profile or 'no profile there'})"))
    drawn = [name for name in board_of if name in spans] + [name for name in spans if name not in board_of]
    slots = {name: boards[board]["slots"] for name, board in board_of.items()}
    lines = _columns((name, _slots(spans[name], slots.get(name, 0))) for name in drawn)
    placed_names = {placed["workload"] for placed in solution.get("placement") or []}
    pending = [name for name, workload in workloads.items() if name not in placed_names and _wants_place(workload)]
    return lines + ([f"pending: {', '.join(pending)}"] if pending else [])


def _gpus(question: Union[WpmQuestion, SiavashiQuestion]) -> List[Gpu]:
    if "machines" in question:
        return [gpu for machine in cast(SiavashiQuestion, question)["machines"] for gpu in machine["gpus"]]
    return [Gpu(name=gpu["name"], board=gpu["board"]) for gpu in question["gpus"]]


def _wants_place(workload: Union[WpmWorkload, SiavashiWorkload]) -> bool:
    return workload.get("role") != "not-considered"


def _slots(spans: List[Tuple[int, int, str]], slots: int) -> str:
    """The memory slots from the first to the last, such as ``0-3 chat (3g.40gb), 4-7 free``."""
    entries, reached = [], 0
    for first, until, what in sorted(spans):
        if first > reached:
            entries.append(f"{_range(reached, first)} free")
        entries.append(f"{_range(first, until)} {what}")
        reached = max(reached, until)
    if reached < slots:
        entries.append(f"{_range(reached, slots)} free")
    return ", ".join(entries)


def _packing(question: SharingQuestion, solution: Solution) -> List[str]:
    packed = solution.get("packing") or []
    lines = _columns((server["server"], ", ".join(server["vms"]) or "nothing") for server in packed)
    names = {name for server in packed for name in server["vms"]}
    pending = [vm["name"] for vm in question["vms"] if vm["name"] not in names]
    return lines + ([f"pending: {', '.join(pending)}"] if pending else [])


def _plan(solution: Solution) -> List[str]:
    plan = solution.get("plan")
    rows = []
    for task in plan["tasks"] if plan else []:
        pieces = []
        for run in task["inference"]:
            pieces.append(f"{_range(run['from'], run['until'])} {'+'.join(run['instances']) or 'nothing'}")
        retraining = task.get("retraining")
        if retraining:
            pieces.append(f"retrained {_range(retraining['from'], retraining['until'])} on {retraining['instance']}")
        rows.append((task["model"], ", ".join(pieces)))
    return _columns(rows)


def _range(first: int, until: int) -> str:
    """Slots by the first and the last one."""
    return str(first) if until - first == 1 else f"{first}-{until - 1}"


def _columns(rows: Iterable[Tuple[str, str]]) -> List[str]:
    rows = list(rows)
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:<{width}}  {text}" for name, text in rows]
