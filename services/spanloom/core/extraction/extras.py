"""Collects a run's names, totals and linked traces for ``extraction`` in its document."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import orjson

from spanloom.core.conventions.releases import release_of
from spanloom.core.conventions.run_context import OWN
from spanloom.core.extraction.metrics import sum_costs, sum_usage, union_ns
from spanloom.core.model.step import StepType, names_of_agents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Step
    from spanloom.core.model.tree import SpanTree

_SESSION = "session.id"
"""The key of a session id, from OpenTelemetry's general semantic conventions ("Session")."""
_HTTP = frozenset({"http.request.method", "http.method"})
MAX_LINKED_TRACES = 100
Extras = dict[str, object]


def list_extras(
    tree: SpanTree, arranged: ArrangedSteps, by_type: Mapping[StepType, Sequence[Step]]
) -> Extras:
    """Return wall-clock times, time to the first token, names, further totals and linked traces."""
    models, agents = by_type[StepType.MODEL], by_type[StepType.AGENT]
    usage = sum_usage(models)
    shown: Extras = {
        "llm_wall_ms": union_ns(models) // 1_000_000,
        "tool_wall_ms": union_ns(by_type[StepType.TOOL]) // 1_000_000,
        "time_to_first_token_ms": _first_token_ms(arranged.root, models),
        "models": sorted({s.model for s in models} - {""}),
        "agents": names_of_agents(agents),
        "services": sorted({span.service_name for span in tree.spans} - {""}) or None,
        "conversation_id": _conversation(tree, arranged),
        "environment": _only("environment", arranged),
        "release": release_of(tree.spans, tree.root),
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


def _first_token_ms(root: Step, models: Sequence[Step]) -> float | None:
    """Return the milliseconds from the start of the run to the first token of any model call."""
    times = [
        (s.start_ns - root.start_ns) / 1e6 + s.first_token_ms
        for s in models
        if s.first_token_ms is not None
    ]
    return round(min(times), 3) if times else None


def _conversation(tree: SpanTree, arranged: ArrangedSteps) -> str | None:
    """Return the root's conversation id, or the only id in the trace; ``None`` if ambiguous.

    An id that every agent and call has is preferred to a web server's ``session.id``. If there are
    several ids, steps inside a step with an id are ignored, because an inner agent may have a
    conversation of its own.
    """
    if own := arranged.facts[arranged.root.id].conversation_id:
        return own
    named = {i: each for i, f in arranged.facts.items() if (each := f.conversation_id)}
    session = tree.root.attributes.get(_SESSION, "")
    if session and not (_is_web_server(tree.root) and _is_of_all(named, arranged.steps)):
        return session
    ids = set(named.values())
    if len(ids) > 1:
        ids = {each for i, each in named.items() if not _is_inside(i, named, arranged.steps)}
    ids = ids or {span.attributes.get(_SESSION, "") for span in tree.spans} - {""}
    return ids.pop() if len(ids) == 1 else None


def _is_web_server(span: Span) -> bool:
    return span.kind == "Server" or not _HTTP.isdisjoint(span.attributes)


def _is_of_all(named: Mapping[str, str], steps: Mapping[str, Step]) -> bool:
    """Return whether all agents and model calls have the same conversation id."""
    own = [i for i, step in steps.items() if step.type in (StepType.AGENT, StepType.MODEL)]
    return len({named.get(i, "") for i in own}) == 1 and own[0] in named


def _is_inside(step_id: str, named: Mapping[str, str], steps: Mapping[str, Step]) -> bool:
    """Return whether an ancestor of the step has a conversation id too."""
    step = steps.get(step_id)
    while step is not None and step.parent_id:
        if step.parent_id in named:
            return True
        step = steps.get(step.parent_id)
    return False


def _only(name: str, arranged: ArrangedSteps) -> str | None:
    """Return the root's metadata value, or else the steps' only value; ``None`` if they differ."""
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
    """Return the sender's own metadata from the root, or else from the first agent below it."""
    for step in (arranged.root, *agents[:1]):
        own = {k.removeprefix(OWN): v for k, v in step.metadata.items() if k.startswith(OWN)}
        if own:
            return own
    return None


def _cost(models: Sequence[Step]) -> float | None:
    """Return the sum of the costs that the sender reported, in the sender's currency."""
    costs = [Decimal(s.metadata["reported_cost"]) for s in models if "reported_cost" in s.metadata]
    return float(sum(costs)) if costs else None


def _links(tree: SpanTree) -> Extras:
    """Return the other traces to which span links refer, as messaging systems set them."""
    linked = {link.trace_id for span in tree.spans if span.links for link in span.links}
    others = sorted(linked - {tree.root.trace_id, ""})[:MAX_LINKED_TRACES]
    return {"linked_traces": others} if others else {}
