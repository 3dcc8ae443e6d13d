"""Columns made from rows; their names and types come from the model of an item.

Nested values are flattened: ``step_counts.model`` and ``last_run.status`` are columns. A field that
a newer service adds is a column too, serialized as JSON if it is neither text nor a number. ::

    started_at      moment    nanoseconds since the epoch, in UTC
    duration        whole     milliseconds
    tags            texts     a list
"""

from __future__ import annotations

from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import orjson

from spanloom.core.records.declared import Timed
from spanloom.core.records.record import bare_type, is_record, timed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    Row = Mapping[str, Any]  # parsed JSON


class Kind(Enum):
    """The type of a column."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    TRUTH = "truth"
    MOMENT = "moment"
    TEXTS = "texts"


class Column(NamedTuple):
    """A column; a value is ``None`` if the row has none."""

    kind: Kind
    values: list[Any]  # values of this kind


class Columns:
    """Rows transposed into columns as they arrive."""

    def __init__(self, model: type[BaseModel], *, has_all: bool = True) -> None:
        """Start without rows, with the columns of the model or only those that rows will have."""
        self._known, self._inner = dict(kinds_of(model)), dict(_kinds_inside(model))
        self._kinds = dict(self._known) if has_all else {}
        self._values: dict[str, list[Any]] = {name: [] for name in self._kinds}
        self.height = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self._lay_flat(rows, "")
        self.height += len(rows)
        for values in self._values.values():
            values.extend([None] * (self.height - len(values)))

    def take(self) -> Mapping[str, Column]:
        """Return the columns, and start again without rows but with the same columns."""
        columns = {name: Column(self._kinds[name], made) for name, made in self._values.items()}
        self._values = {name: [] for name in self._kinds}
        self.height = 0
        return columns

    def _lay_flat(self, rows: Sequence[Row], before: str) -> None:
        """Add the rows column by column; add nested objects likewise, with longer column names."""
        for name in dict.fromkeys(chain.from_iterable(rows)):
            values = [row.get(name) for row in rows]
            if any(isinstance(value, dict) for value in values):
                inner = [value if isinstance(value, dict) else {} for value in values]
                self._lay_flat(inner, f"{before}{name}.")
                values = [None if isinstance(value, dict) else value for value in values]
            if before + name in self._known or any(value is not None for value in values):
                self._put(before + name, values)

    def _put(self, name: str, values: Sequence[Any]) -> None:  # JSON values
        if name not in self._values:
            self._kinds[name] = self._kind_of(name) or _kind_of_value(values)
            self._values[name] = [None] * self.height
        self._values[name].extend(_READERS[self._kinds[name]](values))

    def _kind_of(self, name: str) -> Kind | None:
        """Return a column's kind from the model; ``step_counts.model`` is a value in a mapping."""
        return self._known.get(name) or self._inner.get(name.rpartition(".")[0])


def kinds_of(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, Kind]]:
    """Yield a model's columns with their kinds, except mappings, whose keys depend on the rows."""
    for name, field in model.model_fields.items():
        kind = bare_type(field.annotation)[0]
        if is_record(kind):
            yield from kinds_of(kind, f"{before}{name}.")
        elif get_origin(kind) is not dict:
            yield before + name, _kind_of_field(kind, field)


def _kinds_inside(model: type[BaseModel]) -> Iterator[tuple[str, Kind]]:
    """Yield the name of each field that is a mapping, with the kind of the mapping's values."""
    for name, field in model.model_fields.items():
        if get_origin(kind := bare_type(field.annotation)[0]) is dict:
            yield name, _KINDS.get(get_args(kind)[1], Kind.TEXT)


def _kind_of_field(kind: Any, field: FieldInfo) -> Kind:  # a type
    if timed_of(field) is Timed.MOMENT:
        return Kind.MOMENT
    if get_origin(kind) is list:
        return Kind.TEXTS
    return _KINDS.get(kind, Kind.TEXT)


def _kind_of_value(values: Sequence[object]) -> Kind:
    """Return the kind of a field that the model lacks, by its first value.

    An integer becomes a real number, because the field may have fractions in other rows.
    """
    value = next(v for v in values if v is not None)
    if isinstance(value, int) and not isinstance(value, bool):
        return Kind.REAL
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return Kind.TEXTS
    return _KINDS.get(type(value), Kind.TEXT)


def _texts(values: Sequence[Any]) -> Iterable[str | None]:  # JSON values
    return [v if v is None or isinstance(v, str) else orjson.dumps(v).decode() for v in values]


def _wholes(values: Sequence[Any]) -> Iterable[int | None]:  # JSON values
    return [None if v is None else int(v) for v in values]


def _moments(values: Sequence[Any]) -> Iterable[int | None]:  # milliseconds
    """Convert milliseconds to nanoseconds; null for times after the year 2262."""
    return [None if v is None or int(v) > _LAST_MS else int(v) * 1_000_000 for v in values]


def _reals(values: Sequence[Any]) -> Iterable[float | None]:  # JSON values
    return [None if v is None else float(v) for v in values]


_LAST_MS = (2**63 - 1) // 1_000_000
_KINDS = {str: Kind.TEXT, int: Kind.WHOLE, float: Kind.REAL, bool: Kind.TRUTH}
_READERS: dict[Kind, Callable[[Sequence[Any]], Iterable[Any]]] = {
    Kind.TEXT: _texts,
    Kind.WHOLE: _wholes,
    Kind.REAL: _reals,
    Kind.MOMENT: _moments,
    Kind.TRUTH: iter,  # parsed JSON
    Kind.TEXTS: iter,
}
