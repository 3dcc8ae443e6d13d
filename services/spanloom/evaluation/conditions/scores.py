"""Reads the scores and annotations of a subject that a condition refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.matching.verdict import NO_JUDGEMENTS, Judgements
from spanloom.core.model.score import FAULTS
from spanloom.core.query.where.fields import Subject as Of
from spanloom.core.query.where.reads import fields_read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.query.where.reads import FieldRead
    from spanloom.core.query.where.tree import Condition
    from spanloom.evaluation.contract.result import Value
    from spanloom.evaluation.subject.subject import Subject

ANNOTATED = "annotated"
"""The query field and score key whose value is whether the run is annotated."""


class MissingScoreError(Exception):
    """The condition refers to a score or an annotation that the subject lacks."""


def scores_read(where: Condition, subject: Subject) -> Judgements:
    """Return the scores of the subject that a condition refers to; raises ``MissingScoreError``.

    Scores that are not numbers are left out. A score whose evaluator failed or was skipped is
    missing, so the condition cannot be decided.
    """
    reads = [read for read in fields_read(where) if read.field.is_judgement]
    if not reads:
        return NO_JUDGEMENTS
    scores = {read.key: list(_numbers(read, subject)) for read in reads if read.field.has_keys}
    flags = [_is_annotated(read, subject) for read in reads if not read.field.has_keys]
    return Judgements(any(flags), scores)


def _numbers(read: FieldRead, subject: Subject) -> Iterator[float]:
    name = f"score.{read.key}"
    if read.subject is Of.STEP:
        raise MissingScoreError(f"{name}: only a service has scores of steps")
    results = [one for one in subject.earlier if one.name == read.key]
    if read.key not in subject.scores and not results:
        raise MissingScoreError(
            f"{name}: the run has no such score, and no evaluator before this one gave it"
        )
    if broken := [one for one in results if one.status in FAULTS]:
        raise MissingScoreError(f"{name}: it could not be computed: {broken[0].rationale}")
    values: list[Value] = [one.value for one in results]
    for value in (subject.scores.get(read.key), *values):
        if isinstance(value, bool | int | float):
            yield float(value)


def _is_annotated(read: FieldRead, subject: Subject) -> bool:
    if read.subject is Of.STEP:
        raise MissingScoreError("annotated: only a service has annotations of steps")
    if ANNOTATED not in subject.scores:
        raise MissingScoreError("annotated: whether the run is annotated is known to a service")
    return bool(subject.scores[ANNOTATED])
