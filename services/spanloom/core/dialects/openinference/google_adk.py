"""Google's ADK under OpenInference: scope ``openinference.instrumentation.google_adk``.

``agent_run [X]``, kind ``AGENT``, is a run of any agent; a workflow agent (sequential, parallel,
loop), which makes no call and runs agents, is a graph. ``invocation [app]`` and ``invoke_workflow``
frame a run of a Runner: no steps. ``execute_tool (merged)`` gathers answers and runs nothing.

ADK's own ``invoke_agent X`` stays, inside ``agent_run [X]``: the same run. From ADK 2 on model
calls have no spans: each writes its messages and tokens, with kind ``LLM``, onto that span, over
those of the call before. What is left are the last call's, no sum, so its tokens count nowhere; an
instrumented client has the calls.

Verified on captures of 1.0.5 with ADK 2.13; ``call_llm``, before ADK 2, on its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.google_adk.approvals import with_question
from spanloom.core.dialects.google_adk.dialect import (
    OPENINFERENCE_SCOPE,
    SCOPE,
    GoogleADK,
    is_framed_by,
)
from spanloom.core.dialects.openinference.dialect import SPAN_KIND, OpenInference, span_kind
from spanloom.core.model.message import find_request, read_conversation
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_field, json_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_ADK = GoogleADK()
_AGENT = Classification(Kind.AGENT, "openinference_google_adk.agent_run")
_WORKFLOW = Classification(Kind.GRAPH, "openinference_google_adk.workflow_agent")


class OpenInferenceGoogleADK(OpenInference):
    """OpenInference as its ADK instrumentation writes it, on spans of its own and on ADK's."""

    id = "openinference_google_adk"

    def recognises(self, signature: Signature) -> bool:
        """By the scope, or by the kind on a span of ADK's own."""
        return signature.scope_name == OPENINFERENCE_SCOPE or (
            SPAN_KIND in signature.keys and signature.scope_name == SCOPE
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Agents by what they run, ADK's own spans as always, the rest by kind."""
        if _is_adks(span):
            return _ADK.classify(span, view)
        if span_kind(span) == "AGENT":
            return _WORKFLOW if _only_runs_agents(span, view) else _AGENT
        found = super().classify(span, view)
        return with_question(found, span, view) if found.kind is Kind.TOOL else found

    def describe(self, span: Span, kind: Kind) -> Facts:
        """As everywhere; of a call that stands on the agent's run, only what the run was asked."""
        if not _is_adks(span) or kind is not Kind.AGENT:
            facts = super().describe(span, kind)
            return _of_message(facts) if kind is Kind.OTHER else facts
        call = super().describe(span, Kind.MODEL)
        asked = find_request(read_conversation(call.input))
        facts = _ADK.describe(span, kind)
        facts.input = asked if isinstance(asked, str) else call.input
        return facts


def _of_message(facts: Facts) -> Facts:
    """Leave of a Runner's arguments what the person said: a text, or the answer to a question."""
    message = json_field(facts.input, "new_message")
    parts = message.get("parts") if isinstance(message, dict) else None
    said = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    texts = [text for part in said if isinstance(text := part.get("text"), str)]
    answers = [
        a["response"]
        for p in said
        if isinstance(a := p.get("function_response"), dict) and "response" in a
    ]
    if texts or answers:
        facts.input = "\n".join(texts) or "\n".join(map(json_text, answers))
        facts.is_resuming = bool(answers)
    return facts


def _is_adks(span: Span) -> bool:
    return SPAN_KIND in span.attributes and span.scope_name == SCOPE


def _only_runs_agents(span: Span, view: TraceView) -> bool:
    """Return whether only agents are below the run and below ADK's own span of it."""
    children = list(view.tree.children(span))
    own = [child for child in children if is_framed_by(span, child)]
    inner = [*children, *(c for child in own for c in view.tree.children(child))]
    kinds = {span_kind(child) for child in inner}
    return "AGENT" in kinds and not kinds & {"LLM", "TOOL"}
