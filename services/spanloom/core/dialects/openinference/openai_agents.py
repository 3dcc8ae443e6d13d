"""OpenAI Agents SDK under OpenInference: scope ``openinference.instrumentation.openai_agents``.

An agent has kind ``AGENT`` and a name (``agent.name``, repeated as ``graph.node.id``). A span of
kind ``AGENT`` without a name is the author's ``trace(…)``, or the trace that the SDK opens by
default. It is a graph only if the author runs several agents in it. Agents that took over by a
handoff (``graph.node.parent_id``) or ran as a tool do not count, because the author did not start
them. ``Agent workflow`` around each run, also below a tool, and ``turn`` have kind ``CHAIN``.

A handoff is a function that the model calls, so it is a tool; it has kind ``TOOL`` but no
``tool.name``. Agents have no input or output, tools no call id, and the trace stays OK even if
something below fails. A run that waits for an approval and continues in the same process is not
reported after the approval.

Verified on captures with one agent, two agents in a row, handoffs, agents as tools, parallel and
failing tools, streams, and an instrumented model client (2.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.pauses import SpanReader, ToolRun, with_answer, with_question
from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.openai_agents"
_RUN = Classification(Kind.AGENT, "openinference_openai_agents.named_agent")
_CALL = Classification(Kind.MODEL, "openinference_openai_agents.call")
_HANDOFF = Classification(Kind.TOOL, "openinference_openai_agents.handoff")
_COMPOSED = Classification(Kind.GRAPH, "openinference_openai_agents.composed_runs")
_LEVELS = 3
"""How many levels below a trace are searched for runs, which the author may wrap in spans."""
_NAMES = {"response": "LLM", "generation": "LLM", "turn": "CHAIN"}
"""Kinds of the SDK's spans, keyed by their default names."""
_FRAME = Classification(Kind.OTHER, "openinference_openai_agents.frame_of_a_run")


class OpenInferenceOpenAIAgents(OpenInference):
    """OpenInference as its OpenAI Agents instrumentation writes it."""

    id = "openinference_openai_agents"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify agents and handoffs by name, traces by the runs inside, other spans by kind."""
        kind = span_kind(span) or _NAMES.get(span.name, "")
        if _agent_name(span):
            return with_answer(_RUN, span, view, _TELLER)
        if _is_handoff(span, kind):
            return _HANDOFF
        if kind in ("AGENT", ""):
            return _COMPOSED if _composes(span, view) else _FRAME
        if kind == "LLM":
            return _CALL
        return with_question(super().classify(span, view), span, view, _TELLER)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; a handoff has its two agents as input and output."""
        facts = super().describe(span, kind)
        if kind is Kind.AGENT:
            facts.agent_name = _agent_name(span)
        elif kind is Kind.TOOL and _is_handoff(span, span_kind(span)):
            facts.tool_name = "handoff"
        return facts


def _agent_name(span: Span) -> str:
    return first(span.attributes, "agent.name", "graph.node.id")


def _tool(span: Span) -> ToolRun | None:
    attributes = span.attributes
    if "tool.name" not in attributes:
        return None
    arguments = attributes.get("input.value", "")
    return ToolRun(attributes["tool.name"], arguments, "output.value" in attributes)


def _request(span: Span) -> str:
    return span.attributes.get("input.value", "") if span_kind(span) == "LLM" else ""


_TELLER = SpanReader(lambda span: bool(_agent_name(span)), _tool, _request)


def _is_handoff(span: Span, kind: str) -> bool:
    if kind == "TOOL":
        return "tool.name" not in span.attributes and span.name.startswith("handoff to ")
    return not kind and span.name == f"handoff to {span.attributes.get('output.value')}"


def _composes(trace: Span, view: TraceView) -> bool:
    """Return whether the author's code ran several agents in a trace, in one or several runs."""
    starters = set(view.remember_children(_starters, trace))
    frames: Sequence[Span] = [trace]
    for _ in range(_LEVELS):
        frames = [c for span in frames for c in view.remember_children(_frames, span)]
        starters.update(n for span in frames for n in view.remember_children(_starters, span)[:1])
    return len(starters) > 1


def _frames(children: Sequence[Span]) -> Sequence[Span]:
    return [c for c in children if span_kind(c) in ("CHAIN", "") and not _agent_name(c)]


def _starters(children: Sequence[Span]) -> Sequence[str]:
    """Return the names of the agents that did not take over by a handoff, in order."""
    return [
        name
        for child in children
        if (name := _agent_name(child)) and "graph.node.parent_id" not in child.attributes
    ]
