"""The filters of lists as parameters of a URL, derived from ``core/query/fields.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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


def _parameter(declared: DeclaredField) -> Any:  # what create_model takes: (type, field)
    field = declared.field
    kind: Any = declared.type
    if field.is_instant:
        kind = Instant
    elif kind is str:
        kind = Name
    examples = [field.example]
    info = Field(None, alias=field.alias or None, description=field.description, examples=examples)
    return (kind | None, info)


class _Filters(BaseModel):
    def filter(self) -> TrajectoryFilter:
        """Return what the store understands."""
        return TrajectoryFilter(**{d.name: getattr(self, d.name) for d in declared_fields()})


if TYPE_CHECKING:
    Filters = _Filters
else:
    Filters = create_model(
        "Filters", __base__=_Filters, **{d.name: _parameter(d) for d in declared_fields()}
    )
