#!/usr/bin/env python3
"""Best fit: what runs stays where it is, and each newcomer goes where the least is left over.

    migopt heuristic instances/wpm/eight-gpus.yaml --policy exec:python/examples/best_fit.py

As a program it reads the question (`migopt schema question`) from standard input and writes a solution (`migopt schema
solution`) to standard output. migopt judges what it wrote; a broken rule, another exit code than 0 or a time-out is this
method's failure.
"""

import json
import sys


def best_fit(question):
    """The GPU and the first memory slot of each workload that has a place."""
    boards = question["boards"]
    gpus = {gpu["name"]: gpu for gpu in question["gpus"]}
    taken = {name: set() for name in gpus}  # memory slots in use
    used = {name: [] for name in gpus}  # profiles on the GPU
    places = {}

    def put(workload, gpu, start):
        board = gpus[gpu]["board"]
        profile = workload["profiles"][board]
        taken[gpu] |= set(range(start, start + boards[board]["profiles"][profile]["size"]))
        used[gpu].append(profile)
        places[workload["name"]] = (gpu, start)

    def within_limits(gpu, profile):
        """Whether limits of the board, such as one instance with media engines, allow one more of the profile."""
        limits = boards[gpus[gpu]["board"]]["limits"]
        return all(
            sum(limit["usage"].get(name, 0) for name in used[gpu] + [profile]) <= limit["capacity"] for limit in limits
        )

    def best_place(workload):
        """The GPU with the fewest free slots that has room, and the highest start there."""
        best = None
        for name, gpu in gpus.items():
            profile = workload["profiles"].get(gpu["board"])
            if gpu["role"] == "not-considered" or profile is None or not within_limits(name, profile):
                continue
            board = boards[gpu["board"]]
            size = board["profiles"][profile]["size"]
            for start in board["profiles"][profile]["starts"]:
                if not taken[name] & set(range(start, start + size)):
                    candidate = (board["slots"] - len(taken[name]) - size, -start, name)
                    best = min(best, candidate) if best else candidate
        return best and (best[2], -best[1])

    for workload in question["workloads"]:
        if "current" in workload:
            put(workload, workload["current"]["gpu"], workload["current"]["start"])
    for workload in question["workloads"]:
        place = best_place(workload) if workload["role"] == "newcomer" else None
        if place:
            put(workload, *place)
    return places


def main():
    question = json.load(sys.stdin)
    placement = [{"workload": name, "gpu": gpu, "start": start} for name, (gpu, start) in best_fit(question).items()]
    json.dump({"instance": question["instance"], "reading": question["reading"], "placement": placement}, sys.stdout)


if __name__ == "__main__":
    main()
