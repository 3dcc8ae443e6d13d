"""Replaces the ids of a run with their hashes, so that a file imported twice gives one copy."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from spanloom.core.document import AGENTS, EXTRACTION, ROOT, Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.formats.json_bytes import Json

_KEPT = frozenset({"metadata", "input", "output", "name"})
"""Members that contain texts, in which ids are not replaced."""
_OF_SCORE = ("trace_id", "step_id", "evidence")
"""Members of a score that contain the id of its run or of a step."""


def renewed(document: Json) -> Json:
    """Return the document with new ids for the run and its steps, otherwise unchanged."""
    view = Document(document)
    ids = {step_id: _hash(step_id, 16) for step_id in view.by_id()}
    ids[view.id] = _hash(view.id, 32)
    named = {key: _with(value, ids) for key, value in document.items() if key in (ROOT, AGENTS)}
    extraction = _with(document.get(EXTRACTION), ids)
    return {**document, "id": ids[view.id], **named, EXTRACTION: extraction}


def renewed_score(row: Json) -> Json:
    """Return a score with the new ids that ``renewed`` gives to its run and steps."""
    ids = {row["trace_id"]: _hash(row["trace_id"], 32)}
    named = [row.get("step_id"), *(one.get("step_id") for one in row.get("evidence") or ())]
    ids |= {step_id: _hash(step_id, 16) for step_id in named if step_id}
    moved = {key: _with(row[key], ids) for key in _OF_SCORE if key in row}
    return {**row, **moved}


def _hash(old: str, digits: int) -> str:
    return hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()[:digits]


def _with(value: Any, ids: Mapping[str, str]) -> Any:  # any JSON value
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, list):
        return [_with(item, ids) for item in value]
    if isinstance(value, dict):
        return {k: item if k in _KEPT else _with(item, ids) for k, item in value.items()}
    return value
