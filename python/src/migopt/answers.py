"""What the oracle answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, cast

from . import pictures
from .documents import Solution
from .errors import Infeasible, InvalidSolution, NotProved
from .exact import Amount, amount, grouped

Document = Dict[str, Any]
"""A document as it was read."""


@dataclass(frozen=True)
class Stage:
    """A goal with its value and its proved bound."""

    name: str
    """``profit``, or a goal of the model."""
    sense: str
    """``maximize`` or ``minimize``."""
    value: Optional[Amount]
    """The solution's value, counted by the verifier."""
    bound: Optional[Amount]
    """No solution that is as good in the stages before is better than this."""

    @property
    def direction(self) -> str:
        """``max`` where more is better, ``min`` where less is, as ``migopt solve`` prints it."""
        return self.sense[:3]

    def __str__(self) -> str:
        """Such as ``gpus 7 (min, bound 6)``."""
        bound = "" if self.bound is None else f", bound {grouped(self.bound)}"
        return f"{self.name} {grouped(self.value) or 'without value'} ({self.direction}{bound})"


@dataclass(frozen=True)
class Violation:
    """A rule that a solution breaks."""

    rule: str
    """The rule's short, stable name."""
    message: str
    """What is wrong, in words."""

    def __str__(self) -> str:
        """Such as ``overlap: ...``."""
        return f"{self.rule}: {self.message}"


@dataclass(frozen=True)
class _Valued:
    """What has goals in order."""

    stages: Tuple[Stage, ...]
    """The goals in order."""

    @property
    def values(self) -> Dict[str, Amount]:
        """The values by goal, in order."""
        return {stage.name: stage.value for stage in self.stages if stage.value is not None}

    @property
    def value(self) -> Amount:
        """The value of the first goal; where a question has several, ``values`` has all."""
        return next(iter(self.values.values()))


@dataclass(frozen=True)
class _Judged(_Valued):
    """What the verifier has judged."""

    valid: bool
    """Whether the solution obeys all rules."""
    violations: Tuple[Violation, ...]
    """The rules that it breaks."""
    score: Optional[Mapping[str, object]]
    """What it is worth, as `migopt verify` counts it; none if a rule is broken."""
    metrics: Mapping[str, float]
    """The solution in numbers (`migopt list metrics`); empty if a rule is broken."""

    def __bool__(self) -> bool:
        """Whether it is valid."""
        return self.valid


@dataclass(frozen=True)
class Result(_Valued):
    """The answer to a question: a proved optimum, or what is known at a limit, or that there is no solution."""

    model: str
    """The model."""
    instance: str
    """Name of the instance."""
    status: str
    """``optimal``, ``within-gap``, ``infeasible``, ``time-limit``, ``memory-limit`` or ``interrupted``."""
    proved: bool
    """Whether bound and verified value meet in every stage, or it is proved that there is no solution."""
    reason: Optional[str]
    """Why there is no solution, where migopt knows."""
    relative_gap: Optional[float]
    """How far value and bound are apart in the first stage in which they differ, relative to the value."""
    formulation: str
    """The formulation used."""
    solver: str
    """The solver used."""
    seconds: float
    """Wall-clock seconds."""
    score: Optional[Mapping[str, object]]
    """What the best solution is worth, as the verifier counts it."""
    metrics: Mapping[str, float]
    """The best solution in numbers (`migopt list metrics`)."""
    best_solution: Optional[Solution]
    """The best verified solution, where there is one."""
    document: Document = field(repr=False)
    """All that was answered (`migopt schema result`)."""
    model_from: Optional[str] = None
    """Why it is this model, where none was named: ``section``, ``solution`` or ``guess`` (`docs/oracle.md`)."""

    @property
    def solution(self) -> Solution:
        """The best verified solution; raises ``Infeasible`` or ``NotProved`` where there is none."""
        if self.best_solution is None:
            raise Infeasible(self) if self.status == "infeasible" else NotProved(self)
        return self.best_solution

    @property
    def is_infeasible(self) -> bool:
        """Whether no solution obeys all rules."""
        return self.status == "infeasible"

    def _repr_html_(self) -> str:
        """The answer with its picture, for notebooks."""
        about = f"model {self.model}, formulation {self.formulation}, solver {self.solver}, {self.seconds:.3f} s"
        verdict = f"{self.status} (proved)" if self.proved else self.status
        notes = [] if self.reason is None else [self.reason]
        return pictures.page(
            f"{self.instance}: {verdict}", about, self.stages, notes, None if self.best_solution is None else self
        )

    def expect_proved(self) -> Result:
        """This answer, if it is an optimum as it was asked for; else raises ``Infeasible`` or ``NotProved``."""
        if self.status == "infeasible":
            raise Infeasible(self)
        if self.status not in ("optimal", "within-gap"):
            raise NotProved(self)
        return self

    @classmethod
    def of(cls, document: Document, model_from: Optional[str] = None) -> Result:
        """Reads ``result`` of a response."""
        return cls(
            stages=_stages(document),
            model=document["model"],
            instance=document["instance"],
            status=document["status"],
            proved=document["proved"],
            reason=document.get("reason"),
            relative_gap=None if document["gap"] is None else float(document["gap"]),
            formulation=document["formulation"],
            solver=document["solver"],
            seconds=float(document["seconds"]["total"]),
            score=document.get("score"),
            metrics=_metrics(document),
            best_solution=cast(Optional[Solution], document.get("solution")),
            document=document,
            model_from=model_from,
        )


