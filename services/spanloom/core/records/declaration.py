"""All declarations of a record: those of its fields, and of columns that are not fields."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, get_origin

from spanloom.core.records.declared import (
    Asked,
    FieldType,
    Group,
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
    """One field of a record with its declarations."""

    name: str
    kind: Any
    """Its type, without ``None``."""
    info: FieldInfo
    is_optional: bool

    def find(self, part: type[PartT]) -> PartT | None:
        """Return the declaration of this class; ``None`` if there is none."""
        return find_part(self.info, part)


class Declaration:
    """All declarations of a record: those of its fields, and the columns that are not fields."""

    def __init__(
        self,
        record: type[Record],
        others: Sequence[Other] = (),
        first: Sequence[str] = (),
        table: str = "",
    ) -> None:
        """Collect the declarations of the record and of the ``others``, which are not its fields.

        ``first`` are names of ``where`` in the order in which they are offered; all others follow
        in the order of their declaration. ``table`` has the columns of a record that is neither a
        run nor a step.
        """
        self.record = record
        self.table = table
        self.fields = tuple(_declared(*item) for item in record.model_fields.items())
        self.others = (*_inside(self.fields), *others)
        self.stored = tuple(self._stored())
        places = {name: place for place, name in enumerate(first)}
        self.asked = tuple(sorted(self._asked(), key=lambda a: places.get(a.name, len(places))))
        asked_as = ((field.name, field.find(Asked)) for field in self.fields)
        self._names = {asked.name: name for name, asked in asked_as if asked}
        self.groups = {group.value: self._names_in(group) for group in Group}
        self.example = example_of(record)

    def field_of(self, asked: str) -> str:
        """Return the field of the record with this name in a ``where``; raises ``KeyError``."""
        return self._names[asked]

    def _stored(self) -> Iterator[Stored | StoredSteps]:
        for field in self.fields:
            if stored := (field.find(Stored) or field.find(StoredSteps)):
                yield stored
        yield from (other.stored for other in self.others if other.stored)

    def _asked(self) -> Iterator[Asked]:
        for field in self.fields:
            if asked := field.find(Asked):
                yield _completed(asked, field)
        for other in self.others:
            if other.asked:
                column = other.stored.column if other.stored else ""
                yield replace(
                    other.asked,
                    value=other.asked.value or _read(other.asked, other.stored),
                    type=other.asked.type or FieldType.INTEGER,
                    sql=other.asked.sql or column,
                    example=other.asked.example or other.asked.name,
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


def _completed(asked: Asked, field: Declared) -> Asked:
    """Return a field's ``Asked``, completed from its type and its column."""
    stored, read = field.find(Stored), field.find(Read)
    column = stored.column if stored else read.sql if read else ""
    kind, is_list = asked.type or _type_of(field), get_origin(field.kind) is list
    is_choice = kind is FieldType.CHOICE and not asked.choices
    choices = tuple(str(one) for one in field.kind) if is_choice else asked.choices
    sql, is_there = asked.sql or column, asked.is_there
    if stored and stored.type.startswith("Nullable") and not asked.sql:
        sql, is_there = f"assumeNotNull({column})", f"isNotNull({column})"
    elif kind is FieldType.TEXT and not is_list and not is_there:
        is_there = f"{sql} != ''"
    return replace(
        asked,
        type=kind,
        sql=sql,
        is_there=is_there,
        value=asked.value or _read(asked, stored or field.find(StoredSteps)),
        is_list=is_list,
        choices=choices,
        example=asked.example or asked.name,
    )


def _read(asked: Asked, stored: Stored | StoredSteps | None) -> Callable[[Row], Any] | None:
    """Return the function that reads the column; ``None`` where SQL computes the value."""
    if stored is None or asked.is_there:
        return None
    name = stored.item if isinstance(stored, StoredSteps) else stored.column
    return itemgetter(name) if asked.sql in ("", name, f"Step{name}") else None


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
