"""What can be chosen beside an instance."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Mapping, TypedDict, Union

from .answers import Proposal, Result


class Settings(TypedDict, total=False):
    """Settings of the question, which override those of the instance; each model has some of them."""

    objective: str
    """How goals are combined, such as ``"weighted"`` or ``"lexicographic:acceptance,hardware"`` (wpm, siavashi)."""
    use_case: str
    """``"initial"``, ``"compaction"``, ``"reconfiguration"`` or ``"joint"`` (wpm)."""
    max_migrations: int
    """How many running workloads may be moved at most (wpm, siavashi)."""
    max_disrupted: int
    """How many running workloads may be moved, shifted or without a place in the end at most (wpm, siavashi)."""
    shifts: str
    """``"free"`` or ``"counted"``: whether another start on the same GPU counts as a migration (wpm)."""
    residents: str
    """``"evictable"`` or ``"keep"`` (siavashi)."""
    optimum: str
    """``"any-servers"`` or ``"first-m-of-the-order"`` (sharing)."""
    reconfiguration: str
    """``"clip"``, ``"carry"``, ``"frac"`` or ``"charge"`` (migrator)."""
    deployment: str
    """``"instance"`` or ``"gpcs"`` (migrator)."""
    signature: str
    """``"count"`` or ``"multiset"`` (migrator)."""


class SolveSettings(Settings, total=False):
    """Settings of the question and of how the optimum is sought."""

    formulation: str
    """One of ``migopt list formulations``."""
    solver: str
    """``"highs"`` or ``"cbc"``."""
    time_limit: float
    """Seconds."""
    relative_gap: float
    """A proof within this part of the optimum is enough, such as 0.01."""
    threads: int
    """Threads of the solver."""
    seed: int
    """Seed of the solver's own tie-breaking."""
    solver_options: Mapping[str, str]
    """Options of the solver's own, such as ``{"presolve": "off"}``; ``migopt list solvers`` names them."""
    warm_start: Union[str, Path, Mapping[str, object], Result, Proposal]
    """What the solver starts from: the name of a heuristic, or a solution that obeys all rules, as ``verify`` takes it."""


def check(settings: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raises ``TypeError`` for a setting that there is not, as Python does for any unknown keyword."""
    unknown = sorted(set(settings) - set(allowed))
    if unknown:
        raise TypeError(f"there is no setting {unknown[0]!r} here; there are {', '.join(sorted(allowed))}")
