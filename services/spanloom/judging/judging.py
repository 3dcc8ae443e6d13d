"""Judges one run with evaluators; each result has the fingerprint of its evaluator's view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.evaluation.evaluate import fingerprints, judge_one
from spanloom.evaluation.subject.run import Run, UnreadableRunError
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator


class Judged(NamedTuple):
    """A result, its evaluator, and the fingerprint of the evaluator's view."""

    result: Result
    view_fingerprint: str
    """The fingerprint of the view; empty if the run cannot be read."""
    evaluator: Evaluator


def judge_run(
    document: object,
    evaluators: Sequence[Evaluator],
    *,
    expected: Mapping[str, Any] | None = None,  # JSON values
    scores: Mapping[str, float | bool | str | None] | None = None,
) -> Sequence[Judged]:
    """Return the results of all evaluators in order; never raises for an unreadable run.

    ``expected`` has the expected values of a dataset item; ``scores`` has the stored scores of the
    run, keyed by name, for conditions on scores. Failing evaluators have results of status
    ``error``.
    """
    subject = Subject(_read(document), dict(expected or {}), scores=dict(scores or {}))
    fingerprint_of = _fingerprints(subject, evaluators)
    judged: list[Judged] = []
    for evaluator in evaluators:
        for result in judge_one(subject, evaluator):
            subject.earlier.append(result)
            judged.append(Judged(result, fingerprint_of[evaluator.name], evaluator))
    return judged


def _read(document: object) -> object:
    """Return the run in a document, parsed once for all evaluators; other values are unchanged."""
    try:
        return document if isinstance(document, Run) else Run(document)
    except UnreadableRunError:  # each evaluator reports this in its result
        return document


def _fingerprints(subject: Subject, evaluators: Sequence[Evaluator]) -> Mapping[str, str]:
    if isinstance(run := subject.raw_run, Run):
        return fingerprints(run, evaluators)
    return dict.fromkeys((one.name for one in evaluators), "")
