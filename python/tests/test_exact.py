"""Numbers and documents keep their value on the way."""

from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from types import MappingProxyType

import pytest
from migopt import exact
from migopt.errors import BadInput


def test_amounts_are_read_exactly() -> None:
    assert [exact.amount(value) for value in (7, Decimal("0.1"), "9007199254740993.000001", Decimal("4.0"))] == [
        7,
        Decimal("0.1"),
        Decimal("9007199254740993.000001"),
        4,
    ]
    assert isinstance(exact.amount(Decimal("4.0")), int)
    assert exact.loads('{"a": 219.2, "b": 12345678901234567890}') == {"a": Decimal("219.2"), "b": 12345678901234567890}


@pytest.mark.parametrize("number", ["0.1", "219.2", "0.000001", "123456789.123456", "-7.5"])
def test_decimals_that_a_json_number_holds_are_numbers(number: str) -> None:
    assert exact.loads(exact.dumps([Decimal(number)])) == [Decimal(number)]


def test_decimals_that_a_json_number_would_round_are_texts() -> None:
    assert exact.dumps(Decimal("9007199254740993.000001")) == '"9007199254740993.000001"'


def test_other_mappings_and_numbers_are_written() -> None:
    class Whole(int):
        """As numpy has them, a number of its own."""

    document = MappingProxyType({"a": OrderedDict(b=(1, Whole(2))), "c": MappingProxyType({})})
    assert exact.dumps(document) == '{"a":{"b":[1,2]},"c":{}}'


def test_numbers_of_other_libraries_are_written() -> None:
    from fractions import Fraction

    assert exact.dumps([Fraction(1, 2)]) == "[0.5]"


def test_what_is_no_document_is_refused() -> None:
    circle: list[object] = []
    circle.append(circle)
    for value in (float("nan"), {1, 2}, circle, {"a": object()}):
        with pytest.raises(BadInput, match="cannot be written as JSON"):
            exact.dumps(value)
