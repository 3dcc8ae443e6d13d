"""A public record: a frozen model that API and client share, and its fields' declarations."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NamedTuple,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict

from spanloom.core.records.declared import (
    Asked,
    Example,
    FieldType,
    From,
    Group,
    Read,
    Stored,
    StoredCounts,
    StoredSteps,
    Timed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pydantic.fields import FieldInfo

    from spanloom.core.records.declared import Other

PartT = TypeVar("PartT")


def _hide_additions(schema: dict[str, Any]) -> None:
    """Omit ``additionalProperties`` from the schema: this service returns only declared fields."""
    schema.pop("additionalProperties", None)


class Record(BaseModel):
    """The model that API and client share. The client keeps fields that a newer service adds."""

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_extra=_hide_additions)

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> Self:
        """Return a record without validation of its values, which are in the order of the fields.

        It takes a quarter of the time of validation: lists have thousands of records.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", values)
        object.__setattr__(made, "__pydantic_fields_set__", set(values))
        object.__setattr__(made, "__pydantic_extra__", {})
        object.__setattr__(made, "__pydantic_private__", None)
        return made

    @classmethod
    def of(cls, source: object, **passed: object) -> Self:
        """Return a record of an object, without validation: each field as its ``From`` says.

        ``passed`` are the values of fields that are not taken from the object.
        """
        return cls.trusted(_taken(cls, source, passed))

    @classmethod
    def row(cls, source: object, **passed: object) -> dict[str, Any]:
        """Return the fields as JSON has them, without making a record: there may be very many.

        Fields that are not taken from the object are ``passed``, or left out.
        """
        row = {name: take(source) for name, take in _takers(cls).items() if take}
        for name in _timed(cls) & row.keys():
            row[name] = None if row[name] is None else str(row[name])
        return row | passed


@cache
def _takers(record: type[Record]) -> Mapping[str, Callable[[Any], object] | None]:
    """Return the function that takes each field from an object; ``None`` for passed fields."""
    found = ((name, _find(info, From)) for name, info in record.model_fields.items())
    return {name: declared.take if declared else attrgetter(name) for name, declared in found}


@cache
def _timed(record: type[Record]) -> AbstractSet[str]:
    return {name for name, info in record.model_fields.items() if timed_of(info)}


def _taken(record: type[Record], source: object, passed: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the fields in their order; fields that are not passed are default."""
    values = {}
    for name, take in _takers(record).items():
        if name in passed:
            values[name] = passed[name]
        else:
            values[name] = take(source) if take else record.model_fields[name].get_default()
    return values


def timed_of(info: FieldInfo) -> Timed | None:
    """Return whether a field is a length or a point in time, also one that may be ``None``."""
    return _find(info, Timed)


def _find(info: FieldInfo, part: type[PartT]) -> PartT | None:
    inside = (get_args(kind) for kind in get_args(info.annotation) if get_origin(kind) is Annotated)
    declared = (*info.metadata, *(one for parts in inside for one in parts))
    return next((one for one in declared if isinstance(one, part)), None)


class Declared(NamedTuple):
    """One field of a record with its declarations."""

    name: str
    kind: Any
    """Its type, without ``None``."""
    info: FieldInfo
    is_optional: bool

    def find(self, part: type[PartT]) -> PartT | None:
        """Return the declaration of this class; ``None`` if there is none."""
        return _find(self.info, part)


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
        self._others = (*_inside(self.fields), *others)
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
        yield from (other.stored for other in self._others if other.stored)

    def _asked(self) -> Iterator[Asked]:
        for field in self.fields:
            if asked := field.find(Asked):
                yield _completed(asked, field)
        for other in self._others:
            if other.asked:
                column = other.stored.column if other.stored else ""
                yield replace(
                    other.asked,
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


def bare_type(kind: Any) -> tuple[Any, bool]:  # types
    """Return a type without ``None`` and without declarations, and whether it had ``None``."""
    if get_origin(kind) is Annotated:
        return bare_type(get_args(kind)[0])
    if not isinstance(kind, UnionType) and get_origin(kind) is not Union:
        return kind, False
    kinds = [one for one in get_args(kind) if one is not type(None)]
    is_optional = len(kinds) < len(get_args(kind))
    return (bare_type(kinds[0])[0] if len(kinds) == 1 else kind), is_optional


def example_of(record: type[Record]) -> dict[str, Any]:
    """Return the example of a record in the documentation: the examples of its fields."""
    example = {}
    for name, info in record.model_fields.items():
        kind = bare_type(info.annotation)[0]
        if declared := _find(info, Example):
            example[name] = declared.value
        elif is_record(kind):
            example[name] = example_of(kind)
        elif get_origin(kind) is list and is_record(get_args(kind)[0]):
            example[name] = [example_of(get_args(kind)[0])]
    return example


def is_record(kind: Any) -> bool:  # a type
    """Return whether a type is the class of a record."""
    return isinstance(kind, type) and issubclass(kind, Record)


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
        is_list=is_list,
        choices=choices,
        example=asked.example or asked.name,
    )


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
