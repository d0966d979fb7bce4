"""The corpus: small instances, from trivial to tricky, whose optima are proved by several methods."""

from __future__ import annotations

import functools
import subprocess
from typing import TYPE_CHECKING, Iterable, List, Optional

from . import exact
from .answers import Truth
from .binary import find_binary
from .errors import BadInput

if TYPE_CHECKING:
    from pytest import MarkDecorator


def corpus(model: str, *, families: Optional[Iterable[str]] = None) -> List[Truth]:
    """The instances of a model with what is proved about them, in the order of `migopt corpus`.

    With ``families`` only those of these families; raises ``BadInput`` for a family that there is not.
    """
    truths = [Truth.of(exact.loads(line)) for line in _lines(str(find_binary()), model).splitlines()]
    if families is None:
        return truths
    wanted, known = set(families), {truth.family for truth in truths}
    if wanted - known:
        unknown = ", ".join(sorted(wanted - known))
        raise BadInput(f"the corpus of {model} has no family {unknown}; it has {', '.join(sorted(known))}")
    return [truth for truth in truths if truth.family in wanted]


def over_corpus(model: str, *, families: Optional[Iterable[str]] = None, argument: str = "truth") -> MarkDecorator:
    """Runs a test once for each instance of the corpus, given as its argument ``truth``::

        @migopt.over_corpus("sharing")
        def test_my_heuristic(truth: migopt.Truth) -> None:
            ...
    """
    import pytest

    truths = corpus(model, families=families)
    return pytest.mark.parametrize(argument, truths, ids=[truth.name for truth in truths])


@functools.lru_cache(maxsize=None)
def _lines(binary: str, model: str) -> str:
    # The text is kept, not what it holds: whoever changes an instance changes no other test's.
    printed = subprocess.run([binary, "corpus", model], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if printed.returncode != 0:
        raise BadInput(printed.stderr.strip())
    return printed.stdout
