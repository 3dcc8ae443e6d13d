"""Columns of rows: which there are, and what is in them, told by the model of an item.

What is nested is laid out flat: ``step_counts.model`` and ``last_run.status`` are columns. A field
that a newer service adds is a column too, as text in JSON if it is neither text nor a number. ::

    started_at      moment    milliseconds since the epoch, in UTC
    duration        whole     milliseconds
    tags            texts     a list
"""

from __future__ import annotations

from enum import Enum
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import orjson
from pydantic import BaseModel

from spanloom.client.models import MOMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo


class Kind(Enum):
    """What is in a column."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    TRUTH = "truth"
    MOMENT = "moment"
    TEXTS = "texts"


class Column(NamedTuple):
    """A column: ``None`` where a row has nothing."""

    kind: Kind
    values: list[Any]  # of the kind


class Columns:
    """Rows turned by the side, as they come."""

    def __init__(self, model: type[BaseModel]) -> None:
        """Take the columns of the model, without rows."""
        self._kinds = dict(kinds_of(model))
        self._values: dict[str, list[Any]] = {name: [] for name in self._kinds}
        self.height = 0

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take more rows."""
        for row in rows:
            for name, value in _flat(row, ""):
                self._column(name, value).append(self._read(name, value))
            self.height += 1
            for values in self._values.values():
                if len(values) < self.height:
                    values.append(None)

    def taken(self) -> Mapping[str, Column]:
        """Return the columns and begin again, with the same ones and no rows."""
        taken = {name: Column(self._kinds[name], made) for name, made in self._values.items()}
        self._values = {name: [] for name in self._kinds}
        self.height = 0
        return taken

    def _column(self, name: str, value: object) -> list[Any]:
        if name not in self._values:
            self._kinds[name] = _kind_of_value(value)
            self._values[name] = [None] * self.height
        return self._values[name]

    def _read(self, name: str, value: Any) -> Any:  # a JSON value
        if value is None:
            return None
        read = _READERS[self._kinds[name]]
        return read(value)


def kinds_of(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, Kind]]:
    """Yield the columns of a model; those of a mapping are known once a row has them."""
    for name, field in model.model_fields.items():
        kind = _bare(field.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from kinds_of(kind, f"{before}{name}.")
        elif get_origin(kind) is not dict:
            yield before + name, _kind_of_field(kind, field)


def _kind_of_field(kind: Any, field: FieldInfo) -> Kind:  # a type
    if MOMENT in field.metadata:
        return Kind.MOMENT
    if get_origin(kind) is list:
        return Kind.TEXTS
    return _KINDS.get(kind, Kind.TEXT)


def _kind_of_value(value: object) -> Kind:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return Kind.TEXTS
    return _KINDS.get(type(value), Kind.TEXT)


def _bare(kind: Any) -> Any:  # types
    """Return a type without ``None``."""
    if isinstance(kind, UnionType):
        return next(one for one in get_args(kind) if one is not type(None))
    return kind


def _flat(row: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


_KINDS = {str: Kind.TEXT, int: Kind.WHOLE, float: Kind.REAL, bool: Kind.TRUTH}
_READERS: dict[Kind, Callable[[Any], Any]] = {
    Kind.TEXT: _text,
    Kind.WHOLE: int,
    Kind.REAL: float,
    Kind.TRUTH: bool,
    Kind.MOMENT: int,
    Kind.TEXTS: list,
}
