"""Fills in queries: SQL conditions that replace a ``{name}``, and parameters for the driver.

A query file has ``WHERE {reach} AND {filter}``. A condition has a text, which is built only from
our own declarations, and the values of its parameters. A placeholder that is not replaced is a
syntax error, so no query can run without its condition.
"""

from __future__ import annotations

import io
import re
from collections import namedtuple
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import orjson

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


FILTERS = "additional_table_filters"
"""The setting that hides rows from a query without changing its text."""


class Condition(NamedTuple):
    """A condition as SQL, with the values of its parameters."""

    text: str
    values: Mapping[str, object]


def within(reach: Reach) -> Condition:
    """Return the condition that a row's project is one of the projects in ``reach``.

    A single project is compared with a constant, so that rows are read in the order of the table.
    """
    if reach.is_every:
        return Condition("true", {})
    if len(reach.projects) == 1:
        return Condition("Project = {reach_project:String}", {"reach_project": min(reach.projects)})
    return Condition(
        "Project IN JSONExtract({reach_projects:String}, 'Array(String)')",
        {"reach_projects": sorted(reach.projects)},
    )


def without(condition: Condition, projects: Sequence[str]) -> Condition:
    """Return the given condition, extended so that it excludes rows of these projects."""
    others = "Project NOT IN JSONExtract({other_projects:String}, 'Array(String)')"
    values = {**condition.values, "other_projects": list(projects)}
    return Condition(f"({condition.text} AND {others})", values)


def both(one: Condition, other: Condition) -> Condition:
    """Return the conjunction of two conditions."""
    return Condition(f"({one.text}) AND ({other.text})", {**one.values, **other.values})


def fill_in(text: str, parameters: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the query with its conditions, and the values of all its parameters."""
    values: dict[str, object] = {}
    for name, value in parameters.items():
        if isinstance(value, Condition):
            text = text.replace(f"{{{name}}}", value.text)
            values.update(value.values)
        else:
            values[name] = value
    return text, values


def filtered(text: str, conditions: Mapping[str, str]) -> str:
    """Return the query with a setting that hides rows that fail their table's condition."""
    if not conditions:
        return text
    by_table = ", ".join(f"{quoted(table)}: {quoted(c)}" for table, c in conditions.items())
    joint = "," if _SETTINGS.search(text) else "\nSETTINGS"
    return f"{text}{joint} {FILTERS} = {{{by_table}}}"


_SETTINGS = re.compile(r"^SETTINGS .*\Z", re.MULTILINE)
"""Matches the last line of a query that has its own settings."""


def quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def identifier(name: str) -> str:
    """Return a name as an SQL identifier."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        return name
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


Key = TypeVar("Key", bound=Hashable)

KEYS_PER_QUERY = 2_000
"""The most keys in one query; the engine parses lists above a megabyte (24,000 keys) repeatedly."""


def bind(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters for the driver; a list becomes a ``String`` of JSON.

    The query reads it by ``JSONExtract({name:String}, 'Array(…)')``.
    """
    return {
        name: _JsonList(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }


def batched(keys: Sequence[Key], most: int = KEYS_PER_QUERY) -> Iterable[list[Key]]:
    """Split the distinct keys into lists that fit into one query's parameters."""
    unique = list(dict.fromkeys(keys))
    return (unique[i : i + most] for i in range(0, len(unique), most))


class _JsonList:
    """A list with its own text form, because the driver calls ``str`` for unknown types."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[object]) -> None:
        self._values = values

    def __str__(self) -> str:
        """Return the list as JSON, without control characters, escaped like TSV as a parameter."""
        text = orjson.dumps(self._values, default=tuple).decode()  # writes named tuples as lists
        return text.replace("\\", "\\\\")


Row: TypeAlias = Any  # a named tuple of JSON values, with the columns of the query as fields
Values: TypeAlias = list[Any]  # a list of JSON values, in the order of the columns

_LENGTH_CHARS = 12


@cache
def _row_type(columns: tuple[str, ...]) -> Any:  # a type made from the columns of a query
    """Return the type of a query's rows; a column without a valid name is accessed by position."""
    return namedtuple("Row", columns, rename=True)  # noqa: PYI024  # its fields are not known before


def rows_in(answer: bytes) -> Iterator[Row]:
    """Return the rows of a response one by one, each with the names of its columns."""
    lines = io.BytesIO(answer)
    header = lines.readline()
    if not header:
        return iter(())
    make = _row_type(tuple(orjson.loads(header)))._make
    return map(make, map(orjson.loads, lines))


def values_in(answer: bytes) -> Iterator[Values]:
    """Return the rows of a response one by one as lists, which the caller may change."""
    return map(orjson.loads, io.BytesIO(answer))


def texts_in(answer: bytes) -> Iterator[bytes]:
    """Yield the texts of a response, each preceded by its length in twelve digits."""
    at = 0
    while at < len(answer):
        start = at + _LENGTH_CHARS
        at = start + int(answer[at:start])
        yield answer[start:at]


def reach_columns(reach: Reach) -> dict[str, object]:
    """Return a reach as columns by name: ``{"EveryProject": False, "Projects": ["a", "b"]}``."""
    return {"EveryProject": reach.is_every, "Projects": sorted(reach.projects)}


def reach_of(row: Row) -> Reach:
    """Return the reach from a row's columns."""
    return Reach(frozenset(row.Projects), is_every=bool(row.EveryProject))
