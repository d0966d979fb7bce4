"""Sweeps: every method on every instance, as `migopt bench` makes them."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Dict, Iterable, List, Mapping, Optional, Union

from . import exact
from .binary import find_binary
from .command import failure, run
from .documents import Question, Solution
from .functions import Functions

if TYPE_CHECKING:
    import pandas

Method = Union[str, Callable[[Question], Solution]]
"""A method of a sweep: the name of one, as the flag ``--method`` takes it, or a function from a question to a solution."""

SweepInstance = Union[Mapping[str, object], str, Path]
"""Instances of a sweep: a document, or the path of a file or of a folder."""

Cell = Union[int, float, str, None]
"""A field of a row."""

_TEXTS = frozenset(
    ["model", "question", "family", "instance", "path", "fingerprint", "method", "outcome", "reason", "optimum", "gap_stage"]
)
_STOPPED = 4


@dataclass(frozen=True)
class Sweep:
    """The rows of a sweep, one for each instance, method and seed."""

    folder: Path
    """The sweep's folder."""
    complete: bool
    """Whether all rows are there; where they are not, the same call resumes."""
    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What methods are called in rows and frames, where it is not what the sweep calls them: functions have their own names."""

    def rows(self) -> List[Dict[str, Cell]]:
        """The rows with their gaps to the optimum, flat: each column of `migopt report FOLDER --output FILE.csv` by name."""
        with tempfile.TemporaryDirectory(prefix="migopt-") as scratch:
            path = Path(scratch, "rows.csv")
            run(["report", str(self.folder), "--output", str(path)])
            with path.open(encoding="utf-8", newline="") as file:
                rows = [{name: _cell(name, text) for name, text in line.items()} for line in csv.DictReader(file)]
        for row in rows:
            row["method"] = self.names.get(str(row["method"]), row["method"])
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a data frame of pandas; raises ``ImportError`` where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame needs pandas, which is not installed: pip install pandas. `rows()` does without.") from error
        return pandas.DataFrame(self.rows())

    def report(self, file: Union[str, os.PathLike[str], None] = None) -> str:
        """The report as Markdown. With ``file`` it is also written there, in the format of its ending: .html, .md or .csv."""
        if file is not None:
            run(["report", str(self.folder), "--output", os.fspath(file)])
        return run(["report", str(self.folder)])

    def _repr_markdown_(self) -> str:
        """The report, for notebooks."""
        return self.report()


def bench(
    instances: Union[SweepInstance, Iterable[SweepInstance]] = (),
    methods: Optional[Iterable[Method]] = None,
    *,
    output: Union[str, os.PathLike[str]],
    generate: Union[str, Iterable[str]] = (),
    model: Optional[str] = None,
    seeds: Optional[Iterable[int]] = None,
    jobs: int = 1,
    time_limit: Optional[float] = None,
    remake: Iterable[Method] = (),
    flags: Iterable[str] = (),
) -> Sweep:
    """Runs every method on every instance and keeps the rows in the folder ``output``; what is there already is not made again.

    ``instances`` are files, folders and documents; ``generate`` draws more, such as ``"wpm:gpus=8,count=20,seed=1"``. Without
    ``methods`` these are the optimum and all heuristics of the model. A function among them gets each question (`question`) and
    returns a solution (`placement`, `packing`, `plan`); it runs in threads of this process, up to ``jobs`` at a time, and cannot be
    stopped at ``time_limit`` seconds, when its row fails. Its rows are made again when its module changes; those of the
    methods in ``remake`` are in any case. ``flags`` are more flags of `migopt bench`.

    Raises ``BadInput`` for what `migopt bench` refuses. After Ctrl-C the same call resumes.
    """
    folder = Path(output)
    given = [instances] if isinstance(instances, (Mapping, str, Path)) else list(instances)
    chosen = list(methods or ())
    arguments = ["bench", *_paths(given, folder), "--output", str(folder), "--jobs", str(jobs)]
    for specification in [generate] if isinstance(generate, str) else generate:
        arguments += ["--generate", specification]
    if model is not None:
        arguments += ["--model", model]
    if seeds is not None:
        arguments += ["--seeds", ",".join(str(seed) for seed in seeds)]
    if time_limit is not None:
        arguments += ["--time-limit", str(time_limit)]
    if not sys.stderr.isatty():
        arguments.append("--quiet")
    functions = Functions((method for method in chosen if callable(method)), folder / "functions")
    with functions as environment:
        for flag, methods_of_flag in (("--method", chosen), ("--remake", list(remake))):
            for method in methods_of_flag:
                arguments += [flag, method if isinstance(method, str) else functions.method_of(method)]
        code = _watch([str(find_binary()), *arguments, *flags], environment)
    return Sweep(folder, code == 0, functions.names)


def _paths(instances: Iterable[SweepInstance], folder: Path) -> List[str]:
    """The paths, and that of a file which has the documents."""
    paths, documents = [], []
    for instance in instances:
        if isinstance(instance, Mapping):
            documents.append(exact.dumps(instance) + "\n")
        else:
            paths.append(str(instance))
    if documents:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "given.jsonl"
        file.write_text("".join(documents), encoding="utf-8")
        paths.append(str(file))
    return paths


def _watch(command: List[str], environment: Mapping[str, str]) -> int:
    """Runs a sweep. An interruption of this process stops it in its own way, with all finished rows kept."""
    errors = None if sys.stderr.isatty() else subprocess.PIPE
    sweep = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,  # the terminal's Ctrl-C is for this process alone, which passes it on once
    )
    try:
        _, words = sweep.communicate()
    except BaseException:
        sweep.send_signal(signal.SIGINT)
        sweep.wait()
        raise
    if sweep.returncode in (0, _STOPPED):
        return sweep.returncode
    raise failure(sweep.returncode, words)


def _cell(column: str, text: str) -> Cell:
    if column in _TEXTS or not text:
        return text or None
    try:
        return int(text)
    except ValueError:
        return float(text)
