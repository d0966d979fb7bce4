"""A model of CP-SAT whose goals are optimised one after the other, as its users do it."""

import json
import sys
import time

from ortools.sat.python import cp_model


def solve(build):
    """Builds the model of the instance in the first argument and solves it within the seconds of the second one, to which building does not
    count.

    `build(path)` returns a model, its variables, and a list of goals: whether to maximise, an expression, what 1 of it is worth, and a
    constant. Prints the same as program.py.
    """
    path, seconds = sys.argv[1], float(sys.argv[2])
    began, results = time.process_time(), []
    model, variables, goals = build(path)
    end = time.monotonic() + seconds
    for maximise, goal, unit, constant in goals:
        left = end - time.monotonic()
        if left <= 0:
            break
        (model.maximize if maximise else model.minimize)(goal)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = left
        status = solver.solve(model)
        found, proved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE), status == cp_model.OPTIMAL
        worth = lambda value: float(value * unit + constant)
        value = worth(round(solver.objective_value)) if found else None
        bound = worth(round(solver.best_objective_bound)) if found else None
        results.append(dict(value=value, bound=bound, proved=proved, cpu=time.process_time() - began))
        began = time.process_time()
        if not proved:
            break
        model.add(goal >= round(solver.objective_value) if maximise else goal <= round(solver.objective_value))
        model.clear_hints()
        for variable in variables:
            model.add_hint(variable, solver.value(variable))
    print(json.dumps(results))
