"""Answers and instances as pictures, as `migopt show --picture` draws them, and as notebooks show them."""

from __future__ import annotations

import base64
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Iterable, List, Mapping, Union

from . import exact
from .command import run

if TYPE_CHECKING:
    from .answers import Proposal, Result, Stage


def picture(drawn: Union[Result, Proposal, Mapping[str, object], str, Path]) -> str:
    """The picture of an answer's solution as SVG; or of what runs now in an instance: a document, its text, or a path."""
    content = drawn if isinstance(drawn, (str, Path, Mapping)) else drawn.document
    with tempfile.TemporaryDirectory(prefix="migopt-") as scratch:
        file = content if isinstance(content, Path) else Path(scratch, "drawn.yaml")
        if not isinstance(content, Path):
            file.write_text(content if isinstance(content, str) else exact.dumps(content), encoding="utf-8")
        target = Path(scratch, "picture.svg")
        run(["show", str(file), "--picture", str(target)])
        return target.read_text(encoding="utf-8")


def page(title: str, about: str, stages: Iterable[Stage], notes: Iterable[str], drawn: Union[Result, Proposal, None]) -> str:
    """An answer as a piece of HTML: what it says, its goals, and its picture."""
    parts = [f"<p><strong>{escape(title)}</strong><br>{escape(about)}</p>", _table(stages)]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    if drawn is not None:
        # As an image, so that its style sheet and its names stay apart from the notebook's.
        image = base64.b64encode(picture(drawn).encode()).decode()
        parts.append(f'<img alt="{escape(title)}" style="max-width: 100%" src="data:image/svg+xml;base64,{image}">')
    return "\n".join(part for part in parts if part)


def _table(stages: Iterable[Stage]) -> str:
    rows: List[str] = []
    for stage in stages:
        numbers = "".join(f'<td style="text-align: right">{exact.grouped(number)}</td>' for number in (stage.value, stage.bound))
        rows.append(f"<tr><td>{escape(stage.name)}</td><td>{escape(stage.sense)}</td>{numbers}</tr>")
    if not rows:
        return ""
    return f"<table><tr><th>goal</th><th></th><th>value</th><th>bound</th></tr>{''.join(rows)}</table>"
