"""Rows as CSV (RFC 4180): null is empty, a list or an object is JSON, nothing is a formula."""

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
    """Return a line for each row of values; the names of the columns are such a row too."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _harmless(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)  # however many digits it has
    return orjson.dumps(value).decode()  # a number, a truth, a list: never a formula


def _harmless(text: str) -> str:
    """Return a text that no spreadsheet runs: ``=1+1`` gets an apostrophe before it.

    So does ``'=1+1``, so that who takes one away again has the text as it was.
    """
    return f"'{text}" if text.lstrip("'").startswith(_BEGINS_A_FORMULA) else text
