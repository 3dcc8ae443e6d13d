"""Agno under OpenLLMetry: scope ``opentelemetry.instrumentation.agno``.

``X.agent`` and ``X.tool`` are what they say. ``X.team`` has the span kind ``workflow``, but a team
is led by a model of its own, which asks members by the tool ``delegate_task_to_member``: an agent.
Calls are the client's spans; an agent repeats the sum of their usage. What a tool gave is written
out by Python with all that goes with it (``status='success' result='…' error=None …``).

A streamed run's span is never the current one: its calls and tools are its siblings, or traces of
their own. ``run()`` returns an error as an answer, so the agent's span says OK, and so does a tool
that raised: only its text tells.

Verified on captures of agents, also failing and as tools, and of a team (0.62.4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first
from spanloom.core.values.python_repr import first_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "opentelemetry.instrumentation.agno"
_TEAM_NAME = "agno.team.name"
_TEAM = Classification(Kind.AGENT, "traceloop_agno.team")
_STATUS = re.compile(r"status='\w+' result=")
_FAILED = "status='failure' "


class TraceloopAgno(Traceloop):
    """OpenLLMetry's attributes as its Agno instrumentation writes them."""

    id = "traceloop_agno"

    def recognises(self, signature: Signature) -> bool:
        """By the scope, which is a module of the package for some spans."""
        return signature.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Teams by their name's key or the last word of the name; the rest by span kind."""
        if _TEAM_NAME in span.attributes or span.name.endswith(".team"):
            return _TEAM
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """As everywhere; the author's name of the agent or team, and the tool's bare result."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.output = _result(facts.output)
        elif kind is Kind.AGENT:
            named = first(span.attributes, "gen_ai.agent.name", _TEAM_NAME)
            facts.agent_name = named or span.name.rpartition(".")[0]
        return facts


def _result(text: str) -> str:
    """Return the result, of a failed run the error; what is written otherwise stays as it is."""
    status = _STATUS.match(text)
    end = text.rfind(" error=", 0, max(0, text.rfind(" updated_session_state=")))
    if status is None or end < status.end():
        return text
    mark = " error=" if text.startswith(_FAILED) else " result="
    result = first_text(text, mark)
    return text[status.end() : end] if result is None else result
