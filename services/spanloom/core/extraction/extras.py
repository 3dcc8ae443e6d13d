"""What a trajectory shows beyond the seed schema's fields, in its ``extraction`` object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.metrics import sum_usage, union_ns
from spanloom.core.model.trajectory import Step, StepType, names_of_agents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.tree import SpanTree

_SESSION = "session.id"
"""General semantic conventions of OpenTelemetry, "Session"."""
MAX_LINKED_TRACES = 100
Extras = dict[str, object]


def list_extras(
    tree: SpanTree, arranged: ArrangedSteps, by_type: Mapping[StepType, Sequence[Step]]
) -> Extras:
    """Return wall-clock times, time to the first token, names, further totals and linked traces."""
    models, agents = by_type[StepType.MODEL], by_type[StepType.AGENT]
    usage = sum_usage(models)
    first_tokens = [
        (s.start_ns - arranged.root.start_ns) / 1e6 + s.first_token_ms
        for s in models
        if s.first_token_ms is not None
    ]
    shown: Extras = {
        "llm_wall_ms": union_ns(models) // 1_000_000,
        "tool_wall_ms": union_ns(by_type[StepType.TOOL]) // 1_000_000,
        "time_to_first_token_ms": round(min(first_tokens), 3) if first_tokens else None,
        "models": sorted({s.model for s in models} - {""}),
        "agents": names_of_agents(agents),
        "services": sorted({span.service_name for span in tree.spans} - {""}) or None,
        "conversation_id": _conversation(tree, arranged),
        "reasoning_tokens": usage.reasoning_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_creation_tokens": usage.cache_creation_tokens,
    }
    known = {name: value for name, value in shown.items() if value is not None}
    return known | _links(tree)


def _conversation(tree: SpanTree, arranged: ArrangedSteps) -> str | None:
    """Return the conversation that the root names, else the only one that is named anywhere.

    What steps name comes before the ``session.id`` of whatever span: a web server's, above them.
    """
    if own := arranged.facts[arranged.root.id].conversation_id:
        return own
    named = {facts.conversation_id for facts in arranged.facts.values()} - {""}
    named = named or {span.attributes.get(_SESSION, "") for span in tree.spans} - {""}
    return named.pop() if len(named) == 1 else None


def _links(tree: SpanTree) -> Extras:
    """Name the traces that spans of this one point to, as message passing leaves them."""
    linked = {link.trace_id for span in tree.spans if span.links for link in span.links}
    others = sorted(linked - {tree.root.trace_id, ""})[:MAX_LINKED_TRACES]
    return {"linked_traces": others} if others else {}
