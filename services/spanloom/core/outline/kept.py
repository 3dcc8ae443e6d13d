"""What a kept document tells of spans: verdicts are stored for the newest version alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.outline.steps import places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Json = Mapping[str, Any]


def spans_of_document(document: Json) -> Sequence[Json]:
    """Return a span for each step of a canonical document, in the order of their starts.

    They have the shape of the stored verdicts without dialect and rule. Framework spans, which are
    no steps, are not among them.
    """
    root = document["root_step"]["id"]
    kinds = {
        step["id"]: step["type"] for agent in document["agent_steps"] for step in agent["steps"]
    }
    kinds |= dict.fromkeys((agent["id"] for agent in document["agent_steps"]), "agent")
    kinds.setdefault(root, document["extraction"].get("root_type") or "agent")
    found = [
        _span(step_id, place.step, place.parent_id, kinds[step_id])
        for step_id, place in places(document).items()
    ]
    return sorted(found, key=lambda span: (int(span["started_at"]), span["span_id"] != root))


def _span(step_id: str, step: Json, parent_id: str, kind: str) -> Json:
    basic = step["basic_info"]
    return {
        "span_id": step_id,
        "step_id": step_id,
        "parent_span_id": "" if parent_id == step_id else parent_id,
        "kind": kind,
        "name": step.get("name") or "",
        "started_at": basic["started_at"],
        "duration": basic["duration"],
        "error": (basic.get("error") or {}).get("msg"),
    }
