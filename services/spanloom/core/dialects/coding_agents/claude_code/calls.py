"""Model calls in Claude Code's spans, completed from its log records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.usage import read_counts
from spanloom.core.conventions.usage_repair import with_cached
from spanloom.core.dialects.coding_agents.answers import read_body, read_marked
from spanloom.core.dialects.coding_agents.calls import SOURCES, is_aside
from spanloom.core.model.span import ASIDE, Classification, Facts
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal, first, integer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

CALL = "claude_code.llm_request"


def _by_request(tree: SpanTree) -> Mapping[tuple[What, str], Event]:
    """Return the events of model calls, keyed by kind and request id."""
    whats = (What.REQUEST, What.FAILURE, What.ANSWER, What.RECEIVED)
    events = [e for e in read_events(tree) if e.what in whats]
    return {(e.what, e.get(keys.REQUEST_IDS)): e for e in events if e.get(keys.REQUEST_IDS)}


def classify_call(span: Span, view: TraceView) -> Classification:
    """Classify a model call, and add its answer, agent and cost from log records."""
    known = view.remember_tree(_by_request)
    request_id = first(span.attributes, "request_id", "gen_ai.response.id")
    request = known.get((What.REQUEST, request_id)) or known.get((What.FAILURE, request_id))
    cost = request.get(keys.COSTS) if request is not None else ""
    agent = request.attributes.get("agent.name", "") if request is not None else ""
    source = first(span.attributes, *SOURCES) or (request.get(SOURCES) if request else "")
    aside = {ASIDE: "true"} if is_aside(source) else {}
    facts = Facts(
        input=view.remember_tree(_sent_by_call).get(span.span_id, ""),
        output=_answer(known, request_id),
        agent_name=agent,
        metadata={**({"reported_cost": cost} if cost else {}), **aside},
    )
    return Classification(Kind.MODEL, "claude_code.llm_request", facts=facts, error=_error(span))


def _answer(known: Mapping[tuple[What, str], Event], request_id: str) -> str:
    if (received := known.get((What.RECEIVED, request_id))) is not None:
        return read_body(received.get(keys.BODY), "received")
    answer = known.get((What.ANSWER, request_id))
    return answer.get(keys.RECEIVED) if answer is not None else ""


def _sent_by_call(tree: SpanTree) -> Mapping[str, str]:
    """Map span ids of model calls to request bodies; a body belongs to the call that ends next."""
    bodies = [e for e in read_events(tree) if e.what is What.SENT]
    calls = iter([s for s in tree.spans if s.name == CALL] if bodies else [])
    found: dict[str, str] = {}
    for body in bodies:
        if (call := next((c for c in calls if c.end_ns >= body.time_ns), None)) is not None:
            found[call.span_id] = read_body(body.get(keys.BODY), "sent")
    return found


def _error(span: Span) -> StepError | None:
    attributes = span.attributes
    if attributes.get("success", "") != "false" and span.status_code != "Error":
        return None
    message = attributes.get("error") or span.status_message or "the call failed"
    code = integer(attributes.get("status_code", "")) or NO_CODE
    return StepError(code, message, "", "", "attribute")


def describe_call(attributes: Mapping[str, str], facts: Facts) -> None:
    """Set the facts of a model call from its span's attributes."""
    facts.model = first(attributes, "model", "gen_ai.request.model")
    facts.usage = with_cached(read_counts(attributes, ("",)))
    facts.first_token_ms = decimal(attributes.get("ttft_ms", ""))
    facts.response_id = attributes.get("request_id", "")
    facts.input = read_marked(unhidden(attributes.get("new_context", "")))
    facts.output = unhidden(attributes.get("response.model_output", ""))
    reason, provider = attributes.get("stop_reason", ""), attributes.get("gen_ai.system", "")
    shown = (("finish_reasons", reason), ("provider", provider))
    facts.metadata = {key: value for key, value in shown if value}


def unhidden(text: str) -> str:
    """Return the text, or an empty text if it is the placeholder of a text hidden by a setting."""
    return "" if text in keys.HIDDEN else text
