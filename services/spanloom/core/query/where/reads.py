"""Lists the fields that a ``where`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import (
    And,
    Calculation,
    Chain,
    Compare,
    Count,
    Counted,
    Exists,
    In,
    Not,
    Operand,
    Or,
    Under,
    parts_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.query.where.fields import Field
    from spanloom.core.query.where.tree import Condition


class FieldRead(NamedTuple):
    """A field that a condition reads, and its key."""

    subject: Subject
    field: Field
    key: str


def fields_read(where: Condition, subject: Subject = Subject.RUN) -> Iterator[FieldRead]:
    """Yield the fields that a condition reads; a field may be yielded several times."""
    match where:
        case Compare() | In() | Exists():
            yield FieldRead(subject, where.field, where.key)
        case And(parts) | Or(parts):
            for part in parts:
                yield from fields_read(part, subject)
        case Not(part):
            yield from fields_read(part, subject)
        case Calculation():
            operands = (part for part in parts_of(where) if isinstance(part, Operand))
            yield from (FieldRead(subject, operand.field, "") for operand in operands)
    match where:
        case Count() | Chain() | Under() | Calculation():
            for step in steps_of(where):
                yield from fields_read(step, Subject.STEP)


def steps_of(where: Condition) -> tuple[Condition, ...]:
    """Return the conditions on steps inside ``has`` or ``count``; empty for other conditions."""
    match where:
        case Count(steps):
            return (steps,)
        case Chain(steps=several):
            return tuple(several)
        case Under(inner, outer):
            return inner, outer
        case Calculation():
            return tuple(part.steps for part in parts_of(where) if isinstance(part, Counted))
        case _:
            return ()
