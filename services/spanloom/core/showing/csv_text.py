"""Writes rows as CSV (RFC 4180): null is empty, lists and objects are JSON; no formulas."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable

_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Return one line for each row of values; pass the column names as the first row."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _harmless(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)  # with all its digits
    return orjson.dumps(value).decode()  # a float, boolean, list or object: never a formula


def _harmless(text: str) -> str:
    """Return a text that no spreadsheet evaluates: ``=1+1`` gets a leading apostrophe.

    ``'=1+1`` gets another apostrophe, so that removing one always restores the text.
    """
    return f"'{text}" if text.lstrip("'").startswith(_BEGINS_A_FORMULA) else text
