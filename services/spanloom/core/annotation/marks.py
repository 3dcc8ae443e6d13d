"""Applies edits to annotations (``Mark``), finds conflicts and problems, and computes scores.

The page implements edits, conflicts and scores too, so that annotators can work while the service
cannot be reached (``viewer/static/annotate``: ``marks.js``, ``writes.js``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.annotation import MARK_FIELDS, NOTHING, WHOLE, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.annotation.scheme import Scheme


MAX_RATIONALE = 20_000
"""Maximum length of a rationale, in characters."""
OF_ERRORS = ("error_type", "error_subtype", "severity", "rationale")
"""Fields that describe the error of a wrong step; cleared when the step becomes correct."""
Edit = dict[str, object]
"""Changed fields of a mark, keyed by name; members of ``value`` are merged into the old value."""


class FieldProblem(NamedTuple):
    """A field in an edit that the scheme does not allow, and the reason."""

    field: str
    reason: str


def is_wrong(scheme: Scheme, correctness: str) -> bool:
    """Return whether a chosen option is not the correct one; ``False`` if none is chosen."""
    return bool(correctness) and correctness != scheme.correct_option


def apply_edit(mark: Mark, edit: Edit, scheme: Scheme) -> Mark:
    """Return the annotation with the changed fields of the edit.

    A step that is no longer wrong loses its error fields. A new error type clears the subtype
    unless the edit names one.
    """
    texts: dict[str, Any] = {n: str(edit[n] or "") for n in MARK_FIELDS if n in edit}
    if texts.get("error_type", mark.error_type) != mark.error_type:
        texts.setdefault("error_subtype", "")
    edited = mark._replace(**texts)
    more = edit.get("value")
    if isinstance(more, dict):
        edited = edited._replace(value={**edited.value, **more})
    if scheme.is_stepwise and scheme.options and not is_wrong(scheme, edited.correctness):
        cleared: dict[str, Any] = dict.fromkeys(OF_ERRORS, "")
        edited = edited._replace(**cleared)
    return edited


def conflicts(base: Mark, now: Mark, edit: Edit, scheme: Scheme) -> Sequence[str]:
    """Return the fields in the edit that another edit has meanwhile changed to another value.

    ``base`` is the mark as the editor saw it, ``now`` the current mark. Edits of different fields
    do not conflict.
    """
    intended, joined = apply_edit(base, edit, scheme), apply_edit(now, edit, scheme)
    return [
        name
        for name in (*MARK_FIELDS, "value")
        if getattr(intended, name) != getattr(base, name)
        and getattr(now, name) != getattr(base, name)
        and getattr(now, name) != getattr(joined, name)
    ]


def find_problems(mark: Mark, edit: Edit, scheme: Scheme) -> Sequence[FieldProblem]:
    """Return the problems in an edit; ``mark`` is the current mark with the edit applied."""
    return list(_problems(mark, edit, scheme))


def _problems(mark: Mark, edit: Edit, scheme: Scheme) -> Iterator[FieldProblem]:
    if len(mark.rationale) > MAX_RATIONALE:
        yield FieldProblem("rationale", f"over {MAX_RATIONALE:,} characters")
    allowed = _allowed(mark, scheme)
    for name, options in allowed.items():
        if (text := getattr(mark, name)) and name in edit and text not in options:
            yield FieldProblem(name, f"{text!r} is none of {', '.join(options) or 'nothing'}")
    if scheme.is_stepwise and not is_wrong(scheme, mark.correctness):
        for name in OF_ERRORS:
            if edit.get(name):
                why = "is only for steps that are not correct: set correctness too"
                yield FieldProblem(name, why)


def _allowed(mark: Mark, scheme: Scheme) -> Mapping[str, Sequence[str]]:
    return {
        "correctness": scheme.options,
        "error_type": [error_type.name for error_type in scheme.error_types],
        "error_subtype": scheme.subtypes_of(mark.error_type),
        "severity": [severity.name for severity in scheme.severities],
    }


class Score(NamedTuple):
    """The score of a run, and how many judgements and severities are missing in it."""

    value: float
    is_complete: bool
    unjudged: int
    """Number of steps without a judgement."""
    unweighed: int
    """Number of wrong steps without a known severity; 0 if the scheme has no severities."""


def penalty_of(scheme: Scheme, mark: Mark) -> float:
    """Return the penalty of an annotation; 0 for a correct step or an unknown severity."""
    if not scheme.has_score or not is_wrong(scheme, mark.correctness):
        return 0.0
    return scheme.weight_of(mark.severity)


def score_of(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> Score:
    """Compute the score of a run; ``marks`` is keyed by step id, ``steps`` are the steps to judge.

    A partially correct step counts like an incorrect step. A score is complete if every step is
    judged, and, if the scheme has severities, every wrong step has a severity; error type and
    rationale are not required.
    """
    known = {severity.name for severity in scheme.severities}
    judged = {step_id: mark for step_id, mark in marks.items() if mark.correctness}
    wrong = [mark for mark in judged.values() if is_wrong(scheme, mark.correctness)]
    unjudged = len(steps) - sum(step_id in steps for step_id in judged)
    unweighed = sum(mark.severity not in known for mark in wrong) if known else 0
    off = sum(penalty_of(scheme, mark) for mark in wrong)
    return Score(max(0.0, scheme.max_score - off), not unjudged + unweighed, unjudged, unweighed)


def plain(value: float) -> float:
    """Return a whole number as an int, because Potato writes 95, not 95.0."""
    return int(value) if value == int(value) else value


_ATTRIBUTED = {"responsible_agent": "which agent is responsible", "decisive_step": "at which step"}


def what_is_missing(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> str:
    """Return a sentence on what an annotator still has to do; empty if the run is complete.

    ``marks`` are the annotator's marks, keyed by step id, or by ``WHOLE`` for the whole run;
    ``steps`` are the steps to judge.
    """
    return " ".join(_missing(scheme, marks, steps))


def _missing(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> Iterator[str]:
    if scheme.is_required and scheme.is_stepwise:
        score = score_of(scheme, marks, steps)
        if not score.is_complete:
            wrong = f"{score.unweighed} wrong ones have no severity"
            yield f"{score.unjudged} steps are not judged, and {wrong}."
    if scheme.is_required and scheme.kind == "failure_attribution":
        whole = marks.get(WHOLE, NOTHING).value
        if missing := [words for key, words in _ATTRIBUTED.items() if not whole.get(key)]:
            yield f"It is not said {' and '.join(missing)}."
    if scheme.needs_reason and (count := sum(map(_unexplained, marks.values()))):
        yield f"{count} corrections have no reason."


def _unexplained(mark: Mark) -> int:
    """Return how many corrections in an annotation have no reason."""
    corrections = mark.value.get("corrections")
    listed = corrections if isinstance(corrections, list) else []
    return sum(isinstance(one, dict) and not one.get("reason") for one in listed)
