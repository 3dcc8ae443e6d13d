"""Converts annotation rows to the steps of an export entry, and entries back to writes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.annotation.requests import Session, Write
from spanloom.core.annotation.marks import find_problems
from spanloom.core.annotation.potato.entries import read_mark, read_steps
from spanloom.core.model.annotation import MARK_FIELDS, WHOLE, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.annotation.reading import ResolvedAnnotation
    from spanloom.core.annotation.anchors import Anchors
    from spanloom.core.annotation.scheme import Scheme


if TYPE_CHECKING:
    Json = dict[str, Any]  # a JSON object


OURS = frozenset(
    {"revision", "at", "state", "standing", "version", "stands_at", "reason", "places"}
)
"""Keys of an exported step that describe its row, not its mark."""


class RefusedEntryError(ValueError):
    """An entry cannot be imported; the message says why."""


def write_step(row: ResolvedAnnotation, places: dict[str, int]) -> Json:
    """Return a row as a step of an entry; ``places`` are step indexes in the item by step id."""
    annotation, standing = row.annotation, row.standing
    shown: Json = {"step_id": annotation.slot.step_id, **texts_of(annotation.mark)}
    if (at := places.get(standing.step_id)) is not None:
        shown["step_index"] = at
    if annotation.mark.value:
        shown["value"] = dict(annotation.mark.value)
    if row.places:
        shown["places"] = plain_places(row)
    return {
        **shown,
        "revision": annotation.revision,
        "at": str(annotation.at_us // 1_000),
        "version": annotation.anchor.version,
        "state": standing.state.value,
        "stands_at": standing.step_id,
    }


def plain_places(row: ResolvedAnnotation) -> list[Sequence[int] | None]:
    """Return the current bounds of a row's places as JSON lists; ``None`` where not found."""
    return [None if bounds is None else [*bounds] for bounds in row.places]


def texts_of(mark: Mark) -> Json:
    """Return the non-empty text fields of a mark."""
    return {name: getattr(mark, name) for name in MARK_FIELDS if getattr(mark, name)}


def marks_of(entry: Json, anchors: Anchors) -> Iterator[tuple[str, Mark]]:
    """Yield the marks of an entry by step id; raises ``RefusedEntryError``."""
    indexed = list(read_steps(entry))
    judged, steps = anchors.judged, entry.get("steps") or []
    count = entry.get("n_steps", len(steps) if isinstance(steps, list) else 0)
    for at, step in indexed:
        step_id = step.get("step_id")
        if step_id is None:
            if count != len(judged):
                why = f"it has {count} steps and the trajectory {len(judged)}"
                raise RefusedEntryError(f"{why}, and they are not named by step_id")
            if not 0 <= at < len(judged):
                raise RefusedEntryError(f"there is no step {at}")
            step_id = judged[at]
        if step_id not in anchors.by_id:
            raise RefusedEntryError(f"the trajectory has no step {step_id!r}")
        yield str(step_id), read_mark(step, OURS)
    whole = entry.get("value")
    if isinstance(whole, dict) and whole:
        yield WHOLE, read_mark(whole)


def as_write(session: Session, step_id: str, mark: Mark) -> Write:
    """Return a mark as a write with a hash of its content as id, so that repeats are recognised."""
    edit = {**{name: getattr(mark, name) for name in MARK_FIELDS}, "value": dict(mark.value)}
    content = orjson.dumps(
        [session.scheme.name, session.annotator, step_id, edit], option=orjson.OPT_SORT_KEYS
    )
    return Write(step_id, f"import-{blake2b(content, digest_size=16).hexdigest()}", edit)


def is_stored(held: Mark | None, mark: Mark) -> bool:
    """Return whether the stored mark ``held`` contains a mark; its value may have more keys."""
    if held is None or any(getattr(held, name) != getattr(mark, name) for name in MARK_FIELDS):
        return False
    return all(held.value.get(key) == value for key, value in mark.value.items())


def flags_of(scheme: Scheme, marks: dict[str, Mark]) -> Sequence[str]:
    """Return a message for each field of the marks that the scheme does not allow."""
    return [
        f"step {step_id or '(whole)'}: {field}: {reason}"
        for step_id, mark in marks.items()
        for field, reason in find_problems(mark, {**mark._asdict()}, scheme)
    ]
