"""Numbers and documents without rounding.

migopt counts in decimal numbers with at most six digits after the point. Whole ones are ``int`` here, the others
``decimal.Decimal``; measured seconds, metrics and relative gaps are ``float``.
"""

from __future__ import annotations

import json
import numbers
from decimal import Decimal
from typing import Any, Mapping, Optional, Union

from .errors import BadInput

Amount = Union[int, Decimal]
"""An exact number."""


def amount(value: int | Decimal | str) -> Amount:
    """The exact number that a document holds; very large ones with decimals are strings there."""
    exact = Decimal(value)
    return int(exact) if exact == exact.to_integral_value() else exact


def grouped(number: Optional[Amount]) -> str:
    """The number with its thousands separated; nothing where there is none."""
    return "" if number is None else f"{number:,}"


def loads(text: str | bytes) -> Any:
    """Reads a document; numbers that are not whole become ``Decimal``."""
    return json.loads(text, parse_float=Decimal)


def dumps(document: object) -> str:
    """Writes a document in one line: also with ``Decimal`` and numpy's numbers, mappings other than ``dict``, tuples.

    Raises ``BadInput`` for what is no document.
    """
    try:
        return json.dumps(document, default=_plain, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"this cannot be written as JSON: {error}") from error


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        rounded = float(value)
        # A string where a JSON number would round, as migopt writes it, too.
        return rounded if Decimal(repr(rounded)) == value else format(value, "f")
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")
