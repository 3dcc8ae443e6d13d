"""Google's ADK under OpenInference: scope ``openinference.instrumentation.google_adk``.

``agent_run [X]``, kind ``AGENT``, is a run of any agent; a workflow agent (sequential, parallel,
loop), which makes no model call and runs agents, is a graph. ``invocation [app]`` and
``invoke_workflow`` wrap a run of a Runner and are not steps. ``execute_tool (merged)`` collects
results and runs nothing.

ADK's own ``invoke_agent X`` is still emitted inside ``agent_run [X]`` and reports the same run.
From ADK 2 on model calls have no spans: each call writes its messages and tokens, and the kind
``LLM``, to ADK's span, and overwrites the messages and tokens of the previous call. The remaining
tokens belong to the last call only and are not counted. If the model client is instrumented, its
spans report the calls.

Verified on captures of version 1.0.5 with ADK 2.13. ``call_llm``, used before ADK 2, is known only
from the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.google_adk import (
    OPENINFERENCE_SCOPE,
    SCOPE,
    GoogleADK,
    is_framed_by,
    with_question,
)
from spanloom.core.dialects.openinference.dialect import SPAN_KIND, OpenInference, span_kind
from spanloom.core.model.message import find_request, read_conversation
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_field, json_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_ADK = GoogleADK()
_AGENT = Classification(Kind.AGENT, "openinference_google_adk.agent_run")
_WORKFLOW = Classification(Kind.GRAPH, "openinference_google_adk.workflow_agent")


class OpenInferenceGoogleADK(OpenInference):
    """OpenInference as its ADK instrumentation writes it, on its own and on ADK's spans."""

    id = "openinference_google_adk"
    own_keys = ()  # its noise spans repeat what the framework's spans report

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by the kind on one of ADK's own spans."""
        return signature.scope_name == OPENINFERENCE_SCOPE or (
            SPAN_KIND in signature.keys and signature.scope_name == SCOPE
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify agents by their children, ADK's spans by ADK's dialect, others by kind."""
        if _is_adks(span):
            return _ADK.classify(span, view)
        if span_kind(span) == "AGENT":
            return _WORKFLOW if _only_runs_agents(span, view) else _AGENT
        by_kind = super().classify(span, view)
        return with_question(by_kind, span, view) if by_kind.kind is Kind.TOOL else by_kind

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; on ADK's own span of an agent only the request.

        That span's other attributes are those of its last model call.
        """
        if not _is_adks(span) or kind is not Kind.AGENT:
            facts = super().describe(span, kind)
            return _of_message(facts) if kind is Kind.OTHER else facts
        call = super().describe(span, Kind.MODEL)
        request = find_request(read_conversation(call.input))
        facts = _ADK.describe(span, kind)
        facts.input = request if isinstance(request, str) else call.input
        return facts


def _of_message(facts: Facts) -> Facts:
    """Reduce a Runner's arguments to the user's message: a text, or an answer to a question."""
    message = json_field(facts.input, "new_message")
    parts = message.get("parts") if isinstance(message, dict) else None
    contents = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    texts = [text for part in contents if isinstance(text := part.get("text"), str)]
    answers = [
        a["response"]
        for p in contents
        if isinstance(a := p.get("function_response"), dict) and "response" in a
    ]
    if texts or answers:
        facts.input = "\n".join(texts) or "\n".join(map(json_text, answers))
        facts.is_resuming = bool(answers)
    return facts


def _is_adks(span: Span) -> bool:
    return SPAN_KIND in span.attributes and span.scope_name == SCOPE


def _only_runs_agents(span: Span, view: TraceView) -> bool:
    """Return whether the run, or ADK's span of it, has child agents but no model calls or tools."""
    children = list(view.tree.children(span))
    own = [child for child in children if is_framed_by(span, child)]
    inner = [*children, *(c for child in own for c in view.tree.children(child))]
    kinds = {span_kind(child) for child in inner}
    return "AGENT" in kinds and not kinds & {"LLM", "TOOL"}
