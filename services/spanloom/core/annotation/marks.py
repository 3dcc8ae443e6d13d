"""Marks of an annotator: what an edit makes of them, their score, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.annotation import MARK_FIELDS, NOTHING, WHOLE, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.annotation.scheme import Scheme


MAX_RATIONALE = 20_000
"""Characters of a rationale."""
OF_ERRORS = ("error_type", "error_subtype", "severity", "rationale")
"""What is said of a step that is not correct, and cleared when it becomes so."""
Edit = dict[str, object]
"""The fields that somebody changes: texts by name, and ``value``, whose members are joined."""


class FieldProblem(NamedTuple):
    """What of an edit the scheme does not allow."""

    field: str
    reason: str


def is_wrong(scheme: Scheme, correctness: str) -> bool:
    """Return whether a step so judged has an error: every option but the right one."""
    return bool(correctness) and correctness != scheme.correct_option


def apply_edit(mark: Mark, edit: Edit, scheme: Scheme) -> Mark:
    """Return the mark with the fields of the edit.

    Where a step is not wrong any more, what was said of its error goes: so does a subtype when the
    type becomes another, unless the edit names one.
    """
    texts: dict[str, Any] = {n: str(edit[n] or "") for n in MARK_FIELDS if n in edit}
    if texts.get("error_type", mark.error_type) != mark.error_type:
        texts.setdefault("error_subtype", "")
    found = mark._replace(**texts)
    more = edit.get("value")
    if isinstance(more, dict):
        found = found._replace(value={**found.value, **more})
    if scheme.is_stepwise and scheme.options and not is_wrong(scheme, found.correctness):
        cleared: dict[str, Any] = dict.fromkeys(OF_ERRORS, "")
        found = found._replace(**cleared)
    return found


def conflicts(base: Mark, now: Mark, edit: Edit, scheme: Scheme) -> Sequence[str]:
    """Return the fields that the edit changes and somebody else has changed otherwise since.

    ``base`` is what the editor saw. Edits of different fields do not conflict: both are kept.
    """
    wanted, joined = apply_edit(base, edit, scheme), apply_edit(now, edit, scheme)
    return [
        name
        for name in (*MARK_FIELDS, "value")
        if getattr(wanted, name) != getattr(base, name)
        and getattr(now, name) != getattr(base, name)
        and getattr(now, name) != getattr(joined, name)
    ]


def find_problems(mark: Mark, edit: Edit, scheme: Scheme) -> Sequence[FieldProblem]:
    """Return what of an edit cannot be, ``mark`` being what it makes of the current one."""
    return list(_problems(mark, edit, scheme))


def _problems(mark: Mark, edit: Edit, scheme: Scheme) -> Iterator[FieldProblem]:
    if len(mark.rationale) > MAX_RATIONALE:
        yield FieldProblem("rationale", f"over {MAX_RATIONALE:,} characters")
    allowed = _allowed(mark, scheme)
    for name, options in allowed.items():
        if (said := getattr(mark, name)) and name in edit and said not in options:
            yield FieldProblem(name, f"{said!r} is none of {', '.join(options) or 'nothing'}")
    if scheme.is_stepwise and not is_wrong(scheme, mark.correctness):
        for name in OF_ERRORS:
            if edit.get(name):
                why = "is said of a step that is not correct: name its correctness too"
                yield FieldProblem(name, why)


def _allowed(mark: Mark, scheme: Scheme) -> Mapping[str, Sequence[str]]:
    return {
        "correctness": scheme.options,
        "error_type": [found.name for found in scheme.error_types],
        "error_subtype": scheme.subtypes_of(mark.error_type),
        "severity": [found.name for found in scheme.severities],
    }


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


_ATTRIBUTED = {"responsible_agent": "which agent is responsible", "decisive_step": "at which step"}


def what_is_missing(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> str:
    """Return what keeps an annotator from being done, in words; empty if nothing does.

    ``marks`` are theirs by step id, that of the whole run among them; ``steps`` are to be judged.
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
        if unsaid := [words for key, words in _ATTRIBUTED.items() if not whole.get(key)]:
            yield f"It is not said {' and '.join(unsaid)}."
    if scheme.needs_reason and (count := sum(map(_unexplained, marks.values()))):
        yield f"{count} corrections have no reason."


def _unexplained(mark: Mark) -> int:
    """Return how many corrections of a mark say not why."""
    corrections = mark.value.get("corrections")
    found = corrections if isinstance(corrections, list) else []
    return sum(isinstance(one, dict) and not one.get("reason") for one in found)
