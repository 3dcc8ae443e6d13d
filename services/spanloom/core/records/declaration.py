"""Collects what a record declares: its fields, and columns that are not fields."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, get_origin

from spanloom.core.records.declared import (
    FieldType,
    Group,
    Queried,
    Read,
    Stored,
    StoredCounts,
    StoredSteps,
    Timed,
)
from spanloom.core.records.record import PartT, bare_type, example_of, find_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo

    from spanloom.core.records.declared import Other, Row
    from spanloom.core.records.record import Record


class Declared(NamedTuple):
    """A field of a record, with the declarations in its ``Annotated`` type."""

    name: str
    kind: Any
    """The field's type, without ``None``."""
    info: FieldInfo
    is_optional: bool

    def find(self, part: type[PartT]) -> PartT | None:
        """Return the declaration that is an instance of a class; ``None`` if there is none."""
        return find_part(self.info, part)


class Declaration:
    """Everything that a record declares: its fields, and columns that are not fields."""

    def __init__(
        self,
        record: type[Record],
        others: Sequence[Other] = (),
        first: Sequence[str] = (),
        table: str = "",
    ) -> None:
        """Collect the declarations of the record's fields, and ``others``.

        ``first`` has names of fields in a ``where``, in the order in which they are listed; the
        other fields follow in the order of declaration. ``table`` is the name of the table; for a
        run or a step it is not needed.
        """
        self.record = record
        self.table = table
        self.fields = tuple(_declared(*item) for item in record.model_fields.items())
        self.others = (*_inside(self.fields), *others)
        self.stored = tuple(self._stored())
        places = {name: place for place, name in enumerate(first)}
        self.queried = tuple(sorted(self._queried(), key=lambda a: places.get(a.name, len(places))))
        queried_as = ((field.name, field.find(Queried)) for field in self.fields)
        self._names = {queried.name: name for name, queried in queried_as if queried}
        self.groups = {group.value: self._names_in(group) for group in Group}
        self.example = example_of(record)

    def field_of(self, queried: str) -> str:
        """Return the record's field that has this name in a ``where``; raises ``KeyError``."""
        return self._names[queried]

    def _stored(self) -> Iterator[Stored | StoredSteps]:
        for field in self.fields:
            if stored := (field.find(Stored) or field.find(StoredSteps)):
                yield stored
        yield from (other.stored for other in self.others if other.stored)

    def _queried(self) -> Iterator[Queried]:
        for field in self.fields:
            if queried := field.find(Queried):
                yield _completed(queried, field)
        for other in self.others:
            if other.queried:
                column = other.stored.column if other.stored else ""
                yield replace(
                    other.queried,
                    value=other.queried.value or _read(other.queried, other.stored),
                    type=other.queried.type or FieldType.INTEGER,
                    sql=other.queried.sql or column,
                    example=other.queried.example or other.queried.name,
                )

    def _names_in(self, group: Group) -> Sequence[str]:
        return tuple(field.name for field in self.fields if group in field.info.metadata)


def _inside(fields: Sequence[Declared]) -> Iterator[Other]:
    for field in fields:
        if counts := field.find(StoredCounts):
            yield from counts.columns.values()


def _declared(name: str, info: FieldInfo) -> Declared:
    kind, is_optional = bare_type(info.annotation)
    return Declared(name, kind, info, is_optional)


def _completed(queried: Queried, field: Declared) -> Queried:
    """Return a field's ``Queried`` with omitted members derived from its type and column."""
    stored, read = field.find(Stored), field.find(Read)
    column = stored.column if stored else read.sql if read else ""
    kind, is_list = queried.type or _type_of(field), get_origin(field.kind) is list
    is_choice = kind is FieldType.CHOICE and not queried.choices
    choices = tuple(str(one) for one in field.kind) if is_choice else queried.choices
    sql, is_there = queried.sql or column, queried.is_there
    if stored and stored.type.startswith("Nullable") and not queried.sql:
        sql, is_there = f"assumeNotNull({column})", f"isNotNull({column})"
    elif kind is FieldType.TEXT and not is_list and not is_there:
        is_there = f"{sql} != ''"
    return replace(
        queried,
        type=kind,
        sql=sql,
        is_there=is_there,
        value=queried.value or _read(queried, stored or field.find(StoredSteps)),
        is_list=is_list,
        choices=choices,
        example=queried.example or queried.name,
    )


def _read(queried: Queried, stored: Stored | StoredSteps | None) -> Callable[[Row], Any] | None:
    """Return the function that reads the value from a row; ``None`` if SQL computes the value."""
    if stored is None or queried.is_there:
        return None
    name = stored.item if isinstance(stored, StoredSteps) else stored.column
    return itemgetter(name) if queried.sql in ("", name, f"Step{name}") else None


def _type_of(field: Declared) -> FieldType:
    if timed := field.find(Timed):
        return FieldType.TIME if timed is Timed.MOMENT else FieldType.DURATION
    if isinstance(field.kind, type) and issubclass(field.kind, Enum):
        return FieldType.CHOICE
    return _TYPES.get(field.kind, FieldType.TEXT)


_TYPES: Mapping[object, FieldType] = {
    bool: FieldType.FLAG,
    int: FieldType.INTEGER,
    float: FieldType.NUMBER,
}
