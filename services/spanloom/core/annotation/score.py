"""What the marks of one annotator come to: the highest score less what severities weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.marks import is_wrong

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Mark


class Score(NamedTuple):
    """A score, always a number, and whether anything is missing from it."""

    value: float
    is_complete: bool
    unjudged: int
    """Steps that nobody has judged."""
    unweighed: int
    """Wrong steps without a severity of the scheme; none where it has none."""


def penalty_of(scheme: Scheme, mark: Mark) -> float:
    """Return what a mark takes off: nothing of a correct step, or without a known severity."""
    if not scheme.has_score or not is_wrong(scheme, mark.correctness):
        return 0.0
    return scheme.weight_of(mark.severity)


def score_of(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> Score:
    """Return the score of marks by step id; ``steps`` are those that are to be judged.

    Partially correct weighs like incorrect. Complete is a score when every step is judged and every
    wrong one has a severity, if the scheme has any; type and rationale are not needed for it.
    """
    known = {severity.name for severity in scheme.severities}
    judged = {step_id: mark for step_id, mark in marks.items() if mark.correctness}
    wrong = [mark for mark in judged.values() if is_wrong(scheme, mark.correctness)]
    unjudged = len(steps) - sum(step_id in steps for step_id in judged)
    unweighed = sum(mark.severity not in known for mark in wrong) if known else 0
    off = sum(penalty_of(scheme, mark) for mark in wrong)
    return Score(max(0.0, scheme.max_score - off), not unjudged + unweighed, unjudged, unweighed)


def plain(value: float) -> float:
    """Return a whole number as Potato writes it: 95, not 95.0."""
    return int(value) if value == int(value) else value
