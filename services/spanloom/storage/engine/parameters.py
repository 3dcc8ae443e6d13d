"""Converts query parameters for the driver, and its answers to rows."""

from __future__ import annotations

import io
from collections import namedtuple
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import orjson

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


Key = TypeVar("Key", bound=Hashable)

KEYS_PER_QUERY = 2_000
"""From a megabyte on, some 24,000 keys, the engine parses a list again and again."""


def bind(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters for the driver; a list becomes a ``String`` of JSON.

    The query reads it by ``JSONExtract({name:String}, 'Array(…)')``.
    """
    return {
        name: _JsonList(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }


def batched(keys: Sequence[Key], most: int = KEYS_PER_QUERY) -> Iterable[list[Key]]:
    """Cut keys into lists that fit into one query's parameters, each key once."""
    unique = list(dict.fromkeys(keys))
    return (unique[i : i + most] for i in range(0, len(unique), most))


class _JsonList:
    """A list with its own text form: the driver uses ``str`` of any object it does not know."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[object]) -> None:
        self._values = values

    def __str__(self) -> str:
        """Return JSON, which has no control characters, escaped as parameters are: like TSV."""
        text = orjson.dumps(self._values, default=tuple).decode()  # named tuples are tuples here
        return text.replace("\\", "\\\\")


Row: TypeAlias = Any  # a named tuple of JSON values: its fields are the columns of the query
Values: TypeAlias = list[Any]  # the same without names

_LENGTH_CHARS = 12


@cache
def _row_type(columns: tuple[str, ...]) -> Any:  # a type made from the columns of a query
    """Return the type of a query's rows; a column without a valid name is accessed by position."""
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
    """Yield the texts of an answer, each preceded by its length in twelve digits."""
    at = 0
    while at < len(answer):
        start = at + _LENGTH_CHARS
        at = start + int(answer[at:start])
        yield answer[start:at]


def reach_columns(reach: Reach) -> dict[str, object]:
    """Return the columns by name: ``{"EveryProject": False, "Projects": ["a", "b"]}``."""
    return {"EveryProject": reach.is_every, "Projects": sorted(reach.projects)}


def reach_of(row: Row) -> Reach:
    """Return the reach that a row's columns hold."""
    return Reach(frozenset(row.Projects), is_every=bool(row.EveryProject))
