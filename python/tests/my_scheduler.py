"""A heuristic as somebody has it: first fit on MIG GPUs."""

from __future__ import annotations

from migopt import WpmQuestion


def first_fit(question: WpmQuestion) -> dict[str, tuple[str, int]]:
    """The GPU and the first memory slot of each workload: what runs stays, newcomers go to the first place with room."""
    boards = question["boards"]
    taken: dict[str, set[int]] = {gpu["name"]: set() for gpu in question["gpus"]}
    used: dict[str, list[str]] = {gpu["name"]: [] for gpu in question["gpus"]}
    board_of = {gpu["name"]: boards[gpu["board"]] for gpu in question["gpus"]}
    places: dict[str, tuple[str, int]] = {}

    def slots(gpu: str, profile: str, start: int) -> set[int]:
        return set(range(start, start + board_of[gpu]["profiles"][profile]["size"]))

    def put(workload: str, gpu: str, profile: str, start: int) -> None:
        taken[gpu] |= slots(gpu, profile, start)
        used[gpu].append(profile)
        places[workload] = (gpu, start)

    def is_within_limits(gpu: str, profile: str) -> bool:
        return all(
            sum(limit["usage"].get(name, 0) for name in [*used[gpu], profile]) <= limit["capacity"]
            for limit in board_of[gpu]["limits"]
        )

    def first_place(profiles: dict[str, str]) -> tuple[str, str, int] | None:
        for gpu in question["gpus"]:
            profile = profiles.get(gpu["board"])
            if gpu["role"] == "not-considered" or profile is None or not is_within_limits(gpu["name"], profile):
                continue
            for start in boards[gpu["board"]]["profiles"][profile]["starts"]:
                if not slots(gpu["name"], profile, start) & taken[gpu["name"]]:
                    return gpu["name"], profile, start
        return None

    gpus = {gpu["name"]: gpu for gpu in question["gpus"]}
    for workload in question["workloads"]:
        spot = workload.get("current")
        if spot is not None:
            put(workload["name"], spot["gpu"], workload["profiles"][gpus[spot["gpu"]]["board"]], spot["start"])
    for workload in question["workloads"]:
        place = first_place(workload["profiles"]) if workload["role"] == "newcomer" else None
        if place is not None:
            put(workload["name"], *place)
    return places
