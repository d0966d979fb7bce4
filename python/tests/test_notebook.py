"""What notebooks show of answers."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree
from typing import Union

import migopt
import pytest

INSTANCE = """
name: <two> & more
gpus: [{name: gpu, board: A30, count: 2}]
workloads: [{name: chat, profile: 2g.12gb, current: {gpu: gpu-1, start: 0}}, {name: code, profile: 2g.12gb}]
"""
IMPOSSIBLE = """
name: too-much
gpus: [{name: gpu, board: A30}]
workloads: [{name: chat, profile: 4g.24gb}, {name: code, profile: 4g.24gb}]
wpm: {place_all: true}
"""


def shown(answer: Union[migopt.Result, migopt.Proposal]) -> str:
    """The HTML by which IPython shows an answer."""
    from IPython.core.formatters import HTMLFormatter

    html = HTMLFormatter()(answer)
    assert isinstance(html, str)
    return html


def drawing_in(html: str) -> str:
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
    assert found is not None
    return base64.b64decode(found[1]).decode()


def test_an_answer_shows_its_proof_its_goals_and_its_picture() -> None:
    html = shown(migopt.solve(INSTANCE))
    assert "&lt;two&gt; &amp; more: optimal (proved)" in html
    value = f"{migopt.solve(INSTANCE).value:,}"
    assert html.count(f">{value}<") == 2, "value and bound"
    svg = drawing_in(html)
    assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")
    assert "chat" in svg and "code" in svg


def test_a_proposal_shows_that_it_is_not_proved() -> None:
    html = shown(migopt.heuristic(INSTANCE, "first-fit"))
    assert "valid (not proved optimal)" in html
    assert "heuristic first-fit" in html
    assert "gpu-1" in drawing_in(html)


def test_infeasible_says_why_and_has_no_picture() -> None:
    result = migopt.answer(IMPOSSIBLE)
    html = shown(result)
    assert "too-much: infeasible (proved)" in html
    assert result.reason is not None and result.reason[:20] in html
    assert "<img" not in html


@pytest.mark.parametrize("model", ["siavashi", "sharing", "migrator"])
def test_every_model_has_a_picture(model: str) -> None:
    truth = next(truth for truth in migopt.corpus(model) if not truth.infeasible)
    assert drawing_in(shown(migopt.solve(truth.instance, model=model))).startswith("<svg")


def test_an_instance_has_a_picture() -> None:
    assert "chat" in migopt.picture(INSTANCE)
    with pytest.raises(migopt.BadInput):
        migopt.picture({"gpus": 3})
