"""What an edit makes of a mark: checked against the scheme, joined with what others wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.annotation import MARK_FIELDS, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
