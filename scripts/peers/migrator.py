"""Model migrator, in its default readings on an A100, as it is written down for CP-SAT: an allocation of each model in each slot."""

from fractions import Fraction
from itertools import product
from math import ceil

from cluster import read, whole
from ortools.sat.python import cp_model
from stages import solve

# Sizes in GPCs with their memory slots; instances fit if they have at most 7 and 8 of these together.
SLOTS = {"1g": 1, "2g": 2, "3g": 4, "4g": 4, "7g": 8}
GPCS = {"1g": 1, "2g": 2, "3g": 3, "4g": 4, "7g": 7}


def exact(value):
    return Fraction(str(value))


def allocations():
    """All numbers of instances by size that fit a GPU."""
    most = {"1g": 7, "2g": 3, "3g": 2, "4g": 1, "7g": 1}
    for numbers in product(*(range(most[size] + 1) for size in SLOTS)):
        held = dict(zip(SLOTS, numbers))
        if sum(GPCS[s] * n for s, n in held.items()) <= 7 and sum(SLOTS[s] * n for s, n in held.items()) <= 8:
            yield held


def build(path):
    about, model = read(path)["migrator"], cp_model.CpModel()
    readings = [about.get("reconfiguration", "clip"), about.get("deployment", "instance"), about.get("signature", "count")]
    assert readings == ["clip", "instance", "count"] and about.get("board", "A100-40GB") == "A100-40GB", path
    basis = exact(about.get("basis_seconds", 1))
    slots = int(exact(about["window_seconds"]) / basis)
    gpcs, memory = [[] for _ in range(slots)], [[] for _ in range(slots)]
    gains, variables = [], []
    for m in about["models"]:
        least = m.get("minimum_instance", "1g")
        capability = {size: exact(m["capability"].get(size, 0)) * basis if GPCS[size] >= GPCS[least] else Fraction(0) for size in SLOTS}
        keeps = 1 - min(Fraction(1), exact(m["reconfiguration_seconds"]) / basis)
        choices = [a for a in allocations() if any(n for s, n in a.items() if GPCS[s] >= GPCS[least])]
        signature = [(sum(a.values()), sum(GPCS[s] * n for s, n in a.items())) for a in choices]
        served = [sum(capability[s] * n for s, n in a.items()) for a in choices]
        # The retraining: an interval of a length that the size decides.
        starts = {}
        for size, seconds in m["retraining_seconds"].items():
            length = ceil(exact(seconds) / basis)
            for start in range(slots - length + 1):
                begins = model.new_bool_var(f"z {m['name']} {size} {start}")
                starts[begins] = start + length
                for slot in range(start, start + length):
                    gpcs[slot].append((GPCS[size], begins))
                    memory[slot].append((SLOTS[size], begins))
        model.add_exactly_one(starts)
        variables += starts
        ends = model.new_int_var(0, slots, f"end {m['name']}")
        model.add(ends == sum(end * begins for begins, end in starts.items()))
        pairs = sorted(set(signature))
        before_signature = None
        if "first_allocation" in m:
            first = m["first_allocation"]
            before_signature = (len(first), sum(GPCS[size] for size in first))
        last = None
        for slot in range(slots):
            chosen = [model.new_bool_var(f"a {m['name']} {slot} {number}") for number in range(len(choices))]
            model.add_exactly_one(chosen)
            variables += chosen
            for a, here in zip(choices, chosen):
                gpcs[slot].append((sum(GPCS[s] * n for s, n in a.items()), here))
                memory[slot].append((sum(SLOTS[s] * n for s, n in a.items()), here))
            at = {pair: model.new_bool_var(f"s {m['name']} {slot} {pair}") for pair in pairs}
            for pair in pairs:
                model.add(at[pair] == sum(here for other, here in zip(signature, chosen) if other == pair))
            changed = model.new_bool_var(f"r {m['name']} {slot}")
            if last is not None:
                for pair in pairs:
                    model.add_bool_or([at[pair].negated(), last[pair], changed])
            elif before_signature is not None:
                for pair in pairs:
                    if pair != before_signature:
                        model.add_implication(at[pair], changed)
            last = at
            after = model.new_bool_var(f"completed {m['name']} {slot}")
            model.add(ends <= slot).only_enforce_if(after)
            requests = exact(m["requests"][slot])
            accuracy = exact(m["accuracy"]["before"]), exact(m["accuracy"]["after"])
            for number, here in enumerate(chosen):
                cases = {}
                for is_changed, is_after in product((0, 1), (0, 1)):
                    capacity = served[number] * (keeps if is_changed else 1)
                    cases[is_changed, is_after] = accuracy[is_after] * min(requests, capacity)
                gains.append((slot, here, changed, after, cases))
    for slot in range(slots):
        model.add(sum(g * here for g, here in gpcs[slot]) <= 7)
        model.add(sum(g * here for g, here in memory[slot]) <= 8)
    numbers, unit = whole([value for *_, cases in gains for value in cases.values()])
    goal, numbers = [], iter(numbers)
    by_task = {}
    for slot, here, changed, after, cases in gains:
        by_task.setdefault((slot, changed.index), (changed, after, []))[2].append((here, {case: next(numbers) for case in cases}))
    for (slot, _), (changed, after, choices) in by_task.items():
        most = max(max(cases.values()) for _, cases in choices)
        gain = model.new_int_var(0, most, f"gain {slot}")
        for is_changed, is_after in product((0, 1), (0, 1)):
            worth = sum(cases[is_changed, is_after] * here for here, cases in choices)
            enforced = [changed if is_changed else changed.negated(), after if is_after else after.negated()]
            model.add(gain <= worth).only_enforce_if(enforced)
        goal.append(gain)
    return model, variables, [(True, sum(goal), unit, 0)]


solve(build)
