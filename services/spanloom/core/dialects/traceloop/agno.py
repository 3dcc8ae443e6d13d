"""Agno under OpenLLMetry: scope ``opentelemetry.instrumentation.agno``.

``X.agent`` and ``X.tool`` are agents and tools. ``X.team`` has the span kind ``workflow``, but is
an agent, because a team has a leader with its own model, which calls members by the tool
``delegate_task_to_member``. Model calls are reported by the model client's spans; an agent's span
repeats their summed usage. A tool's output is the Python repr of its whole result object
(``status='success' result='…' error=None …``).

A streamed run's span is never the current span, so its model calls and tools are its siblings, or
in separate traces. ``run()`` returns an error as an answer, so the agent's span has status OK. A
tool that raised has status OK too: only its output shows the error.

Verified on captures of agents, some with failures, some used as tools, and of a team (0.62.4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
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
        """Recognise spans by scope name, which for some spans is a module of the package."""
        return signature.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify teams by attribute or name suffix, other spans by span kind."""
        if _TEAM_NAME in span.attributes or span.name.endswith(".team"):
            return _TEAM
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenLLMetry's attributes, the agent's or team's name, and a tool's bare result."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.output = _result(facts.output)
        elif kind is Kind.AGENT:
            name = first(span.attributes, "gen_ai.agent.name", _TEAM_NAME)
            facts.agent_name = name or span.name.rpartition(".")[0]
        return facts


def _result(text: str) -> str:
    """Return the result in the repr, or the error of a failed run; other texts unchanged."""
    status = _STATUS.match(text)
    end = text.rfind(" error=", 0, max(0, text.rfind(" updated_session_state=")))
    if status is None or end < status.end():
        return text
    mark = " error=" if text.startswith(_FAILED) else " result="
    result = first_text(text, mark)
    return text[status.end() : end] if result is None else result
