"""Verdicts of spans for a document that comes without spans: every step is its own span.

Formats that are written from the verdicts (``Format.needs_spans``) so show the steps of any
canonical document; spans that were no steps are missing, as they are in the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.document import DocumentStep

_OTHER = "other"


def verdicts_of(document: Mapping[str, Any]) -> bytes:  # as JSON has it
    """Return the JSON list of verdicts, by start, as ``/v1/trajectories/{trace_id}/spans``."""
    view = Document(document)
    root = view.root
    others = [step for step in view.by_id().values() if step.id != root.id]
    ordered = [root, *sorted(others, key=lambda step: (step.started_at, step.id))]
    return dump([_verdict(step, step.id == root.id, root.id) for step in ordered])


def _verdict(step: DocumentStep, is_root: bool, root_id: str) -> Mapping[str, object]:
    kind = step.type or _OTHER
    return {
        "span_id": step.id,
        "parent_span_id": None if is_root else step.parent_id or root_id,
        "name": step.name,
        "kind": kind,
        "step_id": None if kind == _OTHER else step.id,
        "started_at": str(step.started_at),
        "duration": str(step.duration),
    }
