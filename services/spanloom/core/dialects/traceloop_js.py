"""LangChain.js under OpenLLMetry: scope ``@traceloop/instrumentation-langchain``.

Spans are called by class: ``workflow CompiledStateGraph`` is any LangGraph run, agent or graph, and
``execute_tool DynamicStructuredTool`` any tool, whose name stands in its result only. An agent's
state is a list of messages, which is all that tells it from an author's graph; a graph that keeps
nothing but messages cannot be told apart. ``invoke_agent`` stands on classes with "agent" in their
name: on ``AgentNode``, the loop's node, it is no agent.

**No span has a parent of its own.** In a request of an instrumented server all are its children:
there time tells what ran inside what. Otherwise each is the root of its own trace, and no owner
can be known. Values are JSON; a tool's arguments are JSON in ``{"args": ["…"]}``.

No capture here: after the documented spans and the source (0.27).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.nesting import find_innermost
from spanloom.core.dialects.otel_genai import OPERATION
from spanloom.core.dialects.traceloop import Traceloop
from spanloom.core.dialects.values import json_object, plain_arguments
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

_SCOPE = "@traceloop/instrumentation-langchain"
_INPUT, _OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_GRAPH_CLASSES = frozenset({"CompiledStateGraph", "CompiledGraph", "Pregel", "LangGraph"})
_AGENT_CLASSES = ("AgentExecutor", "ReactAgent")


class TraceloopJS(Traceloop):
    """OpenLLMetry's attributes as its JavaScript instrumentation of LangChain writes them."""

    id = "traceloop_js"

    def recognises(self, span: Span) -> bool:
        """By the scope."""
        return span.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By operation and class; graphs by their state; the place by time."""
        said, ran = _classify(span), _runs_class(span)
        if said is None:
            called = super().classify(span, view)
            said = called if not ran else Classification(Kind.OTHER, "traceloop_js.plumbing")
        parent = view.tree.parent(span)
        if said.kind is Kind.OTHER or parent is None:
            return said
        around = view.remember_children(_places, parent).get(span.span_id)
        return said if around is None else said._replace(inside=around.span_id)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``gen_ai.*`` or ``traceloop.entity.*``; a tool's name from its result."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            message = json_object(facts.output).get("kwargs")
            said = message if isinstance(message, dict) else json_object(facts.output)
            name, content = said.get("name"), said.get("content")
            facts.tool_name = name if isinstance(name, str) and name else facts.tool_name
            facts.input = plain_arguments(facts.input)
            facts.output = content if isinstance(content, str) else facts.output
        return facts


def _runs_class(span: Span) -> str:
    """Give the class that a chain's span is called by; empty for calls and tools."""
    operation, _, name = span.name.partition(" ")
    return name if span.attributes.get(OPERATION, operation) in ("workflow", "invoke_agent") else ""


def _classify(span: Span) -> Classification | None:
    name = _runs_class(span)
    if name.endswith(_AGENT_CLASSES):
        return Classification(Kind.AGENT, "traceloop_js.agent_class")
    if name not in _GRAPH_CLASSES:
        return None
    if any(_holds_messages(span.attributes.get(key, "")) for key in (_INPUT, _OUTPUT)):
        return Classification(Kind.AGENT, "traceloop_js.state_of_messages")
    return Classification(Kind.GRAPH, "traceloop_js.graph_class")


def _holds_messages(state: str) -> bool:
    return isinstance(json_object(state).get("messages"), list)


def _places(children: Sequence[Span]) -> Mapping[str, Span]:
    """Give the innermost run or tool in whose time each span ran; calls and plumbing hold none."""
    return find_innermost(children, lambda span: _is_tool(span) or _classify(span) is not None)


def _is_tool(span: Span) -> bool:
    return span.attributes.get(OPERATION) == "execute_tool"
