"""A public record: a frozen model that API and client share."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict

from spanloom.core.records.declared import Example, From, Timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from pydantic.fields import FieldInfo

PartT = TypeVar("PartT")


def _hide_additions(schema: dict[str, Any]) -> None:
    """Remove ``additionalProperties`` from a schema: this service returns only declared fields."""
    schema.pop("additionalProperties", None)


class Record(BaseModel):
    """The model that API and client share. The client keeps fields that a newer service adds."""

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_extra=_hide_additions)

    @classmethod
    def trusted(cls, values: dict[str, Any], set_fields: AbstractSet[str] | None = None) -> Self:
        """Create a record without validation; ``values`` are in the order of the fields.

        This takes a quarter of the time, which matters for lists of thousands of records.
        ``set_fields``: the fields with explicit values, by default all.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", values)
        object.__setattr__(
            made, "__pydantic_fields_set__", set(values if set_fields is None else set_fields)
        )
        object.__setattr__(made, "__pydantic_extra__", {})
        object.__setattr__(made, "__pydantic_private__", None)
        return made

    @classmethod
    def made_of(cls, source: object, **passed: object) -> Self:
        """Create a record from an object, without validation, as the fields' ``From`` declare.

        ``passed`` has the values of fields that are not computed from the object; missing fields
        get their defaults.
        """
        values: dict[str, Any] = {}
        defaults = set()
        for name, take in _takers(cls).items():
            if name in passed:
                values[name] = passed[name]
            elif take:
                values[name] = take(source)
            else:
                values[name] = cls.model_fields[name].get_default(call_default_factory=True)
                defaults.add(name)
        return cls.trusted(values, values.keys() - defaults)

    @classmethod
    def row_of(cls, source: object, **passed: object) -> dict[str, Any]:
        """Return the fields as JSON values, without creating a record, which takes less time.

        Fields computed from the object come first, then the fields in ``passed``.
        """
        row = {name: take(source) for name, take in _takers(cls).items() if take}
        for name in _timed(cls) & row.keys():
            row[name] = None if row[name] is None else str(row[name])
        return row | passed


@cache
def _takers(record: type[Record]) -> Mapping[str, Callable[[Any], object] | None]:
    """Return the function that computes each field from an object; ``None`` for passed fields."""
    found = {name: find_part(info, From) for name, info in record.model_fields.items()}
    takes = {name: declared.take if declared else name for name, declared in found.items()}
    return {n: attrgetter(take) if isinstance(take, str) else take for n, take in takes.items()}


def attribute_of(record: type[Record], name: str) -> str:
    """Return the attribute with a field's value, of the object from which the record is made."""
    declared = find_part(record.model_fields[name], From)
    return declared.take if declared and isinstance(declared.take, str) else name


@cache
def _timed(record: type[Record]) -> AbstractSet[str]:
    return {name for name, info in record.model_fields.items() if timed_of(info)}


def timed_of(info: FieldInfo) -> Timed | None:
    """Return the ``Timed`` of a field for a duration or a point in time; otherwise ``None``."""
    return find_part(info, Timed)


def find_part(info: FieldInfo, part: type[PartT]) -> PartT | None:
    """Return a field's declaration that is an instance of ``part``; ``None`` if there is none."""
    inside = (get_args(kind) for kind in get_args(info.annotation) if get_origin(kind) is Annotated)
    declared = (*info.metadata, *(one for parts in inside for one in parts))
    return next((one for one in declared if isinstance(one, part)), None)


def bare_type(kind: Any) -> tuple[Any, bool]:  # types
    """Return a type without ``None`` and declarations, and whether it included ``None``.

    A type with several alternatives in addition to ``None`` is returned unchanged.
    """
    if get_origin(kind) is Annotated:
        return bare_type(get_args(kind)[0])
    if not isinstance(kind, UnionType) and get_origin(kind) is not Union:
        return kind, False
    kinds = [one for one in get_args(kind) if one is not type(None)]
    is_optional = len(kinds) < len(get_args(kind))
    return (bare_type(kinds[0])[0] if len(kinds) == 1 else kind), is_optional


def example_of(record: type[Record]) -> dict[str, Any]:
    """Return the example of a record for the documentation: the examples of its fields."""
    example = {}
    for name, info in record.model_fields.items():
        kind = bare_type(info.annotation)[0]
        if declared := find_part(info, Example):
            example[name] = declared.value
        elif is_record(info.annotation):
            example[name] = example_of(kind)
        elif get_origin(kind) is list and is_record(get_args(kind)[0]):
            example[name] = [example_of(get_args(kind)[0])]
    return example


def is_record(kind: Any) -> bool:  # a type
    """Return whether a type is the class of a record."""
    return isinstance(kind, type) and issubclass(kind, Record)
