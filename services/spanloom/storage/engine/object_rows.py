"""Rows of a table whose columns a record declares, made of objects and read back into them.

A column has the attribute of which the record's field is made, ``From("anchor.version")``: an
object is read by the same path. Columns of computed values are written only; a column without an
attribute is that of the code which writes the row.
"""

from __future__ import annotations

from inspect import signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from spanloom.core.records.declared import From, Stored
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.records.declaration import Declaration
    from spanloom.storage.engine.parameters import Row

T = TypeVar("T")


class ObjectRows(Generic[T]):
    """The columns of a table, and how its rows are made and read."""

    def __init__(
        self,
        declaration: Declaration,
        made: Callable[..., T],
        inner: Mapping[str, Callable[..., object]],
        read: Mapping[str, Callable[[Any], object]],
    ) -> None:
        """Take the columns from a declaration, and ``made`` to make an object of them.

        ``inner`` makes the objects in its attributes, by their paths; ``read`` converts values of
        columns to attributes, by their paths.
        """
        stored = [(column, take) for column, take in _stored(declaration) if take]
        self._takers = {
            column: attrgetter(take) if isinstance(take, str) else take for column, take in stored
        }
        self.columns = Condition(", ".join(self._takers), {})
        paths = {path: column for column, path in stored if isinstance(path, str)}
        self._read = _reading("", made, paths, inner, read)

    def row(self, source: T) -> dict[str, object]:
        """Return an object as column → value."""
        return {column: take(source) for column, take in self._takers.items()}

    def object(self, row: Row) -> T:
        """Return the object in a row with these columns."""
        made: T = self._read(row)
        return made


def _stored(declaration: Declaration) -> Iterator[tuple[str, Callable[[Any], object] | str | None]]:
    """Yield the columns, each with the path of its attribute, or the function of its value."""
    for field in declaration.fields:
        if stored := field.find(Stored):
            declared = field.find(From)
            yield stored.column, stored.value or (declared.take if declared else field.name)
    for other in declaration.others:
        if isinstance(other.stored, Stored):
            yield other.stored.column, other.stored.value or other.name or None


class _Reading(NamedTuple):
    """How an object is read from a row, by position: by name it would take twice the time."""

    made: Callable[..., Any]
    take: Callable[[Row], tuple[object, ...]]
    """Returns the values of its own columns, in the order of its parameters."""
    read: Sequence[tuple[int, Callable[[Any], object]]]
    """The places among them of values that are converted."""
    inner: Sequence[tuple[int, _Reading]]
    """The places of objects among its parameters, the first one first."""

    def __call__(self, row: Row) -> Any:  # what ``made`` returns
        if not (self.read or self.inner):
            return self.made(*self.take(row))
        values = list(self.take(row))
        for place, convert in self.read:
            values[place] = convert(values[place])
        for place, reading in self.inner:
            values.insert(place, reading(row))
        return self.made(*values)


def _reading(
    before: str,
    made: Callable[..., Any],
    paths: Mapping[str, str],
    inner: Mapping[str, Callable[..., object]],
    read: Mapping[str, Callable[[Any], object]],
) -> _Reading:
    """Return the reading of the object at a path; raises ``KeyError`` for a missing column."""
    parameters = [f"{before}{name}" for name in signature(made).parameters]
    own = [path for path in parameters if path not in inner]
    return _Reading(
        made,
        _taking([paths[path] for path in own]),
        [(place, read[path]) for place, path in enumerate(own) if path in read],
        [
            (place, _reading(f"{path}.", inner[path], paths, inner, read))
            for place, path in enumerate(parameters)
            if path in inner
        ],
    )


def _taking(columns: Sequence[str]) -> Callable[[Row], tuple[object, ...]]:
    if len(columns) > 1:
        return attrgetter(*columns)
    take = attrgetter(*columns) if columns else None
    return lambda row: (take(row),) if take else ()
