"""The spans of a kept older version: verdicts are stored for the newest version only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document import AGENT, Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import DocumentStep

    Json = Mapping[str, Any]


def spans_of_document(document: Json) -> Sequence[Json]:
    """Return a span for each step of a canonical document, in the order of their starts.

    They have the shape of the stored verdicts without dialect and rule. Framework spans that are
    no steps are missing.
    """
    view = Document(document)
    root = view.root.id
    steps = sorted(view.by_id().values(), key=lambda step: (step.started_at, step.id != root))
    return [_span(step) for step in steps]


def _span(step: DocumentStep) -> Json:
    info = step.basic_info
    return {
        "span_id": step.id,
        "step_id": step.id,
        "parent_span_id": "" if step.parent_id == step.id else step.parent_id,
        "kind": step.type or AGENT,
        "name": step.name,
        "started_at": info["started_at"],
        "duration": info["duration"],
        "error": (step.error or {}).get("msg"),
    }
