"""Solves programs in MPS files by one solver, one file for each goal: python program.py SOLVER SECONDS FILE...

Prints a list of {"value", "bound", "proved", "cpu"} as JSON, one for each file that was reached: the next one is begun only when the one
before is proved. SECONDS are for all files together. Objectives are minimised, as they are written.
"""

import json
import sys
import time


def highs(path, seconds):
    import highspy

    solver = highspy.Highs()
    for option, value in dict(output_flag=False, threads=1, time_limit=seconds, mip_rel_gap=0.0, mip_abs_gap=0.0).items():
        solver.setOptionValue(option, value)
    solver.readModel(path)
    solver.run()
    info, status = solver.getInfo(), solver.getModelStatus()
    has_point = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    is_program = any(kind != highspy.HighsVarType.kContinuous for kind in solver.getLp().integrality_)
    proved = status == highspy.HighsModelStatus.kOptimal
    bound = info.mip_dual_bound if is_program else info.objective_function_value
    return info.objective_function_value if has_point else None, bound, proved


def scip(path, seconds):
    import pyscipopt

    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(path)
    solver.setParams({"limits/time": seconds, "limits/gap": 0.0, "limits/absgap": 0.0, "parallel/maxnthreads": 1, "lp/threads": 1})
    solver.optimize()
    value = solver.getObjVal() if solver.getNSols() else None
    return value, solver.getDualbound(), solver.getStatus() == "optimal"


def cp_sat(path, seconds):
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    assert model.import_from_mps_file(path), path
    solver = model_builder.Solver("sat")
    solver.set_time_limit_in_seconds(seconds)
    solver.set_solver_specific_parameters("num_workers:1")
    status = solver.solve(model)
    found = status in (model_builder.SolveStatus.OPTIMAL, model_builder.SolveStatus.FEASIBLE)
    # Without a point there is no bound either; pandas then has a value of its own for that.
    bound = solver.best_objective_bound if found else None
    return solver.objective_value if found else None, bound, status == model_builder.SolveStatus.OPTIMAL


SOLVERS = {"HiGHS": highs, "SCIP": scip, "CP-SAT": cp_sat}


def main():
    solve, seconds, results = SOLVERS[sys.argv[1]], float(sys.argv[2]), []
    end = time.monotonic() + seconds
    for path in sys.argv[3:]:
        left = end - time.monotonic()
        if left <= 0:
            break
        began = time.process_time()
        value, bound, proved = solve(path, left)
        bound = None if bound is None or abs(bound) > 1e15 else bound
        results.append(dict(value=value, bound=bound, proved=proved, cpu=time.process_time() - began))
        if not proved:
            break
    print(json.dumps(results))


main()