@dataclass(frozen=True)
class Verdict(_Judged):
    """What a solution breaks, or what it is worth; true if it is valid."""

    model: Optional[str] = None
    """The model that was taken, where none was named."""
    model_from: Optional[str] = None
    """Why it is this model, where none was named: ``section``, ``solution`` or ``guess`` (`docs/oracle.md`)."""

    def expect_valid(self) -> Verdict:
        """This verdict, if the solution is valid; else raises ``InvalidSolution``."""
        if not self.valid:
            raise InvalidSolution(self.violations)
        return self

    @classmethod
    def of(cls, document: Document, model: Optional[str] = None, model_from: Optional[str] = None) -> Verdict:
        """Reads ``verdict`` of a response."""
        return cls(**_judgement(document), model=model, model_from=model_from)


@dataclass(frozen=True)
class Proposal(_Judged):
    """What a heuristic proposes, judged by the verifier; true if it is valid."""

    model: str
    """The model."""
    heuristic: str
    """The heuristic with its parameters."""
    seed: int
    """The seed that it was given."""
    seconds: float
    """Wall-clock seconds of the heuristic alone."""
    solution: Solution
    """What it proposes."""
    document: Document = field(repr=False)
    """All that was answered (`migopt schema proposal`)."""
    model_from: Optional[str] = None
    """Why it is this model, where none was named: ``section``, ``solution`` or ``guess`` (`docs/oracle.md`)."""

    def _repr_html_(self) -> str:
        """The proposal with its picture, for notebooks."""
        about = f"model {self.model}, heuristic {self.heuristic}, seed {self.seed}, {self.seconds:.3f} s"
        verdict = "valid (not proved optimal)" if self.valid else "not valid"
        notes = [str(violation) for violation in self.violations]
        return pictures.page(f"{self.document['instance']}: {verdict}", about, self.stages, notes, self)

    @classmethod
    def of(cls, document: Document, model_from: Optional[str] = None) -> Proposal:
        """Reads ``proposal`` of a response."""
        return cls(
            **_judgement(document),
            model=document["model"],
            heuristic=document["heuristic"],
            seed=document["seed"],
            seconds=float(document["seconds"]),
            solution=cast(Solution, document["solution"]),
            document=document,
            model_from=model_from,
        )


@dataclass(frozen=True, eq=False)
class Gap(float):
    """How far a solution is from the proved optimum, as a number: 0.05 is five percent, 0 the optimum.

    It is |value - optimum| / |optimum| of the first goal in which the two differ, over a millionth where the optimum is 0.
    """

    relative: float
    """The number itself."""
    stage: Optional[str]
    """The first goal in which solution and optimum differ; none where they do not."""
    value: Amount
    """The solution's value of that goal, of the last one where they do not differ."""
    optimum: Amount
    """The optimum's value of the same goal."""
    verdict: Verdict = field(repr=False)
    """The judgement of the solution."""
    result: Result = field(repr=False)
    """The proved optimum."""

    def __new__(cls, relative: float, *_: object, **__: object) -> Gap:
        """The number; the fields beside it are set as of any dataclass."""
        return super().__new__(cls, relative)

    @property
    def optimal_solution(self) -> Solution:
        """An optimal solution."""
        return self.result.solution

    @classmethod
    def of(cls, document: Document, model: Optional[str] = None, model_from: Optional[str] = None) -> Gap:
        """Reads ``gap`` of a response; raises ``InvalidSolution``, ``Infeasible`` or ``NotProved`` where there is none."""
        verdict = Verdict.of(document["verdict"], model, model_from).expect_valid()
        result = Result.of(document["result"], model_from).expect_proved()
        if not document["proved"]:
            raise NotProved(result)
        return cls(
            relative=float(document["relative"]),
            stage=document["stage"],
            value=amount(document["value"]),
            optimum=amount(document["optimum"]),
            verdict=verdict,
            result=result,
        )


@dataclass(frozen=True)
class Truth(_Valued):
    """An instance of the corpus and what is proved about it."""

    model: str
    """The model."""
    name: str
    """Name of the instance, unique in its corpus."""
    family: str
    """What the instance is about; the name without its number."""
    infeasible: bool
    """Whether no solution obeys all rules; there are no goals then."""
    instance: Document = field(repr=False)
    """The instance."""

    @classmethod
    def of(cls, document: Document) -> Truth:
        """Reads a line of `migopt corpus`."""
        return cls(
            stages=_stages(document),
            model=document["model"],
            name=document["name"],
            family=document["family"],
            infeasible=document["infeasible"],
            instance=document["instance"],
        )


def _judgement(document: Document) -> Dict[str, Any]:
    return {
        "stages": _stages(document),
        "valid": document["valid"],
        "violations": tuple(Violation(entry["rule"], entry["message"]) for entry in document["violations"]),
        "score": document.get("score"),
        "metrics": _metrics(document),
    }


def _stages(document: Document) -> Tuple[Stage, ...]:
    def number(stage: Document, key: str) -> Optional[Amount]:
        value = stage.get(key)
        return None if value is None else amount(value)

    return tuple(
        Stage(stage["name"], stage["sense"], number(stage, "value"), number(stage, "bound"))
        for stage in document["stages"]
    )


def _metrics(document: Document) -> Dict[str, float]:
    values = document.get("metrics") or {}
    return {name: value if isinstance(value, int) else float(value) for name, value in values.items()}
