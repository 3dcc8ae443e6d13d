"""Converts objects to rows of a table and back, by one list of columns and attributes.

For objects that no public record declares; ``object_rows.py`` does the same for those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import orjson

from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.parameters import Row

T = TypeVar("T")


class Attribute(NamedTuple):
    """The attribute of an object that a column stores."""

    name: str
    write: Callable[[Any], object] | None = None
    """Converts the attribute to the value of the column; ``None`` if they are equal."""
    read: Callable[[Any], object] | None = None
    """Converts the value of the column to the attribute; ``None`` if they are equal."""
    sql: str = ""
    """The SQL expression of a column that is only read, because the store itself fills it."""


def as_json(name: str) -> Attribute:
    """Return the attribute of a column that stores it as JSON."""
    return Attribute(name, to_json, orjson.loads)


def to_json(value: object) -> str:
    """Return a value as the JSON text that a column stores."""
    return orjson.dumps(value).decode()


STORED_AT = Attribute("at_us", sql="toUnixTimestamp64Micro(StoredAt)")
"""The time at which the store stored the row, in microseconds since the epoch."""


class Columns(Generic[T]):
    """The columns of a table, each with the attribute that it stores."""

    def __init__(self, made: Callable[..., T], stored: Mapping[str, Attribute | str]) -> None:
        """Pair columns with attributes; ``made`` is the constructor of the objects."""
        attributes = {
            column: Attribute(one) if isinstance(one, str) else one
            for column, one in stored.items()
        }
        self._made = made
        self._read = [(column, one.name, one.read) for column, one in attributes.items()]
        self._written = {column: one for column, one in attributes.items() if not one.sql}
        selected = (
            f"{one.sql} AS {column}" if one.sql else column for column, one in attributes.items()
        )
        self.columns = Condition(", ".join(selected), {})
        """What a query selects, possibly with further columns."""

    def row(self, source: T) -> dict[str, object]:
        """Return an object as a row: its values by column name."""
        return {
            column: one.write(getattr(source, one.name)) if one.write else getattr(source, one.name)
            for column, one in self._written.items()
        }

    def object(self, row: Row) -> T:
        """Return the object in a row that has ``columns``."""
        values = ((name, read, getattr(row, column)) for column, name, read in self._read)
        return self._made(**{name: read(value) if read else value for name, read, value in values})
