"""Answers of queries as rows: nothing here asks for one, so any process can read them."""

from __future__ import annotations

import io
from collections import namedtuple
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

Row: TypeAlias = Any  # a named tuple of JSON values: its fields are the columns of the query
Values: TypeAlias = list[Any]  # the same without names

_LENGTH_CHARS = 12


@cache
def _row_type(columns: tuple[str, ...]) -> Any:  # a type made from the columns of a query
    """Return the type of a query's rows; a column that is no name is known by its place."""
    return namedtuple("Row", columns, rename=True)  # noqa: PYI024  # its fields are not known before


def rows_in(answer: bytes) -> Iterator[Row]:
    """Return the rows of an answer one by one, each with the names of its columns."""
    lines = io.BytesIO(answer)
    header = lines.readline()
    if not header:
        return iter(())
    make = _row_type(tuple(orjson.loads(header)))._make
    return map(make, map(orjson.loads, lines))


def values_in(answer: bytes) -> Iterator[Values]:
    """Return the rows of an answer one by one as lists, which the caller may change."""
    return map(orjson.loads, io.BytesIO(answer))


def texts_in(answer: bytes) -> Iterator[bytes]:
    """Yield the texts of an answer, each of which comes after its length in twelve digits."""
    at = 0
    while at < len(answer):
        start = at + _LENGTH_CHARS
        at = start + int(answer[at:start])
        yield answer[start:at]
