"""Model wpm, use case joint, in the reading exact-index, as it is written down for CP-SAT: a literal for each workload at each start."""

from collections import defaultdict

from cluster import boards, machines, read, workloads
from ortools.sat.python import cp_model
from stages import solve

MIGRATION, REPARTITION = 4, 6


def build(path):
    instance, known, model = read(path), boards(), cp_model.CpModel()
    assert instance["wpm"]["use_case"] == "joint", path
    gpus = [gpu for _, own, *_ in machines(instance) for gpu in own]
    used = {gpu: model.new_bool_var(f"y {gpu}") for gpu, _ in gpus}
    in_slot, by_limit = defaultdict(list), defaultdict(list)
    reward, migrations, waste, variables = [], [], [], []
    everyone = workloads(instance)
    again = {place[0]: model.new_bool_var(f"repartition {place[0]}") for _, place in everyone if place}
    for position, (about, current) in enumerate(everyone):
        profile, places, stays = about["profile"], [], []
        for gpu, board_name in gpus:
            board = known[board_name]
            size = board.profiles[profile]["size"]
            for start in board.profiles[profile]["starts"]:
                here = model.new_bool_var(f"w {position} {gpu} {start}")
                places.append(here)
                waste.append((board.waste(profile, start), here))
                for slot in range(start, start + size):
                    in_slot[gpu, slot].append(here)
                for number, (use, _) in enumerate(board.limits):
                    if use.get(profile):
                        by_limit[gpu, number].append((use[profile], here))
                if current and current == (gpu, start):
                    stays.append(here)
                elif current and current[0] == gpu:
                    free = model.new_bool_var(f"carried {position} {start}")
                    model.add_implication(free, here)
                    model.add_implication(free, again[gpu])
                    stays.append(free)
        variables += places
        model.add_at_most_one(places)
        reward += [(size, here) for here in places]
        if current:
            leaves = model.new_bool_var(f"leaves {position}")
            model.add_bool_or([*stays, leaves])
            migrations.append((MIGRATION * size, leaves))
    migrations += [(REPARTITION, repartitioned) for repartitioned in again.values()]
    for (gpu, _), literals in in_slot.items():
        # One instance in a slot, and none on a GPU that is not in use.
        model.add_at_most_one([*literals, used[gpu].negated()])
    for gpu, board in gpus:
        for number, (_, most) in enumerate(known[board].limits):
            terms = by_limit.get((gpu, number), [])
            if sum(use for use, _ in terms) > most:
                model.add(sum(use * here for use, here in terms) <= most)
    in_use = [(1, literal) for literal in used.values()]
    goals = [(True, reward), (False, in_use), (False, migrations), (False, waste)]
    goals = [(maximise, sum(number * literal for number, literal in terms), 1, 0) for maximise, terms in goals]
    return model, [*variables, *used.values(), *again.values()], goals


solve(build)
