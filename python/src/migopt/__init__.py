"""Proved optima for the tests of placement heuristics.

    >>> import migopt
    >>> best = migopt.solve(instance)               # proved, or it raises
    >>> migopt.gap(instance, my_solution) <= 0.05   # my_solution is at most 5 % from the optimum

The functions ask one process of `migopt oracle`, which starts at the first question and ends with the program; ``Oracle``
is a process of one's own. Whole amounts are ``int``, others ``decimal.Decimal``: exact. Seconds, metrics and gaps are
``float``.
"""

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
from .settings import Settings, SolveSettings
from .solutions import Run, Task, runs

_oracle = Oracle()
_assertions = Assertions(_oracle)

solve = _oracle.solve
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
    "Task",
    "Truth",
    "Verdict",
    "Violation",
    "WpmQuestion",
    "answer",
    "answer_many",
    "assert_gap_at_most",
    "assert_optimal",
    "assert_valid",
    "corpus",
    "draw",
    "find_binary",
    "gap",
    "gap_many",
    "heuristic",
    "over_corpus",
    "packing",
    "placement",
    "plan",
    "question",
    "runs",
    "solve",
    "solve_many",
    "verify",
]
