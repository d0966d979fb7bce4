"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from .answers import Result, Violation


class MigoptError(Exception):
    """Every error of this package."""


class BadInput(MigoptError):
    """The instance, the solution or a setting breaks a rule; the message is migopt's, with the place and the mend."""


class BinaryNotFound(MigoptError):
    """There is no program ``migopt`` to ask."""


class OracleFailed(MigoptError):
    """The process of ``migopt oracle`` ended, or answered what it must not; the next call starts another one."""


class Infeasible(MigoptError):
    """No solution obeys all rules, which is proved."""

    def __init__(self, result: Result) -> None:
        super().__init__(f"{result.instance}: infeasible (proved). {result.reason or ''}".rstrip())
        self.result = result
        """The answer."""
        self.reason = result.reason
        """Why there is no solution, in words, where migopt knows."""


class NotProved(MigoptError):
    """A limit was reached before the proof."""

    def __init__(self, result: Result) -> None:
        stages = "; ".join(str(stage) for stage in result.stages) or "no solution yet"
        super().__init__(f"{result.instance}: not proved ({result.status}): {stages}")
        self.result = result
        """The best verified solution and its bounds."""


class InvalidSolution(MigoptError):
    """A solution breaks rules, so that it has no value and no gap."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("the solution is not valid:\n" + "\n".join(f"  {violation}" for violation in violations))
        self.violations = tuple(violations)
        """The rules that it breaks."""
