"""Assertions on solutions, for tests; a failure shows the solution beside an optimal one."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple, cast

from .answers import Gap, Stage, Verdict
from .errors import InvalidSolution
from .exact import grouped
from .oracle import AnySolution, Instance, Oracle
from .settings import Settings, SolveSettings

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Assertions:
    """Assertions that ask an oracle."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def assert_valid(
        self,
        instance: Instance,
        solution: AnySolution,
        *,
        model: Optional[str] = None,
        **settings: Unpack[Settings],
    ) -> Verdict:
        """Fails unless the solution obeys all rules; the failure names those that it breaks."""
        __tracebackhide__ = True
        verdict = self._oracle.verify(instance, solution, model=model, **settings)
        if not verdict.valid:
            raise AssertionError(self._breach(instance, solution, InvalidSolution(verdict.violations), model, settings))
        return verdict

    def assert_gap_at_most(
        self,
        instance: Instance,
        solution: AnySolution,
        most: float,
        *,
        model: Optional[str] = None,
        **settings: Unpack[SolveSettings],
    ) -> Gap:
        """Fails unless the solution is valid and at most so far from the proved optimum: 0.05 is five percent.

        Goals are compared in order: the gap is that of the first goal in which the solution differs from the optimum.
        """
        __tracebackhide__ = True
        question = _of_the_question(settings)
        try:
            gap = self._oracle.gap(instance, solution, model=model, **settings)
        except InvalidSolution as error:
            raise AssertionError(self._breach(instance, solution, error, model, question)) from None
        if gap > most:
            message = f"the gap to the optimum is {_percent(gap)}, more than {_percent(most)}"
            raise AssertionError(self._comparison(message, instance, solution, gap, model, question))
        return gap

    def assert_optimal(
        self,
        instance: Instance,
        solution: AnySolution,
        *,
        model: Optional[str] = None,
        **settings: Unpack[SolveSettings],
    ) -> Gap:
        """Fails unless the solution is valid and no solution is better in any goal, which is proved."""
        __tracebackhide__ = True
        return self.assert_gap_at_most(instance, solution, 0.0, model=model, **settings)

    def _breach(
        self,
        instance: Instance,
        solution: AnySolution,
        error: InvalidSolution,
        model: Optional[str],
        settings: Settings,
    ) -> str:
        drawn = self._oracle.draw(instance, solution, model=model, **settings)
        return f"{error}\nyour solution:\n{_indented(drawn)}"

    def _comparison(
        self,
        message: str,
        instance: Instance,
        solution: AnySolution,
        gap: Gap,
        model: Optional[str],
        settings: Settings,
    ) -> str:
        yours = self._oracle.draw(instance, solution, model=model, **settings)
        optimal = self._oracle.draw(instance, gap.optimal_solution, model=model, **settings)
        parts = [
            f"{message} (in {gap.stage})",
            _table(gap.verdict.stages, gap.result.stages),
            f"your solution:\n{_indented(yours)}",
            f"an optimal solution:\n{_indented(optimal)}",
        ]
        return "\n".join(parts)


def _of_the_question(settings: SolveSettings) -> Settings:
    """The settings without those of how the optimum is sought."""
    return cast(Settings, {name: value for name, value in settings.items() if name in Settings.__annotations__})


def _percent(relative: float) -> str:
    return f"{100 * relative:.6g} %"


def _table(yours: Tuple[Stage, ...], optimal: Tuple[Stage, ...]) -> str:
    rows = [("goal", "yours", "optimum", "")]
    rows += [(one.name, grouped(one.value), grouped(best.value), one.direction) for one, best in zip(yours, optimal)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines: List[str] = []
    for name, one, best, sense in rows:
        lines.append(f"  {name:<{widths[0]}}  {one:>{widths[1]}}  {best:>{widths[2]}}  {sense}".rstrip())
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
