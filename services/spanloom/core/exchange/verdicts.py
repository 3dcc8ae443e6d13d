"""Makes classified spans from the steps of a document that comes without spans.

Thus any canonical document can be written in a format that needs classified spans
(``Format.needs_spans``). Spans that were not steps are missing, as they are in the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.document import DocumentStep

_OTHER = "other"


def verdicts_of(document: Mapping[str, Any]) -> bytes:  # any JSON value
    """Return classified spans as ``/v1/trajectories/{trace_id}/spans`` does.

    The root is first, then the others, ordered by start.
    """
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
