"""OpenAI Agents SDK under OpenLLMetry: scope ``opentelemetry.instrumentation.openai_agents``.

``X.agent`` and ``X.tool`` are agents and tools; a handoff (``A → unknown.handoff``) is a function
that the model calls, so it is a tool. The root ``Agent Workflow`` wraps every run, and does not
have the name of the author's ``trace("…")``. It is a graph only if the author runs several agents
in it. Agents that took over by a handoff, or that ran as a tool of another agent, do not count,
because the author did not start them.

**Every agent is a child of the root**, also an agent that ran as a tool: its true parent is the
tool that was running at that time. A failed model call has neither messages nor model; tools have
no call id; the root stays OK even if something below fails.

Verified on captures with one agent, two agents in a row, errors, and an instrumented model client;
handoffs and agents as tools are known from the instrumentation's source (0.62).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.pauses import SpanReader, ToolRun, with_answer, with_question
from spanloom.core.conventions.view import MAX_OPEN, find_innermost
from spanloom.core.dialects.traceloop.attributes import SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import encloses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "opentelemetry.instrumentation.openai_agents"
_SAME_KINDS = {"invoke_agent": "agent", "execute_tool": "tool", "Agent Workflow": "workflow"}
_COMPOSED = 2
_ARGUMENTS, _RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"


class TraceloopAgents(Traceloop):
    """OpenLLMetry's attributes as its OpenAI Agents instrumentation writes them."""

    id = "traceloop_openai_agents"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by kind; the root by the number of runs that the author composes in it."""
        kind = _kind(span)
        if kind == "agent":
            tool = _tool_around(span, view)
            rule = "agent" if tool is None else "agent_as_tool"
            run = Classification(Kind.AGENT, f"{self.id}.{rule}", inside=tool)
            return with_answer(run, span, view, _TELLER)
        if kind in ("tool", "handoff"):
            run = Classification(Kind.TOOL, f"{self.id}.{kind}")
            return with_question(run, span, view, _TELLER)
        if kind == "workflow":
            if _composed_runs(span, view) >= _COMPOSED:
                return Classification(Kind.GRAPH, f"{self.id}.composed_runs")
            return Classification(Kind.OTHER, f"{self.id}.frame_of_a_run")
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and the target agent of a handoff."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL and _kind(span) == "handoff":
            attributes = span.attributes
            facts.tool_name = "handoff"
            facts.input = facts.input or attributes.get("gen_ai.handoff.to_agent", "")
        return facts


def _kind(span: Span) -> str:
    """Return the span kind, or else the operation, or else the last part of the name."""
    attributes = span.attributes
    kind = attributes.get(SPAN_KIND) or attributes.get(OPERATION, "")
    kind = kind or span.name.rpartition(".")[2]
    return _SAME_KINDS.get(kind, kind)


def _tool(span: Span) -> ToolRun | None:
    attributes = span.attributes
    if _kind(span) != "tool":
        return None
    name = attributes.get("gen_ai.tool.name", "") or span.name.rpartition(".")[0]
    return ToolRun(name, attributes.get(_ARGUMENTS, ""), _RESULT in attributes)


def _request(span: Span) -> str:
    return span.attributes.get("gen_ai.input.messages", "")


_TELLER = SpanReader(lambda span: _kind(span) == "agent", _tool, _request)


def _tool_around(agent: Span, view: TraceView) -> str | None:
    """Return the id of another agent's tool that was running while this agent ran."""
    parent = view.tree.parent(agent)
    if parent is None:
        return None
    callers = view.remember_children(_callers, parent)
    caller = callers.get(agent.span_id)
    while caller is not None:
        if (tool := _open_tool(caller, agent, view)) is not None:
            return tool.span_id
        caller = callers.get(caller.span_id)
    return None


def _open_tool(caller: Span, agent: Span, view: TraceView) -> Span | None:
    """Return the caller's tool that ran while the agent ran; of several, the one started last."""
    tools = view.remember_children(_tools, caller)
    started = bisect_right(tools, agent.start_ns, key=_start)
    recent = reversed(tools[max(0, started - MAX_OPEN) : started])
    return next((tool for tool in recent if encloses(tool, agent)), None)


def _start(span: Span) -> int:
    return span.start_ns


def _callers(children: Sequence[Span]) -> Mapping[str, Span]:
    return find_innermost(children, lambda span: _kind(span) == "agent")


def _tools(children: Sequence[Span]) -> Sequence[Span]:
    return [child for child in children if _kind(child) == "tool"]


def _composed_runs(root: Span, view: TraceView) -> int:
    """Return the number of agents that neither took over by a handoff nor ran as a tool."""
    agents = [child for child in view.tree.children(root) if _kind(child) == "agent"]
    called = sum(_tool_around(agent, view) is not None for agent in agents)
    handoffs = sum(view.remember_children(_handoffs, span) for span in (root, *agents))
    return len(agents) - called - handoffs


def _handoffs(children: Sequence[Span]) -> int:
    return sum(_kind(child) == "handoff" for child in children)
