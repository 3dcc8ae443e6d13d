"""Google's Gemini CLI (scope ``gemini-cli``): a trace for each call and each batch of tools.

``llm_call`` is a call, ``tool_call`` a tool, ``agent_call`` a sub-agent within its tool; the run
has no span, so the first prompt is its root. Cached tokens, and texts if traces are switched off,
are in log records, which name the prompt but mostly no span.

Verified on runs of 0.61.0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.answers import read_chunks
from spanloom.core.dialects.coding_agents.calls import error_of, read_calls
from spanloom.core.dialects.coding_agents.reported import (
    LATE_NS,
    MAX_AT_A_TIME,
    find_call,
    index_calls,
)
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    decision_of,
    read_result,
    tool_error,
    word_of,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import NO_CODE, Kind, StepError
from spanloom.core.values.attributes import json_object, json_text, unquoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.dialects.coding_agents.calls import Call
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

SCOPE = "gemini-cli"
_CALL, _TOOL, _AGENT = "llm_call", "tool_call", "agent_call"
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_PLUMBING = Classification(Kind.OTHER, "gemini_cli.plumbing", is_sound=True)


class GeminiCLI(Dialect):
    """Spans of Gemini CLI."""

    id = "gemini_cli"
    own_scope = SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by name, with what log records report of it."""
        if span.name == _CALL:
            return _classify_call(span, view)
        if span.name == _TOOL:
            return _classify_tool(span, view)
        if span.name == _AGENT:
            return _classify_agent(span, view)
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes; arguments and results are inside objects."""
        attributes = _plain(span.attributes)
        if kind is Kind.MODEL:
            facts = genai_facts.read_model_call(attributes)
            facts.agent_name = ""
            return facts
        facts = Facts(conversation_id=attributes.get("gen_ai.conversation.id", ""))
        if kind is Kind.TOOL:
            _describe_tool(attributes, facts)
        elif kind is Kind.AGENT:
            asked = json_object(attributes.get(_INPUT, ""))
            facts.input = word_of(asked.get("prompt"))
            facts.agent_name = word_of(asked.get("agent_name"))
            facts.output = _text_in(json_object(attributes.get(_OUTPUT, "")))
        return facts


def _plain(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the attributes with the instructions as text: they are sent as JSON of one string."""
    system = attributes.get("gen_ai.system_instructions", "")
    if not system.startswith('"'):
        return attributes
    return {**attributes, "gen_ai.system_instructions": unquoted(system)}


def _text_in(result: Mapping[str, Json]) -> str:
    """Return the text of a sub-agent's result."""
    content = result.get("llmContent")
    parts = content if isinstance(content, list) else [content]
    texts = [
        p if isinstance(p, str) else word_of(p.get("text"))
        for p in parts
        if isinstance(p, (str, dict))
    ]
    return "\n".join(filter(None, texts))


def _describe_tool(attributes: Mapping[str, str], facts: Facts) -> None:
    facts.tool_name = attributes.get("gen_ai.tool.name", "")
    arguments = json_object(attributes.get(_INPUT, "")).get("args")
    facts.input = json_text(arguments) if arguments is not None else ""
    facts.output = _result(json_object(attributes.get(_OUTPUT, "")))
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


def _calls_by_span(tree: SpanTree) -> Mapping[str, Call]:
    """Return what log records report of each call, by the id of its span."""
    spans = index_calls(tree)
    found: dict[str, Call] = {}
    for call in read_calls(tree):
        for event in call.events:
            if (span := find_call(event, spans)) is not None:
                found.setdefault(span.span_id, call)
    return found


def _classify_call(span: Span, view: TraceView) -> Classification:
    call = view.remember_tree(_calls_by_span).get(span.span_id)
    if call is None:
        return Classification(Kind.MODEL, "gemini_cli.call")
    attributes = span.attributes
    sent, received = attributes.get(_INPUT), attributes.get(_OUTPUT)
    end = call.end
    has_failed = end is not None and end.what is What.FAILURE
    facts = Facts(
        input="" if sent else call.get(keys.SENT),
        output="" if received or has_failed or end is None else read_chunks(end.get(keys.RECEIVED)),
        model=call.get(keys.MODELS),
        total_tokens=end.total if end is not None else 0,
    )
    error = error_of(end) if end is not None and has_failed else None
    return Classification(Kind.MODEL, "gemini_cli.call", usage=call.usage, facts=facts, error=error)


def _classify_tool(span: Span, view: TraceView) -> Classification:
    output = json_object(span.attributes.get(_OUTPUT, ""))
    result, event = _result(output), _event_of(span, view)
    facts = Facts(metadata=decision_of(event))
    if event is not None and not span.attributes.get(_INPUT):
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
    """Return the log record of a tool: of its name, written soonest after the end of the span."""
    own = view.remember_tree(_by_tool).get(span.attributes.get("gen_ai.tool.name", ""), ())
    first = bisect_left(own, span.start_ns, key=_WRITTEN)
    last = bisect_right(own, span.end_ns + LATE_NS, key=_WRITTEN)
    return min(
        own[first:last][:MAX_AT_A_TIME], key=lambda e: abs(e.time_ns - span.end_ns), default=None
    )


_WRITTEN = attrgetter("time_ns")


def _by_tool(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    """Return the events of tools by name, in order."""
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        if event.what is What.TOOL:
            found.setdefault(event.get(keys.TOOLS), []).append(event)
    return found


def _names_of_agents(tree: SpanTree) -> Mapping[str, str]:
    """Return the names of sub-agents by the span that has the event of their start."""
    started = (e for e in read_events(tree) if e.what is What.STARTED)
    return {e.holder.span_id: e.get(keys.AGENTS) for e in started}


def _classify_agent(span: Span, view: TraceView) -> Classification:
    facts = Facts(agent_name=view.remember_tree(_names_of_agents).get(span.span_id, ""))
    return Classification(Kind.AGENT, "gemini_cli.sub_agent", facts=facts)
