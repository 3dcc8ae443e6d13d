"""Filters as URL parameters, short for a ``where``; declared in ``core/records/run_filters.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

from spanloom.core.model.notation import HOW_TO_WRITE, parse_instant
from spanloom.core.query.question import condition_of
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN, Run
from spanloom.core.records.run_filters import run_shorts

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.run_filters import Short


def _read_instant(written: object) -> int:
    """Return nanoseconds; raises ``ValueError`` for a JSON number, as its unit is unknown."""
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
"""The value that switches off a filter that is on by default."""
_NAMES = tuple(run_shorts())


def _kind_of(name: str, short: Short) -> Any:  # a type
    field = RUN_FIELDS[short.field or name]
    if field.type is FieldType.CHOICE:
        return Run.model_fields[RUN.field_of(field.name)].annotation
    return {FieldType.TIME: Instant, FieldType.FLAG: bool}.get(field.type, Name)


def _parameter(name: str, short: Short) -> Any:  # (type, field), as create_model expects
    kind = _kind_of(name, short) | (Literal["any"] if short.has_to_be_asked_for else None)
    default = False if short.has_to_be_asked_for else None
    return (kind, Field(default, description=short.description, examples=[short.example]))


class _Filters(BaseModel):
    def filter(self) -> Condition | None:
        """Return the condition that the filters are short for; ``None`` without any."""
        given = {name: getattr(self, name, None) for name in _NAMES}
        return condition_of({n: None if v == ANY else v for n, v in given.items()})


def _filters(name: str, *wanted: str) -> Any:  # a model class created at run time
    fields = {n: _parameter(n, short) for n, short in run_shorts().items() if n in wanted}
    return create_model(name, __base__=_Filters, **fields)


if TYPE_CHECKING:
    Filters: TypeAlias = _Filters
    RunFilters: TypeAlias = _Filters
    ConversationFilters: TypeAlias = _Filters
else:
    Filters = _filters("Filters", *_NAMES)
    RunFilters = _filters("RunFilters", "duplicate", "has_steps")
    ConversationFilters = _filters(
        "ConversationFilters", "since", "until", "service", "environment", "user"
    )
