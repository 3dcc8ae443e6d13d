"""Small hand-made spans and their extraction, for unit tests of extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.registry import normalize
from spanloom.core.extract import extract
from spanloom.core.model.span import Event, Span, TraceKey
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import NormalizedSpan
    from spanloom.core.model.trajectory import SpanVerdict, Trajectory

START_NS = 1_763_600_000_000_000_000
MS = 1_000_000
KEY = TraceKey("default", "ab" * 16)


def sid(number: int) -> str:
    """Return a span id of a number; empty for 0."""
    return f"{number:016x}" if number else ""


def make_span(
    number: int,
    parent: int = 0,
    attributes: Mapping[str, str] | None = None,
    *,
    start: float = 0,
    end: float | None = None,
    name: str = "step",
    scope: str = "tests",
    status: str = "Unset",
    message: str = "",
    events: Sequence[Event] = (),
    version: int = 1,
) -> Span:
    """Return a span of 10 ms; parent 0 makes it a root, times are in milliseconds."""
    return Span(
        trace_id=KEY.trace_id,
        span_id=sid(number),
        parent_span_id=sid(parent),
        name=name,
        kind="Internal",
        start_ns=START_NS + int(start * MS),
        end_ns=START_NS + int((start + 10 if end is None else end) * MS),
        status_code=status,
        status_message=message,
        service_name="",
        scope_name=scope,
        scope_version="",
        attributes=attributes or {},
        events=events,
        links=(),
        row_version=version,
    )


def raised(exception_type: str, message: str = "", at: float = 0) -> Event:
    """Return an exception event."""
    attributes = {"exception.type": exception_type, "exception.message": message}
    return Event(START_NS + int(at * MS), "exception", attributes)


def genai(operation: str, **more: str | int) -> dict[str, str]:
    """Return attributes of the GenAI conventions; ``__`` in a name stands for a dot."""
    named = {"gen_ai." + key.replace("__", "."): str(value) for key, value in more.items()}
    return {"gen_ai.operation.name": operation, **named}


def chat(input_tokens: int = 0, output_tokens: int = 0, **more: str | int) -> dict[str, str]:
    """Return attributes of a model call of the GenAI conventions."""
    attributes = genai("chat", **more)
    if input_tokens or output_tokens:
        attributes["gen_ai.usage.input_tokens"] = str(input_tokens)
        attributes["gen_ai.usage.output_tokens"] = str(output_tokens)
    return attributes


def openinference(kind: str, **more: str) -> dict[str, str]:
    """Return attributes of OpenInference; ``__`` in a name stands for a dot."""
    named = {key.replace("__", "."): value for key, value in more.items()}
    return {"openinference.span.kind": kind, **named}


def extract_spans(*spans: Span) -> Trajectory:
    """Return the trajectory of one trace."""
    return extract(KEY, spans)


def normalized(*spans: Span) -> dict[int, NormalizedSpan]:
    """Return the normalized spans of one trace, by number."""
    return {_number(n.span.span_id): n for n in normalize(SpanTree(spans))}


def rules(*spans: Span) -> dict[int, tuple[str, str]]:
    """Return the kind and rule of each span of one trace, by number."""
    return {number: (str(n.kind), n.rule) for number, n in normalized(*spans).items()}


def verdict(trajectory: Trajectory, number: int) -> SpanVerdict:
    """Return the classification of the span with this number."""
    return next(v for v in trajectory.verdicts if v.span_id == sid(number))


def owners(trajectory: Trajectory) -> dict[int, list[int]]:
    """Return the numbers of the steps of each agent in order, by the agent's number."""
    return {_number(a.step.id): [_number(s.id) for s in a.steps] for a in trajectory.agent_steps}


def step_types(trajectory: Trajectory) -> dict[int, str]:
    """Return the type of every step, by number."""
    steps = [trajectory.root] if trajectory.root_type != "other" else []
    for agent in trajectory.agent_steps:
        steps += [agent.step] if agent.step.id != trajectory.root.id else []
        steps += agent.steps
    return {_number(step.id): str(step.type) for step in steps}


def numbers(spans: Iterable[Span]) -> list[int]:
    """Return the numbers of spans."""
    return [_number(span.span_id) for span in spans]


def _number(span_id: str) -> int:
    return int(span_id, 16)
