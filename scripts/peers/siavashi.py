"""Model siavashi as it is written down for CP-SAT: a literal for each workload at each start, one workload in each slot."""

from collections import defaultdict

from cluster import boards, machines, read, whole, workloads
from ortools.sat.python import cp_model
from stages import solve


def cost_of(costs, machine_of, before, after):
    if machine_of[before[0]] != machine_of[after[0]]:
        return costs["move_machine"]
    if before[0] != after[0]:
        return costs["move_gpu"]
    return costs["move_start"] if before != after else 0


def build(path):
    instance, known = read(path), boards()
    settings, model = instance.get("siavashi", {}), cp_model.CpModel()
    costs = {"move_machine": 4, "move_gpu": 2, "move_start": 0, "evict": 2, **settings.get("migration_costs", {})}
    keep = settings.get("residents", "keep") == "keep"
    hosts, all_workloads = machines(instance), workloads(instance)
    machine_of = {gpu: name for name, gpus, *_ in hosts for gpu, _ in gpus}
    used = {gpu: model.new_bool_var(f"gamma {gpu}") for gpu in machine_of}
    machine_used = {name: model.new_bool_var(f"phi {name}") for name, *_ in hosts}
    in_slot, by_limit, of_machine = defaultdict(list), defaultdict(list), defaultdict(list)
    accepted, moved, variables = [], [], []
    for position, (about, current) in enumerate(all_workloads):
        wanted = about["profile"] if isinstance(about["profile"], list) else [about["profile"]]
        places, weight = [], about.get("migration_weight", 1)
        for name, gpus, *_ in hosts:
            for gpu, board_name in gpus:
                board = known[board_name]
                profile = next((profile for profile in wanted if profile in board.profiles), None)
                for start in board.profiles[profile]["starts"] if profile else []:
                    here = model.new_bool_var(f"w {position} {gpu} {start}")
                    places.append(here)
                    of_machine[name].append((about, here))
                    for slot in range(start, start + board.profiles[profile]["size"]):
                        in_slot[gpu, slot].append(here)
                    for number, (use, _) in enumerate(board.limits):
                        if use.get(profile):
                            by_limit[gpu, number].append((use[profile], here))
                    if current:
                        moved.append((weight * cost_of(costs, machine_of, current, (gpu, start)), here))
        variables += places
        if keep and current:
            model.add_exactly_one(places)
        else:
            placed = model.new_bool_var(f"accepted {position}")
            model.add_exactly_one([*places, placed.negated()])
            if current:
                moved.append((weight * costs["evict"], placed.negated()))
        accepted += [(about.get("acceptance_weight", 1), here) for here in places]
    for (gpu, _), literals in in_slot.items():
        # One instance in a slot, and none on a GPU that is not in use.
        model.add_at_most_one([*literals, used[gpu].negated()])
    for name, gpus, cpu, memory, _ in hosts:
        for gpu, board in gpus:
            model.add_implication(used[gpu], machine_used[name])
            for number, (_, most) in enumerate(known[board].limits):
                terms = by_limit.get((gpu, number), [])
                if sum(use for use, _ in terms) > most:
                    model.add(sum(use * here for use, here in terms) <= most)
        for key, capacity in (("cpu", cpu), ("memory_gib", memory)):
            if capacity is not None:
                needs, _ = whole([capacity, *(about.get(key, 0) for about, _ in of_machine[name])])
                model.add(sum(need * here for need, (_, here) in zip(needs[1:], of_machine[name])) <= needs[0] * machine_used[name])
    hardware = [(weight, machine_used[name]) for name, *_, weight in hosts]
    hardware += [(weight, used[gpu]) for _, gpus, *_, weight in hosts for gpu, _ in gpus]
    goals = []
    for maximise, terms in ((True, accepted), (False, hardware), (False, moved)):
        numbers, unit = whole([number for number, _ in terms] or [0])
        goals.append((maximise, sum(number * literal for number, (_, literal) in zip(numbers, terms)), unit, 0))
    return model, [*variables, *used.values(), *machine_used.values()], goals


solve(build)
