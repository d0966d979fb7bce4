"""Proved optima for the tests of placement heuristics.

    >>> import migopt
    >>> best = migopt.solve(instance)               # proved, or it raises
    >>> migopt.gap(instance, my_solution) <= 0.05   # my_solution is at most 5 % from the optimum
    >>> migopt.bench("instances", ["optimum", "first-fit", my_heuristic], output="sweep").to_frame()

The functions ask one process of `migopt oracle`, which starts at the first question and ends with the program; ``Oracle``
is a process of one's own. Whole amounts are ``int``, others ``decimal.Decimal``: exact. Seconds, metrics and gaps are
``float``.
"""

from importlib import metadata

from .answers import Gap, Proposal, Result, Stage, Truth, Verdict, Violation
from .assertions import Assertions
from .binary import find_binary
from .corpus import corpus, over_corpus
from .documents import MigratorQuestion, Question, SharingQuestion, SiavashiQuestion, Solution, WpmQuestion
from .errors import (
    BadInput,
    BinaryNotFound,
    Infeasible,
    InvalidSolution,
    MigoptError,
    NotProved,
    OracleFailed,
)
from .exact import Amount
from .oracle import AnySolution, Instance, Oracle
from .pictures import picture
from .settings import Settings, SolveSettings
from .solutions import Run, Task, runs
from .sweep import Method, Sweep, bench

__version__ = metadata.version("migopt")

_oracle = Oracle()
_assertions = Assertions(_oracle)

solve = _oracle.solve
solve_file = _oracle.solve_file
answer = _oracle.answer
verify = _oracle.verify
gap = _oracle.gap
heuristic = _oracle.heuristic
question = _oracle.question
solve_many = _oracle.solve_many
answer_many = _oracle.answer_many
gap_many = _oracle.gap_many
placement = _oracle.placement
packing = _oracle.packing
plan = _oracle.plan
draw = _oracle.draw
assert_valid = _assertions.assert_valid
assert_gap_at_most = _assertions.assert_gap_at_most
assert_optimal = _assertions.assert_optimal

__all__ = [
    "Amount",
    "AnySolution",
    "Assertions",
    "BadInput",
    "BinaryNotFound",
    "Gap",
    "Infeasible",
    "Instance",
    "InvalidSolution",
    "Method",
    "MigoptError",
    "MigratorQuestion",
    "NotProved",
    "Oracle",
    "OracleFailed",
    "Proposal",
    "Question",
    "Result",
    "Run",
    "Settings",
    "SharingQuestion",
    "SiavashiQuestion",
    "Solution",
    "SolveSettings",
    "Stage",
    "Sweep",
    "Task",
    "Truth",
    "Verdict",
    "Violation",
    "WpmQuestion",
    "__version__",
    "answer",
    "answer_many",
    "assert_gap_at_most",
    "assert_optimal",
    "assert_valid",
    "bench",
    "corpus",
    "draw",
    "find_binary",
    "gap",
    "gap_many",
    "heuristic",
    "over_corpus",
    "packing",
    "picture",
    "placement",
    "plan",
    "question",
    "runs",
    "solve",
    "solve_file",
    "solve_many",
    "verify",
]
