"""Decides whether a ``where`` that is true for an incomplete run stays true as the run grows.

``has(tool = "refund")`` stays true, because a step does not disappear. ``not has(tool = "verify")``
becomes false when the step arrives, so nothing can be decided before the run is complete. The same
applies to an upper bound, to steps that must be adjacent, and to properties of the whole run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import (
    And,
    Arithmetic,
    Calculation,
    Chain,
    Compare,
    Constant,
    Count,
    Counted,
    Exists,
    In,
    Operand,
    Operation,
    Operator,
    Or,
    Under,
    Words,
)
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition, Number

_LOWER = (Operator.MORE, Operator.AT_LEAST)
_DENYING = (Operator.NOT_EQUAL, Operator.MATCHES_NOT)
_NUMBERS = (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION)
_UNSTEADY = {
    *("status", "outcome", "duplicate", "has_steps", "root_type"),
    *("first_token", "tokens_per_second"),
    *("model_error_rate", "tool_error_rate", "tool_step_proportion"),
}
"""Fields that depend on the whole run, or may decrease while the run grows."""


def is_lasting(where: Condition) -> bool:  # noqa: PLR0911  # one for each kind
    """Return whether a condition that is true for a run stays true while the run grows.

    Only the syntax of the condition is considered. A span may still replace an open copy of itself,
    or start between two other spans; the caller evaluates the condition again for such changes.
    """
    match where:
        case And(parts) | Or(parts):
            return all(map(is_lasting, parts))
        case Compare() | In() | Exists():
            return _of_field(where, Subject.RUN)
        case Words():
            return True
        case Count(steps, operator, _):
            return operator in _LOWER and _of_step(steps)
        case Chain(steps, links):
            return all(map(_of_step, steps)) and all(link.most is None for link in links)
        case Under(inner, outer, is_child):
            return not is_child and _of_step(inner) and _of_step(outer)
        case Calculation(left, operator, right):
            return operator in _LOWER and _grows(left) and isinstance(right, Constant)
        case _:
            return False


def _of_step(where: Condition) -> bool:
    match where:
        case And(parts) | Or(parts):
            return all(map(_of_step, parts))
        case Compare() | In() | Exists():
            return _of_field(where, Subject.STEP)
        case _:
            return False


def _of_field(  # noqa: PLR0911  # one for each kind
    where: Compare | In | Exists, subject: Subject
) -> bool:
    """Return whether a comparison of one field stays true; steps that ended do not change."""
    field = where.field
    if field.is_judgement:
        return True  # judgements do not depend on later spans
    if subject is Subject.RUN and field.name in _UNSTEADY:
        return False
    if subject is Subject.STEP and field.name == "position":
        return False
    grows = subject is Subject.RUN and field.type in _NUMBERS
    match where:
        case Exists():
            return True
        case In(_, values):
            return not grows and False not in values
        case Compare(operator=operator) if operator in _DENYING:
            return subject is Subject.STEP
        case Compare(operator=operator, value=value):
            return operator in _LOWER if grows else value is not False


def _grows(number: Number) -> bool:
    """Return whether a calculated number can only increase while its run grows."""
    match number:
        case Constant(value):
            return value >= 0
        case Operand(field):
            return field.name not in _UNSTEADY and field.type in _NUMBERS
        case Counted(steps):
            return _of_step(steps)
        case Operation(left, sign, right):
            return sign in (Arithmetic.PLUS, Arithmetic.TIMES) and _grows(left) and _grows(right)
