"""Compute what the ``extraction`` object has beyond the fields of the seed schema."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import orjson

from spanloom.core.conventions.run_context import OWN
from spanloom.core.extraction.metrics import sum_costs, sum_usage, union_ns
from spanloom.core.model.trajectory import Step, StepType, names_of_agents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.tree import SpanTree

_SESSION = "session.id"
"""From OpenTelemetry's general semantic conventions, "Session"."""
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
        "environment": _only("environment", arranged),
        "user_id": _only("user_id", arranged),
        "tags": _tags(arranged),
        "metadata": _own_metadata(arranged, agents),
        "reported_cost": _cost(models),
        "cost": sum_costs(models),
        "reasoning_tokens": usage.reasoning_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_creation_tokens": usage.cache_creation_tokens,
    }
    known = {name: value for name, value in shown.items() if value is not None}
    return known | _links(tree)


def _conversation(tree: SpanTree, arranged: ArrangedSteps) -> str | None:
    """Return the root's conversation id, else the only one in the trace; ``None`` if ambiguous.

    Ids of steps take precedence over the ``session.id`` of other spans, such as a web server's.
    """
    if own := arranged.facts[arranged.root.id].conversation_id:
        return own
    named = {facts.conversation_id for facts in arranged.facts.values()} - {""}
    named = named or {span.attributes.get(_SESSION, "") for span in tree.spans} - {""}
    return named.pop() if len(named) == 1 else None


def _only(name: str, arranged: ArrangedSteps) -> str | None:
    """Return the root's value, else the value on which all steps that have one agree."""
    if own := arranged.root.metadata.get(name):
        return own
    values = {step.metadata[name] for step in arranged.steps.values() if name in step.metadata}
    return values.pop() if len(values) == 1 else None


def _tags(arranged: ArrangedSteps) -> list[str] | None:
    """Return the tags of the run and of all its steps, sorted."""
    steps = (arranged.root, *arranged.steps.values())
    lists = {step.metadata["tags"] for step in steps if "tags" in step.metadata}
    return sorted({tag for tags in lists for tag in orjson.loads(tags)}) or None


def _own_metadata(arranged: ArrangedSteps, agents: Sequence[Step]) -> dict[str, str] | None:
    """Return the sender's own metadata of the root, else of the first agent below it."""
    for step in (arranged.root, *agents[:1]):
        own = {k.removeprefix(OWN): v for k, v in step.metadata.items() if k.startswith(OWN)}
        if own:
            return own
    return None


def _cost(models: Sequence[Step]) -> float | None:
    """Return the sum of the costs that the sender reports, in its currency."""
    costs = [Decimal(s.metadata["reported_cost"]) for s in models if "reported_cost" in s.metadata]
    return float(sum(costs)) if costs else None


def _links(tree: SpanTree) -> Extras:
    """Return the traces that span links of this one refer to, as messaging systems set them."""
    linked = {link.trace_id for span in tree.spans if span.links for link in span.links}
    others = sorted(linked - {tree.root.trace_id, ""})[:MAX_LINKED_TRACES]
    return {"linked_traces": others} if others else {}
