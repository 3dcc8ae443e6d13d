"""Tools of Gemini CLI: arguments and results are in JSON objects, permissions in log records."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.coding_agents.reported import (
    LATE_NS,
    MAX_AT_A_TIME,
)
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    decision_of,
    read_result,
    tool_error,
    word_of,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_WRITTEN = attrgetter("time_ns")


def describe_tool(attributes: Mapping[str, str], facts: Facts) -> None:
    """Set the facts of a tool from its span's attributes."""
    facts.tool_name = attributes.get("gen_ai.tool.name", "")
    arguments = json_object(attributes.get(INPUT, "")).get("args")
    facts.input = json_text(arguments) if arguments is not None else ""
    facts.output = _result(json_object(attributes.get(OUTPUT, "")))
    call_id = attributes.get("gen_ai.tool.call_id", "")
    facts.metadata = {CALL_ID: call_id} if call_id else {}


def _result(output: Mapping[str, Json]) -> str:
    response = output.get("response")
    parts = response.get("responseParts") if isinstance(response, dict) else None
    answered = (
        [p.get("functionResponse") for p in parts if isinstance(p, dict)]
        if isinstance(parts, list)
        else []
    )
    texts = [read_result(each) for each in answered if isinstance(each, dict)]
    return "\n".join(filter(None, texts))


def classify_tool(span: Span, view: TraceView) -> Classification:
    """Classify a tool; its error and the permission decision come from log records."""
    output = json_object(span.attributes.get(OUTPUT, ""))
    result, event = _result(output), _event_of(span, view)
    facts = Facts(metadata=decision_of(event))
    if event is not None and not span.attributes.get(INPUT):
        facts.input = event.get(keys.ARGUMENTS)
    error = tool_error(event, result) if event is not None else None
    if error is None and output.get("status") == "error":
        response = output.get("response")
        response_error = response.get("error") if isinstance(response, dict) else None
        message = (
            response_error.get("message") if isinstance(response_error, dict) else response_error
        )
        error = StepError(
            NO_CODE, word_of(message) or result or "the tool failed", "", "", "result"
        )
    return Classification(
        Kind.TOOL,
        "gemini_cli.tool",
        facts=facts,
        error=error,
        is_cancelled=output.get("status") == "cancelled",
    )


def _event_of(span: Span, view: TraceView) -> Event | None:
    """Return a tool's log record: the nearest to the span's end that has the tool's name.

    ``None`` if there is no such record during the span or shortly after it.
    """
    own = view.remember_tree(_by_tool).get(span.attributes.get("gen_ai.tool.name", ""), ())
    first = bisect_left(own, span.start_ns, key=_WRITTEN)
    last = bisect_right(own, span.end_ns + LATE_NS, key=_WRITTEN)
    return min(
        own[first:last][:MAX_AT_A_TIME], key=lambda e: abs(e.time_ns - span.end_ns), default=None
    )


def _by_tool(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    """Return the tools' events, grouped by tool name, in order."""
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        if event.what is What.TOOL:
            found.setdefault(event.get(keys.TOOLS), []).append(event)
    return found
