"""OpenAI's Codex (scopes ``codex_exec``, ``codex_cli_rs`` …), about a hundred spans per prompt.

``turn/start`` is the run for one prompt; ``session_task.turn`` below it is part of this run and
ends later. A turn inside another turn is a sub-agent. ``try_run_sampling_request`` is a model call;
its tokens are on spans below it, its failed requests are events. A tool's span is named after the
tool; its arguments and result are in the log record ``codex.tool_result``, which reports
``success`` even if the command's exit code is not 0. All other spans are internal.

Verified on runs of version 0.169.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.attempts import ATTEMPT
from spanloom.core.dialects.coding_agents.codex.calls import COUNTED, classify_call
from spanloom.core.dialects.coding_agents.codex.turns import (
    CONVERSATION,
    START,
    TURN,
    classify_turn,
)
from spanloom.core.dialects.coding_agents.reported import DISPATCH
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    decision_of,
    events_by_call,
    tool_error,
    tool_name,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_CALL = "try_run_sampling_request"
_READY = "codex.tool_result_ready"
_PLUMBING = Classification(Kind.OTHER, "codex.plumbing", is_sound=True)
_COUNTS = Classification(Kind.OTHER, "codex.counts", is_sound=True)


class Codex(Dialect):
    """Reads the spans of Codex."""

    id = "codex"
    scopes = ("codex",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope, which is the name of the program."""
        return signature.scope_name.startswith("codex")

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by name; add facts from log records and from the spans below."""
        if ATTEMPT in span.attributes:
            return Classification(Kind.MODEL, "codex.attempt")
        if span.name == _CALL:
            return classify_call(span, view)
        if span.attributes.get(DISPATCH) == "dispatch":
            return _classify_tool(span, view)
        if span.name in (START, TURN):
            return classify_turn(span, view)
        return _COUNTS if COUNTED in span.attributes else _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the attributes; ``classify`` returns the texts."""
        facts = Facts(conversation_id=span.attributes.get(CONVERSATION, ""))
        if kind is Kind.MODEL:
            facts.model = span.attributes.get("model", "")
        elif kind is Kind.TOOL:
            call_id = span.attributes.get("call_id", "")
            facts.tool_name = span.attributes.get("tool_name", "")
            facts.metadata = {CALL_ID: call_id} if call_id else {}
        return facts


def _classify_tool(span: Span, view: TraceView) -> Classification:
    known = view.remember_tree(events_by_call)
    call_id = span.attributes.get("call_id", "")
    event, decision = known.get((What.TOOL, call_id)), known.get((What.DECISION, call_id))
    is_cancelled = span.attributes.get("aborted") == "true"
    if event is None:
        facts = Facts(tool_name=_named_when_ready(span))
        return Classification(Kind.TOOL, "codex.tool", facts=facts, is_cancelled=is_cancelled)
    result = event.get(keys.RESULTS)
    facts = Facts(
        event.get(keys.ARGUMENTS),
        result,
        tool_name=tool_name(event),
        metadata=decision_of(decision),
    )
    error = None if is_cancelled else tool_error(event, result)
    return Classification(
        Kind.TOOL, "codex.tool", facts=facts, error=error, is_cancelled=is_cancelled
    )


def _named_when_ready(span: Span) -> str:
    """Return the tool's name with its namespace, from the event that reports a ready result."""
    for event in span.events:
        if first(event.attributes, "event.name") == _READY or event.name == _READY:
            name = event.attributes.get("tool_name", "")
            namespace = event.attributes.get("tool_namespace", "")
            return name if namespace in ("", "functions") else f"{namespace}/{name}"
    return ""
