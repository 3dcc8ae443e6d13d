"""Reads rows of ``trajectory_list`` as runs: the columns, and the conversion of each."""

from __future__ import annotations

from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from spanloom.core.query.lists import ListedRun
from spanloom.core.records.declared import Stored, StoredCounts, Timed
from spanloom.core.records.run import RUN, Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.records.declaration import Declared
    from spanloom.storage.engine.parameters import Row

_INTERNAL = ("IsWaiting", "IsResuming")
_COLUMNS = {field.name: s.column for field in RUN.fields if (s := field.find(Stored))}
_COUNTS = {
    field.name: {
        key: other.stored.column
        for key, other in counts.columns.items()
        if isinstance(other.stored, Stored)
    }
    for field in RUN.fields
    if (counts := field.find(StoredCounts))
}
_BLANK = {field.name: field.info.get_default(call_default_factory=True) for field in RUN.fields}
"""The fields in order; a field without a column keeps this value."""
_NAMES = tuple(_COLUMNS)
_take = attrgetter(*_COLUMNS.values())
_take_counts = {name: attrgetter(*columns.values()) for name, columns in _COUNTS.items()}


def run_columns() -> str:
    """Return the SELECT list for a run."""
    counts = (column for columns in _COUNTS.values() for column in columns.values())
    return ", ".join((*_COLUMNS.values(), *counts, *_INTERNAL))


def listed_run(row: Row) -> ListedRun:
    """Return a row with these columns, and ``Rank``, as a line of a list."""
    return ListedRun(
        run_of(row), row.StartTimeUnixNano, tuple(row.Rank), row.IsWaiting, row.IsResuming
    )


def run_of(row: Row) -> Run:
    """Return a row with these columns as a run."""
    values: dict[str, Any] = {**_BLANK, **dict(zip(_NAMES, _take(row), strict=True))}
    for name, convert in _CONVERSIONS:
        values[name] = convert(values[name])
    for name, take in _take_counts.items():
        values[name] = dict(zip(_COUNTS[name], take(row), strict=True))
    return Run.trusted(values)


def _conversion(field: Declared) -> Callable[[Any], Any] | None:
    """Return the conversion of a column's value to its field; ``None`` if there is none."""
    if field.find(Timed):
        return _milliseconds
    if isinstance(field.kind, type) and issubclass(field.kind, Enum):
        return {str(one.value): one for one in field.kind}.__getitem__
    if field.is_optional and field.kind is str:
        return _text_or_none
    return None


def _milliseconds(nanoseconds: int) -> int:
    return nanoseconds // 1_000_000


def _text_or_none(text: str) -> str | None:
    return text or None


_CONVERSIONS = [
    (field.name, convert)
    for field in RUN.fields
    if field.name in _COLUMNS and (convert := _conversion(field))
]
