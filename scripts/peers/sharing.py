"""Model sharing as it is written down for CP-SAT: a literal for each virtual machine on each server, and for each component there."""

from fractions import Fraction
from math import ceil, floor

from cluster import read, whole
from ortools.sat.python import cp_model
from stages import solve


def build(path):
    about, model = read(path)["sharing"], cp_model.CpModel()
    page_kib = about.get("page_kib", 4)
    pages = lambda gib: Fraction(str(gib)) * 1024 * 1024 / page_kib
    servers = [server for server in about["servers"] for _ in range(server.get("count", 1))]
    machines = [machine for machine in about["vms"] for _ in range(machine.get("replicas", 1))]
    components = about.get("components", {})
    used = [model.new_bool_var(f"y {k}") for k in range(len(servers))]
    on = [[model.new_bool_var(f"x {j} {k}") for k in range(len(servers))] for j in range(len(machines))]
    for row in on:
        model.add_exactly_one(row)
    memory = [floor(pages(s["memory_gib"])) if "memory_gib" in s else s["memory_pages"] for s in servers]
    private, loads = [], []
    for machine in machines:
        own = sum(components[name] for name in machine.get("components", []))
        size = ceil(pages(machine["memory_gib"])) if "memory_gib" in machine else machine.get("memory_pages", own)
        private.append(max(size, own) - own)
    resources = sorted({name for server in servers for name in server.get("capacity", {})})
    for k, server in enumerate(servers):
        held = {}
        for j, machine in enumerate(machines):
            for name in machine.get("components", []):
                held.setdefault(name, model.new_bool_var(f"u {name} {k}"))
                model.add_implication(on[j][k], held[name])
            model.add_implication(on[j][k], used[k])
        load = sum(p * on[j][k] for j, p in enumerate(private)) + sum(components[name] * u for name, u in held.items())
        model.add(load <= memory[k] * used[k])
        loads += held.values()
        for name in resources:
            if name in server.get("capacity", {}):
                numbers, _ = whole([server["capacity"][name], *(machine.get("request", {}).get(name, 0) for machine in machines)])
                model.add(sum(number * on[j][k] for j, number in enumerate(numbers[1:])) <= numbers[0] * used[k])
    for k in range(1, len(servers)):
        if servers[k] is servers[k - 1]:
            model.add_implication(used[k], used[k - 1])
    costs, unit = whole([server.get("cost", 1) for server in servers])
    goal = sum(cost * y for cost, y in zip(costs, used))
    return model, [*used, *(x for row in on for x in row), *loads], [(False, goal, unit, 0)]


solve(build)
