"""A ``where`` as a condition of SQL, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from spanloom.core.query.where.fields import FieldType, Subject
from spanloom.core.query.where.tree import (
    And,
    Chain,
    Compare,
    Count,
    Exists,
    In,
    Not,
    Or,
    Under,
    Words,
)
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.where import comparisons, shapes, texts
from spanloom.storage.where.columns import COLUMNS
from spanloom.storage.where.guards import guards_of
from spanloom.storage.where.literals import Literals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.where import tree


def compile_where(where: tree.Condition) -> Condition:
    """Return the condition that a row of ``trajectory_list`` is a run that is asked for."""
    literals = Literals()
    text = to_sql(where, Subject.RUN, literals)
    return Condition(text, literals.values)


def to_sql(where: tree.Condition, subject: Subject, literals: Literals) -> str:
    """Return what a ``where`` of runs, or of steps, is in SQL; its values go to the literals."""
    match where:
        case And(parts) | Or(parts):
            return _joined(where, [to_sql(part, subject, literals) for part in parts])
        case Not(part):
            return f"(NOT {to_sql(part, subject, literals)})"
        case Compare() | In() | Exists():
            return _of_field(where, subject, literals)
        case Words(text):
            return texts.words_of_run(text, "", literals)
        case Count(steps, operator, number):
            counted = shapes.count_steps(_of_steps(steps, literals))
            return f"({counted} {operator.value} {literals.number(number)})"
        case Chain() | Under():
            return _guarded(where, literals)
    assert_never(where)


def _joined(where: And | Or, parts: Sequence[str]) -> str:
    return f"({(' AND ' if isinstance(where, And) else ' OR ').join(parts)})"


def _of_field(where: Compare | In | Exists, subject: Subject, literals: Literals) -> str:
    if where.field.type is FieldType.WORDS:
        return _words(where, subject, literals)
    column = COLUMNS[subject][where.field.name]
    match where:
        case Compare():
            return comparisons.compare(where, column, literals)
        case In():
            return comparisons.is_in(where, column, literals)
        case Exists():
            return comparisons.exists(where, column, literals)
    assert_never(where)


def _words(where: Compare | In | Exists, subject: Subject, literals: Literals) -> str:
    said = str(where.value) if isinstance(where, Compare) else ""
    find = texts.words_of_run if subject is Subject.RUN else texts.words_of_step
    return find(said, where.field.name, literals)


def _guarded(where: Chain | Under, literals: Literals) -> str:
    """Return a shape behind what each of its steps needs: that is looked up much faster."""
    steps = where.steps if isinstance(where, Chain) else (where.inner, where.outer)
    guards = [guard for step in steps for guard in guards_of(step, literals)]
    return f"({' AND '.join([*guards, _shape(where, literals)])})"


def _shape(where: Chain | Under, literals: Literals) -> str:
    match where:
        case Chain((only,), _):
            return shapes.any_step(_of_steps(only, literals))
        case Chain(steps, links):
            return shapes.chain([_of_steps(step, literals) for step in steps], links, literals)
        case Under(inner, outer, is_child):
            form = shapes.child_of if is_child else shapes.under
            return form(_of_steps(inner, literals), _of_steps(outer, literals))
    assert_never(where)


def _of_steps(where: tree.Condition, literals: Literals) -> str:
    return to_sql(where, Subject.STEP, literals)
