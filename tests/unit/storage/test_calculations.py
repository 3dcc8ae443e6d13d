"""Calculations in a ``where`` are translated to SQL."""

from __future__ import annotations

from spanloom.core.query.where.parser import parse_where
from spanloom.storage.where.compile import passing


def test_nested_divisions_are_in_the_text_once() -> None:
    """SQL that repeated each divisor would double in length with each nested division."""
    depth = 30
    where = "tokens / (" * depth + "steps" + ")" * depth + " > 2"
    assert passing(parse_where(where, now_ns=0)).text.count("nullIf") == depth


def test_each_number_is_a_parameter() -> None:
    condition = passing(parse_where("cost * 2 + 0.5 > 3 and duration > 2s * steps", now_ns=0))
    assert list(condition.values.values()) == [2.0, 0.5, 3.0, 2e9]
    assert "isNotNull(Cost)" in condition.text
