"""The filters of lists as parameters of a URL, derived from ``core/query/fields.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

from spanloom.core.model.instants import HOW_TO_WRITE, parse_instant
from spanloom.core.query.fields import DeclaredField, TrajectoryFilter, declared_fields


def _read_instant(written: object) -> int:
    """Return nanoseconds; a number in JSON is refused, for nothing says what it counts."""
    if not isinstance(written, str):
        raise ValueError(HOW_TO_WRITE)
    return parse_instant(written)


Instant = Annotated[
    int,
    BeforeValidator(_read_instant),
    WithJsonSchema({"type": "string", "examples": ["2026-01-31T12:00:00Z", "1769860800000"]}),
]
Name = Annotated[str, Field(max_length=512)]


ANY = "any"
"""What is asked for where a filter is to be off that is on without a word."""


def _parameter(declared: DeclaredField) -> Any:  # what create_model takes: (type, field)
    field = declared.field
    kind: Any = declared.type
    if field.is_instant:
        kind = Instant
    elif kind is str:
        kind = Name
    kind |= Literal["any"] if field.has_to_be_asked_for else None
    info = Field(
        False if field.has_to_be_asked_for else None,
        alias=field.alias or None,
        description=field.description,
        examples=[field.example],
    )
    return (kind, info)


class _Filters(BaseModel):
    def filter(self) -> TrajectoryFilter:
        """Return what the store understands."""
        given = {name: getattr(self, name) for name in _NAMES if name in type(self).model_fields}
        return TrajectoryFilter(**{n: None if v == ANY else v for n, v in given.items()})


_NAMES = [declared.name for declared in declared_fields()]


def _filters(name: str, *wanted: str) -> Any:  # a model made of declarations
    fields = {d.name: _parameter(d) for d in declared_fields() if d.name in wanted}
    return create_model(name, __base__=_Filters, **fields)


if TYPE_CHECKING:
    Filters: TypeAlias = _Filters
    RunFilters: TypeAlias = _Filters
    ConversationFilters: TypeAlias = _Filters
else:
    Filters = _filters("Filters", *_NAMES)
    RunFilters = _filters("RunFilters", "is_duplicate", "has_steps")
    ConversationFilters = _filters(
        "ConversationFilters",
        *("start_from_ns", "start_before_ns", "service", "environment", "user_id"),
    )
