"""Changes captured runs in ways after which extraction must still find what they report."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import spooled

from spanloom.core.extract import extract
from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from tests.support.ground_truth import Capture

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory

_NODE = re.compile(r"node or (?:task|component) (\w+) of the script")
_COMPOUND = re.compile(r"[_-]")
_FIXED = {
    *("LangGraph", "ReActAgent", "task", "converter"),  # named by a library, not by the author
}
CUT_CHARS = 1024
TEXTS = (
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion"),
    *("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "input.value", "output.value"),
    *("traceloop.entity.input", "traceloop.entity.output", "ai.prompt.messages"),
)
"""Attributes with the inputs and outputs of steps."""
_CONSONANTS = "bcdfghjklmnpqrstvwxz"


@cache
def traces_of(capture: Capture) -> Mapping[TraceKey, Sequence[Span]]:
    """Return the spans of each trace of a capture, as they are stored."""
    return stored_traces(capture.requests())


def stored_traces(
    messages: Iterable[ExportTraceServiceRequest | bytes],
) -> Mapping[TraceKey, Sequence[Span]]:
    """Return the spans of each trace of OTLP messages, as they are stored."""
    store = MemoryStore()
    store.spans.append([spooled(message, "p") for message in messages])
    return store.spans.read_spans([change.key for change in store.progress.unextracted()])


def extract_all(
    traces: Mapping[TraceKey, Sequence[Span]], change: Callable[[Span], Span]
) -> list[Trajectory]:
    """Extract each trace after changing each of its spans."""
    return [extract(key, map(change, spans)) for key, spans in sorted(traces.items())]


@cache
def unchanged(capture: Capture) -> Sequence[Trajectory]:
    """Return the trajectories extracted from an unchanged capture."""
    return extract_all(traces_of(capture), same)


def structure(trajectories: Sequence[Trajectory]) -> list[object]:
    """Return the kind, step and owner of each span."""
    return [
        (
            [(v.span_id, v.kind, v.step_id) for v in t.verdicts],
            [(a.step.id, [s.id for s in a.steps]) for a in t.agent_steps],
        )
        for t in trajectories
    ]


def outline(trajectories: Sequence[Trajectory]) -> list[object]:
    """Return everything that must not depend on names and texts: the structure and the numbers."""
    return [structure(trajectories), [t.root_metrics for t in trajectories]]


def new_names(capture: Capture) -> dict[str, str]:
    """Return a new name without words for each model and each name chosen by the author."""
    chance = random.Random(capture.id)
    truth = capture.truth
    names = {part["name"] for part in (*truth["components"], *truth["tool_runs"])}
    names |= {call["model"] for call in truth.get("model_calls", ()) if call.get("model")}
    nodes = (_NODE.match(span["why"]) for span in truth["spans"].values())
    names |= {node[1] for node in nodes if node}
    return {
        name: "".join(c if c in "_-" else chance.choice(_CONSONANTS) for c in name)
        for name in sorted(names - _FIXED, key=lambda name: (-len(name), name))
    }


def renamed(names: Mapping[str, str]) -> Callable[[Span], Span]:
    """Return a function that renames everything in a span: its name, attributes and events."""
    # A compound name may be part of others (``transfer_to_…``), a single word may not.
    patterns = [n if _COMPOUND.search(n) else rf"\b{n}\b" for n in names]
    pattern = re.compile("|".join(patterns) or "(?!)")

    def new(text: str) -> str:
        return pattern.sub(lambda name: names[name[0]], text)

    def rename(span: Span) -> Span:
        attributes = {key: new(text) for key, text in span.attributes.items()}
        events = [
            event._replace(attributes={k: new(v) for k, v in event.attributes.items()})
            for event in span.events
        ]
        return span._replace(name=new(span.name), attributes=attributes, events=events)

    return rename


def names_in(trajectories: Sequence[Trajectory]) -> set[str]:
    """Return the names of all steps, models and tools."""
    steps = [s for t in trajectories for a in t.agent_steps for s in (a.step, *a.steps)]
    return {name for s in steps for name in (s.name, s.model, s.metadata.get("agent_name", ""))}


def without(keys: Collection[str]) -> Callable[[Span], Span]:
    """Return a function that removes these attributes from a span."""
    return lambda span: span._replace(
        attributes={k: v for k, v in span.attributes.items() if k not in keys}
    )


def same(span: Span) -> Span:
    """Return the span unchanged."""
    return span


def cut_at(limit: int) -> Callable[[Span], Span]:
    """Return a function that truncates every value as an SDK with this attribute limit does."""

    def cut(span: Span) -> Span:
        attributes = {key: text[:limit] for key, text in span.attributes.items()}
        events = [
            event._replace(attributes={k: v[:limit] for k, v in event.attributes.items()})
            for event in span.events
        ]
        return span._replace(attributes=attributes, events=events)

    return cut


cut_off = cut_at(CUT_CHARS)


def encoded_twice(span: Span) -> Span:
    """Encode objects and lists in the texts of steps a second time, as some SDKs do."""
    texts = {
        key: v
        for key in TEXTS
        if (v := span.attributes.get(key, "")).startswith(('{"', '[{"', "[[{"))
    }
    encoded = {key: json.dumps(text) for key, text in texts.items()}
    return span._replace(attributes={**span.attributes, **encoded})


def without_events(span: Span) -> Span:
    """Return the span without events."""
    return span._replace(events=())


def without_half_the_plumbing(
    traces: Mapping[TraceKey, Sequence[Span]], plain: Sequence[Trajectory], chance: random.Random
) -> Mapping[TraceKey, Sequence[Span]]:
    """Drop half of the spans that are not steps, as a sampling collector or a full queue does."""
    noise = [
        v.span_id for t in plain for v in t.verdicts if v.step_id is None and v.span_id != t.root.id
    ]
    lost = set(chance.sample(noise, len(noise) // 2))
    return {key: [s for s in spans if s.span_id not in lost] for key, spans in traces.items()}


def with_legs(
    traces: Mapping[TraceKey, Sequence[Span]], plain: Sequence[Trajectory], *, beside: bool
) -> Mapping[TraceKey, Sequence[Span]]:
    """Add to each run of a named tool the spans of an MCP client and server that ran it.

    They are below the tool's span or, with ``beside``, below the trace's root, as if that span were
    never current. Handoffs get none, because no server runs them; nor do runs that such spans
    already report.
    """
    by_trace = {(t.project, t.trace_id): t for t in plain}
    changed = {}
    for key, spans in traces.items():
        by_id = {span.span_id: span for span in spans}
        trajectory = by_trace[key]
        tools = [s for a in trajectory.agent_steps for s in a.steps if s.type is StepType.TOOL]
        without_server = _without_server(trajectory)
        added = [
            leg
            for tool in tools
            if "tool_kind" not in tool.metadata and tool.id in without_server
            for leg in _legs_of(tool, by_id[tool.id], trajectory.root.id if beside else tool.id)
        ]
        changed[key] = [*spans, *added]
    return changed


def _without_server(trajectory: Trajectory) -> set[str]:
    """Return the ids of steps that are neither run by a server nor handoffs to an agent."""
    reports = [v for v in trajectory.verdicts if v.step_id is not None]
    served = {v.step_id for v in reports if v.rule.endswith("handoff") or "mcp" in v.rule}
    return {v.step_id for v in reports if v.step_id is not None} - served


def _legs_of(tool: Step, span: Span, parent_id: str) -> Sequence[Span]:
    shortest = (span.end_ns - span.start_ns) // 4
    bare = span._replace(
        status_code="Unset", status_message="", events=(), links=(), scope_version=""
    )
    client = bare._replace(
        span_id=_leg_id(span, "client"),
        parent_span_id=parent_id,
        name=f"MCP send tools/call {tool.name}",
        kind="Client",
        scope_name="mcp-python-sdk",
        start_ns=span.start_ns + shortest // 2,
        end_ns=span.end_ns - shortest // 2,
        attributes={"mcp.method.name": "tools/call"},
    )
    called = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool.name}
    server = client._replace(
        span_id=_leg_id(span, "server"),
        parent_span_id=client.span_id,
        name=f"tools/call {tool.name}",
        kind="Server",
        service_name="a server of tools",
        start_ns=span.start_ns + shortest,
        end_ns=span.end_ns - shortest,
        attributes={**client.attributes, **called},
    )
    return client, server


def _leg_id(span: Span, side: str) -> str:
    return blake2b(f"{span.span_id}{side}".encode(), digest_size=8).hexdigest()
