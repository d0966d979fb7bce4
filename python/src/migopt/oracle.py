"""The oracle: a process of migopt that proves optima, judges solutions and measures gaps."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    Optional,
    Tuple,
    Type,
    Union,
    cast,
    overload,
)

from . import drawing, settings as chosen, solutions
from .answers import Gap, Proposal, Result, Verdict
from .connection import Connection, Request
from .documents import MigratorQuestion, Question, SharingQuestion, SiavashiQuestion, Solution, WpmQuestion
from .errors import BadInput

if TYPE_CHECKING:
    from typing_extensions import Unpack

Instance = Union[Mapping[str, object], str, Path]
"""An instance: the document, its text in YAML or JSON, or the path of its file."""

AnySolution = Union[Solution, Mapping[str, object], str, Path, Result, Proposal]
"""A solution: the document, its text in YAML or JSON, the path of its file, or an answer that holds one.

An answer is judged by the settings of the question that it answers, a document or a text by those of the instance.
"""

_QUESTION_SETTINGS = frozenset(chosen.Settings.__annotations__)
_SOLVE_SETTINGS = frozenset(chosen.SolveSettings.__annotations__)


class Oracle:
    """A process of `migopt oracle`, started at the first question and again when it has ended.

    ``binary`` is the program, else what the environment variable ``MIGOPT_BINARY`` names, else ``migopt`` on PATH. ``jobs``
    requests are answered at a time; answers come in the order of the questions, so that one that takes long holds up those
    asked after it, by other threads, too. ``model`` and the settings hold for every question that does not say otherwise.

    It can be used by several threads. After a fork the child starts a process of its own.
    """

    def __init__(
        self,
        binary: Optional[Union[str, os.PathLike[str]]] = None,
        *,
        jobs: int = 1,
        model: Optional[str] = None,
        **settings: Unpack[chosen.SolveSettings],
    ) -> None:
        chosen.check(settings, _SOLVE_SETTINGS)
        self._connection = Connection(binary, jobs)
        self._defaults: Dict[str, object] = {"model": model, **settings}

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process; questions that wait for an answer raise ``OracleFailed``."""
        self._connection.close()

    # One question.

    def solve(
        self, instance: Instance, *, model: Optional[str] = None, **settings: Unpack[chosen.SolveSettings]
    ) -> Result:
        """The proved optimum, or a solution proved to be within ``relative_gap`` of it.

        Raises ``Infeasible`` where there is none, and ``NotProved``, with the best solution and its bounds, at a limit.
        """
        return self.answer(instance, model=model, **settings).expect_proved()

    def solve_file(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.SolveSettings],
    ) -> Result:
        """As ``solve``, for the instance in a file."""
        return self.solve(Path(path), model=model, **settings)

    def answer(
        self, instance: Instance, *, model: Optional[str] = None, **settings: Unpack[chosen.SolveSettings]
    ) -> Result:
        """As ``solve``, but "infeasible" and what is known at a limit are answers, too: see ``status``."""
        request = self._request("solve", instance, model, settings)
        response = self._connection.ask(request)
        return Result.of(response["result"], response.get("model_from"))

    def verify(
        self,
        instance: Instance,
        solution: AnySolution,
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> Verdict:
        """What a solution is worth by the rules alone, or which of them it breaks."""
        request = self._judgement("verify", instance, solution, model, settings)
        response = self._connection.ask(request)
        return Verdict.of(response["verdict"], **_taken(response))

    def gap(
        self,
        instance: Instance,
        solution: AnySolution,
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.SolveSettings],
    ) -> Gap:
        """How far a solution is from the proved optimum.

        Raises ``InvalidSolution`` if it breaks a rule, and ``NotProved`` if a limit came before the proof.
        """
        request = self._judgement("gap", instance, solution, model, settings)
        response = self._connection.ask(request)
        return Gap.of(response["gap"], **_taken(response))

    def heuristic(
        self,
        instance: Instance,
        name: str,
        *,
        seed: int = 0,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> Proposal:
        """What one of migopt's heuristics proposes: ``"first-fit"``, ``"grmu:consolidate=yes"``; `migopt list heuristics`."""
        request = self._request("heuristic", instance, model, settings, heuristic=name, seed=seed)
        response = self._connection.ask(request)
        return Proposal.of(response["proposal"], response.get("model_from"))

    @overload
    def question(
        self, instance: Instance, *, seed: int = 0, model: Literal["wpm"], **settings: Unpack[chosen.Settings]
    ) -> WpmQuestion: ...

    @overload
    def question(
        self, instance: Instance, *, seed: int = 0, model: Literal["siavashi"], **settings: Unpack[chosen.Settings]
    ) -> SiavashiQuestion: ...

    @overload
    def question(
        self, instance: Instance, *, seed: int = 0, model: Literal["sharing"], **settings: Unpack[chosen.Settings]
    ) -> SharingQuestion: ...

    @overload
    def question(
        self, instance: Instance, *, seed: int = 0, model: Literal["migrator"], **settings: Unpack[chosen.Settings]
    ) -> MigratorQuestion: ...

    @overload
    def question(
        self, instance: Instance, *, seed: int = 0, model: Optional[str] = None, **settings: Unpack[chosen.Settings]
    ) -> Question: ...

    def question(
        self, instance: Instance, *, seed: int = 0, model: Optional[str] = None, **settings: Unpack[chosen.Settings]
    ) -> Question:
        """The instance as a heuristic needs it: replicas expanded, boards, costs and roles resolved."""
        request = self._request("question", instance, model, settings, seed=seed)
        return cast(Question, self._connection.ask(request)["question"])

    # Many questions: the next ones are sent while the first are answered. Answers come in the order of the questions.

    def solve_many(
        self, instances: Iterable[Instance], *, model: Optional[str] = None, **settings: Unpack[chosen.SolveSettings]
    ) -> Iterator[Result]:
        """The proved optimum of each instance; raises as ``solve`` does at the first that has none."""
        return (result.expect_proved() for result in self.answer_many(instances, model=model, **settings))

    def answer_many(
        self, instances: Iterable[Instance], *, model: Optional[str] = None, **settings: Unpack[chosen.SolveSettings]
    ) -> Iterator[Result]:
        """The answer to each instance, as ``answer`` gives it."""
        requests = (self._request("solve", instance, model, settings) for instance in instances)
        responses = self._connection.pipeline(requests)
        return (Result.of(response["result"], response.get("model_from")) for response in responses)

    def gap_many(
        self,
        pairs: Iterable[Tuple[Instance, AnySolution]],
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.SolveSettings],
    ) -> Iterator[Gap]:
        """The gap of each solution to the optimum of its instance; raises as ``gap`` does."""
        requests = (self._judgement("gap", instance, solution, model, settings) for instance, solution in pairs)
        return (Gap.of(response["gap"], **_taken(response)) for response in self._connection.pipeline(requests))

    # Solutions.

    def placement(
        self,
        instance: Union[Instance, Question],
        places: Mapping[str, Tuple[str, int]],
        *,
        repartitioned: Optional[Iterable[str]] = None,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> Solution:
        """The solution that places workloads on GPUs, each at the first memory slot of its GPU instance (wpm, siavashi)::

            placement(instance, {"chat": ("gpu-0", 4), "embed#1": ("gpu-1", 0)})

        Who is not named has no place. ``repartitioned`` GPUs are by default those
        with which the placement is worth most (wpm).
        """
        return solutions.placement_of(self._posed(instance, model, settings), places, repartitioned)

    def packing(
        self,
        instance: Union[Instance, Question],
        servers: Mapping[str, Iterable[str]],
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> Solution:
        """The solution that packs virtual machines onto servers (sharing)::

            packing(instance, {"small-0": ["desk#0", "desk#1"], "large": ["build"]})
        """
        return solutions.packing_of(self._posed(instance, model, settings), servers)

    def plan(
        self,
        instance: Union[Instance, Question],
        tasks: Mapping[str, solutions.Task],
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> Solution:
        """The solution that plans a window of time; ``runs`` makes runs of slots from single ones (migrator)::

            plan(instance, {"chat": Task(inference=[(0, 6, ["1g", "1g"])], retraining=("2g", 0, 3))})
        """
        return solutions.plan_of(self._posed(instance, model, settings), tasks)

    def draw(
        self,
        instance: Union[Instance, Question],
        solution: AnySolution,
        *,
        model: Optional[str] = None,
        **settings: Unpack[chosen.Settings],
    ) -> str:
        """A solution as text: what is on each GPU or server, or what each model has when."""
        document = _document_of(solution)
        if not isinstance(document, Mapping):
            return document
        question = self._posed(instance, model or _model_of(document), settings)
        return drawing.drawing(question, cast(Solution, document.get("solution") or document))

    # How it is asked.

    def _posed(
        self, instance: Union[Instance, Question], model: Optional[str], settings: chosen.Settings
    ) -> Question:
        if isinstance(instance, Mapping) and "seed" in instance and isinstance(instance.get("instance"), Mapping):
            return cast(Question, instance)
        return self.question(instance, model=model, **settings)

    def _request(
        self, task: str, instance: Instance, model: Optional[str], settings: Mapping[str, object], **more: object
    ) -> Request:
        allowed = _SOLVE_SETTINGS if task in ("solve", "gap") else _QUESTION_SETTINGS
        chosen.check(settings, allowed)
        defaults = {name: value for name, value in self._defaults.items() if name == "model" or name in allowed}
        asked = {**defaults, **settings, **({} if model is None else {"model": model})}
        given = {name: value for name, value in asked.items() if value is not None}
        if "warm_start" in given:
            given["warm_start"] = _start(cast(AnySolution, given["warm_start"]))
        return {"task": task, "instance": _text_or_document(instance), **given, **more}

    def _judgement(
        self,
        task: str,
        instance: Instance,
        solution: AnySolution,
        model: Optional[str],
        settings: Mapping[str, object],
    ) -> Request:
        document = _document_of(solution)
        return self._request(task, instance, model or _model_of(document), settings, solution=document)


def _text_or_document(instance: Instance) -> object:
    if isinstance(instance, Path):
        return _text(instance)
    if isinstance(instance, str) and "\n" not in instance and instance.endswith((".yaml", ".yml", ".json")):
        raise BadInput(f"{instance!r} is the name of a file, not its text. Give pathlib.Path({instance!r}), or use solve_file.")
    return instance


def _document_of(solution: AnySolution) -> Union[Mapping[str, object], str]:
    if isinstance(solution, (Result, Proposal)):
        return solution.document
    return _text(solution) if isinstance(solution, Path) else solution


def _start(start: AnySolution) -> Union[Mapping[str, object], str]:
    """What the solver starts from, where a text may be the name of a heuristic."""
    if isinstance(start, str) and "\n" not in start and start.endswith((".yaml", ".yml", ".json")):
        raise BadInput(f"{start!r} is the name of a file. Give pathlib.Path({start!r}).")
    return _document_of(start)


def _taken(response: Mapping[str, Any]) -> Dict[str, Any]:
    """The model that was taken where none was named, and why."""
    return {"model": response.get("model"), "model_from": response.get("model_from")}


def _model_of(document: Union[Mapping[str, object], str]) -> Optional[str]:
    """The model that a solution or an answer names."""
    model = document.get("model") if isinstance(document, Mapping) else None
    return model if isinstance(model, str) else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
