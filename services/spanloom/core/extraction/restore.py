"""Restores a trajectory from spans that carry an imported document, without computing anything.

This requires all spans of the document and no span that the run itself sent. Otherwise the trace is
built like any other, from the steps that the dialect ``imported`` reads.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.conventions import imported as carried
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import (
    AgentStep,
    DuplicateOf,
    Failure,
    Kind,
    Metrics,
    Outcome,
    Pause,
    SpanVerdict,
    Status,
    Trajectory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.tree import SpanTree

_ROW_VERSION = attrgetter("row_version")
_MOST_DIGITS = 10
"""Maximum digits of the position of a step or an agent."""


def restore_trajectory(key: TraceKey, tree: SpanTree, extractor_version: str) -> Trajectory | None:
    """Return the trajectory that the spans carry; ``None`` if they carry none, or not all of it."""
    if any(span.scope_name != carried.SCOPE for span in tree.spans):
        return None
    roots = [span for span in tree.spans if carried.EXTRACTION in span.attributes]
    if not roots:
        return None
    root = max(roots, key=_ROW_VERSION)
    document = root.attributes.get(carried.DOCUMENT)
    count = root.attributes.get(carried.SPANS, "")
    spans = [span for span in tree.spans if span.attributes.get(carried.DOCUMENT) == document]
    if str(len(spans)) != count:
        return None
    try:
        return _restore(key, root, spans, tree, extractor_version)
    except (carried.NotCarriedError, KeyError):
        return None


def _restore(
    key: TraceKey, root: Span, spans: Sequence[Span], tree: SpanTree, extractor_version: str
) -> Trajectory:
    fields = carried.members(carried.load(root.attributes[carried.EXTRACTION]))
    counts = {name: carried.number(n) for name, n in carried.members(fields["step_counts"]).items()}
    known = sum(n for name, n in counts.items() if name != Kind.OTHER)
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=carried.read_step(root, carried.ROOT_METADATA),
        root_type=carried.read_kind(root),
        root_metrics=_metrics(root, carried.ROOT_METRICS),
        agent_steps=_agents(spans),
        verdicts=[_verdict(span, spans) for span in tree.spans],
        span_count=len(tree.spans),
        step_counts={**counts, Kind.OTHER: len(tree.spans) - known},
        dialects=carried.texts(fields["dialects"]),
        warnings=carried.texts(fields["warnings"]),
        extras={name: read(fields[name]) for name, read in EXTRAS.items() if name in fields},
        failures=[_failure(one) for one in _objects(fields.get("errors", []))],
        pauses=[_pause(one) for one in _objects(fields.get("pauses", []))],
        is_cancelled=fields.get("outcome") == Outcome.CANCELLED,
        is_unfinished=fields.get("outcome") == Outcome.UNFINISHED,
        is_resuming=fields.get("is_resuming") is True,
        duplicate_of=_original(fields["duplicate_of"]) if "duplicate_of" in fields else None,
        extractor_version=extractor_version,
        has_root=fields.get("status") != Status.PARTIAL,
    )


def _agents(spans: Sequence[Span]) -> Sequence[AgentStep]:
    agents = [span for span in spans if carried.AGENT_POSITION in span.attributes]
    owned: dict[str, list[Span]] = {span.span_id: [] for span in agents}
    for span in spans:
        if (owner := span.attributes.get(carried.OWNER)) is not None:
            owned[owner].append(span)
    return [
        AgentStep(
            carried.read_step(agent, carried.AGENT_METADATA),
            [
                carried.read_step(span, carried.STEP_METADATA)
                for span in _in_order(owned[agent.span_id], carried.POSITION)
            ],
            _metrics(agent, carried.AGENT_METRICS),
        )
        for agent in _in_order(agents, carried.AGENT_POSITION)
    ]


def _in_order(spans: Sequence[Span], key: str) -> Sequence[Span]:
    return sorted(spans, key=lambda span: (_position(span.attributes.get(key, "")), span.span_id))


def _position(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise carried.NotCarriedError("a position is needed")
    return int(text)


def _metrics(span: Span, key: str) -> Metrics:
    return carried.read_metrics(carried.load(span.attributes[key]))


def _verdict(span: Span, spans: Collection[Span]) -> SpanVerdict:
    """Return the classification of a span: a step, or other if it belongs to another document."""
    kind = carried.read_kind(span) if span in spans else Kind.OTHER
    is_step = kind is not Kind.OTHER
    return SpanVerdict(
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        name=span.name,
        kind=kind,
        step_id=span.span_id if is_step else None,
        dialect="imported",
        rule="imported.restored",
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        error=carried.read_error(span, {}) if is_step else None,
    )


def _failure(fields: Mapping[str, object]) -> Failure:
    error = StepError(
        code=carried.number(fields["code"]),
        message=carried.text(fields["msg"]),
        type=carried.text(fields["type"]),
        traceback=carried.text(fields.get("traceback", "")),
    )
    where, step_id = carried.text(fields["where"]), carried.text(fields["step_id"])
    return Failure(where, step_id, error, recovered=fields["recovered"] is True)


def _pause(fields: Mapping[str, object]) -> Pause:
    return Pause(*(carried.text(fields[name]) for name in ("where", "step_id", "question")))


def _original(value: object) -> DuplicateOf:
    fields = carried.members(value)
    return DuplicateOf(carried.text(fields["trace_id"]), carried.text(fields["span_id"]))


def _objects(value: object) -> Sequence[Mapping[str, object]]:
    if not isinstance(value, list):
        raise carried.NotCarriedError("a list is needed")
    return [carried.members(item) for item in value]


def _or_none(value: object) -> float | None:
    return None if value is None else carried.share(value)


def _cost(value: object) -> Mapping[str, object]:
    fields = carried.members(value)
    known = {name: read(fields[name]) for name, read in _COST.items() if name in fields}
    return {"usd": None, **known}


_COST: Mapping[str, Callable[[object], object]] = {
    "usd": _or_none,
    "known_usd": _or_none,
    "sources": carried.texts,
    "unpriced_calls": carried.number,
    "unpriced_models": carried.texts,
}
EXTRAS: Mapping[str, Callable[[object], object]] = {
    "llm_wall_ms": carried.number,
    "tool_wall_ms": carried.number,
    "time_to_first_token_ms": carried.share,
    "models": carried.texts,
    "agents": carried.texts,
    "services": carried.texts,
    "conversation_id": carried.text,
    "environment": carried.text,
    "release": carried.text,
    "user_id": carried.text,
    "tags": carried.texts,
    "metadata": carried.texts_by_name,
    "reported_cost": carried.share,
    "cost": _cost,
    "reasoning_tokens": carried.number,
    "cache_read_tokens": carried.number,
    "cache_creation_tokens": carried.number,
    "linked_traces": carried.texts,
}
"""The fields of ``extraction`` to restore, with functions that read their values."""
