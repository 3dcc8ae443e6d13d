"""What a condition needs of annotators and other evaluators: the subject has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.matching.verdict import NO_JUDGEMENTS, Judgements
from spanloom.core.query.where.fields import Subject as Of
from spanloom.core.query.where.reads import fields_read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.query.where.reads import FieldRead
    from spanloom.core.query.where.tree import Condition
    from spanloom.evaluation.contract.result import Value
    from spanloom.evaluation.subject.subject import Subject

ANNOTATED = "annotated"
"""The field, and the name among the subject's scores that tells whether a run is annotated."""


class MissingScoreError(Exception):
    """The condition needs a score, or an annotation, that nobody gave."""


def said_of(where: Condition, subject: Subject) -> Judgements:
    """Return the scores of the subject that a condition reads; raises ``MissingScoreError``.

    A score of a person, or of an evaluator before this one, that has no number is absent. One that
    could not be given is missing: whether the condition holds is not known.
    """
    asked = [read for read in fields_read(where) if read.field.is_judgement]
    if not asked:
        return NO_JUDGEMENTS
    scores = {read.key: list(_numbers(read, subject)) for read in asked if read.field.has_keys}
    flags = [_is_annotated(read, subject) for read in asked if not read.field.has_keys]
    return Judgements(any(flags), scores)


def _numbers(read: FieldRead, subject: Subject) -> Iterator[float]:
    name = f"score.{read.key}"
    if read.subject is Of.STEP:
        raise MissingScoreError(f"{name}: scores of steps are known to a service alone")
    given = [one for one in subject.earlier if one.name == read.key]
    if read.key not in subject.scores and not given:
        raise MissingScoreError(
            f"{name}: the run has no such score, and no evaluator before this one gave it"
        )
    if broken := [one for one in given if one.status in ("error", "skipped")]:
        raise MissingScoreError(f"{name}: it could not be given: {broken[0].rationale}")
    values: list[Value] = [one.value for one in given]
    for value in (subject.scores.get(read.key), *values):
        if isinstance(value, bool | int | float):
            yield float(value)


def _is_annotated(read: FieldRead, subject: Subject) -> bool:
    if read.subject is Of.STEP:
        raise MissingScoreError("annotated: annotations of steps are known to a service alone")
    if ANNOTATED not in subject.scores:
        raise MissingScoreError("annotated: whether the run is annotated is known to a service")
    return bool(subject.scores[ANNOTATED])
