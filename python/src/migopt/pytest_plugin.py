"""What the tests of a heuristic find in pytest once this package is installed."""

from __future__ import annotations

from typing import Iterator

import pytest

from .oracle import Oracle


@pytest.fixture(scope="session")
def migopt_oracle() -> Iterator[Oracle]:
    """An oracle of its own for the whole session, ended with it."""
    with Oracle() as oracle:
        yield oracle
