"""Converts objects to rows of a table and back; a record class declares the columns.

A column takes its value from the attribute that the record's field declares,
``From("anchor.version")``, and reading a row sets the same attribute. Columns of computed values
are only written; columns without an attribute are filled by the code that writes the row.
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
    """The columns of a table, with conversions of its rows."""

    def __init__(
        self,
        declaration: Declaration,
        made: Callable[..., T],
        inner: Mapping[str, Callable[..., object]],
        read: Mapping[str, Callable[[Any], object]],
    ) -> None:
        """Use the columns of a declaration; ``made`` is the constructor of the objects.

        Two mappings are keyed by the path of an attribute: ``inner`` has the constructors of nested
        objects, ``read`` the conversions of column values.
        """
        stored = [(column, take) for column, take in _stored(declaration) if take]
        self._takers = {
            column: attrgetter(take) if isinstance(take, str) else take for column, take in stored
        }
        self.columns = Condition(", ".join(self._takers), {})
        paths = {path: column for column, path in stored if isinstance(path, str)}
        self._read = _reading("", made, paths, inner, read)

    def row(self, source: T) -> dict[str, object]:
        """Return an object as a row: its values by column name."""
        return {column: take(source) for column, take in self._takers.items()}

    def object(self, row: Row) -> T:
        """Return an object built from a row that has the declared columns."""
        made: T = self._read(row)
        return made


def _stored(declaration: Declaration) -> Iterator[tuple[str, Callable[[Any], object] | str | None]]:
    """Yield each column with the path of its attribute, or the function that computes its value."""
    for field in declaration.fields:
        if stored := field.find(Stored):
            declared = field.find(From)
            yield stored.column, stored.value or (declared.take if declared else field.name)
    for other in declaration.others:
        if isinstance(other.stored, Stored):
            yield other.stored.column, other.stored.value or other.name or None


class _Reading(NamedTuple):
    """Reads an object from a row by position, which takes half the time of reading by name."""

    made: Callable[..., Any]
    take: Callable[[Row], tuple[object, ...]]
    """Returns the values of the object's own columns, in the order of its parameters."""
    read: Sequence[tuple[int, Callable[[Any], object]]]
    """The positions of the values to convert in the result of ``take``, with their conversions."""
    inner: Sequence[tuple[int, _Reading]]
    """The positions of inner objects among the parameters, in ascending order."""

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
    """Return the ``_Reading`` for objects that ``made`` constructs.

    ``before`` is the prefix of the paths of the object's attributes: empty for the object of a row,
    ``anchor.`` for the nested object in its attribute ``anchor``. ``paths`` has the column of each
    path; the other parameters are the same as in ``ObjectRows``. Raises ``KeyError`` if an
    attribute has no column.
    """
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
