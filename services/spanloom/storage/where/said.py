"""Conditions on what people and evaluators say: annotations and scores, those that are current.

Their rows stand in tables of their own, whose project is part of the condition as it is of that
on the runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import Compare, Exists, In, Operator
from spanloom.storage.where.columns import Column

if TYPE_CHECKING:
    from spanloom.storage.where.beside import Beside
    from spanloom.storage.where.literals import Literals

_STEP_ID = "leftPad(lower(hex(StepId)), 16, '0')"
_PLACES = {Subject.RUN: "(Project, TraceId)", Subject.STEP: f"(Project, TraceId, {_STEP_ID})"}
_NAMED = {Subject.RUN: "Project, TraceId", Subject.STEP: "Project, TraceId, StepId"}
_NUMBER = "assumeNotNull(told.1)"
_TARGETS = {Subject.RUN: "trajectory", Subject.STEP: "step"}


def annotated(subject: Subject, beside: Beside, literals: Literals) -> Column:
    """Return the flag that of some annotation the last word was not to take it back."""
    literals.values.update(beside.said.values)
    return Column(
        f"({_PLACES[subject]} IN (SELECT {_NAMED[subject]} FROM annotations"  # noqa: S608
        f" WHERE {beside.said.text} GROUP BY Project, TraceId, Scheme, Annotator, StepId"
        " HAVING NOT argMax(IsDeleted, (Revision, AtUnixMicro, WriteId))))"
    )


def scored(
    where: Compare | In | Exists, subject: Subject, beside: Beside, literals: Literals
) -> str:
    """Return the condition that one of the numbers of a score compares so.

    ``!=`` says that there are some, and none that is equal.
    """
    literals.values.update(beside.said.values)
    name = literals.text(where.key)
    match where:
        case Compare(field, Operator.NOT_EQUAL, value):
            equal = f"{_NUMBER} = {literals.of(field.type, value)}"
            some, none = (_any_score(subject, beside, name, c) for c in ("true", equal))
            return f"({some} AND NOT {none})"
        case Compare(field, operator, value):
            asked = f"{_NUMBER} {operator.value} {literals.of(field.type, value)}"
        case In(field, values):
            asked = f"has({literals.list_of(field.type, values)}, {_NUMBER})"
        case Exists():
            asked = "true"
    return _any_score(subject, beside, name, asked)


def _any_score(subject: Subject, beside: Beside, name: str, asked: str) -> str:
    """Return the condition that a current score of a name meets another condition."""
    last = "argMax((ValueNumber, NOT IsDeleted AND Status = 'ok'), Revision)"
    return (
        f"({_PLACES[subject]} IN (SELECT {_NAMED[subject]} FROM ("  # noqa: S608  # no literal
        f"SELECT {_NAMED[subject]}, {last} AS told FROM scores WHERE {beside.said.text}"
        f" AND Target = '{_TARGETS[subject]}' AND Name = {name}"
        " GROUP BY Project, TraceId, StepId, ScoreId)"
        f" WHERE told.2 AND isNotNull(told.1) AND {asked}))"
    )
