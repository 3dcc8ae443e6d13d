"""Approvals in OpenAI's Agents SDK, whichever instrumentation reports it."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.model.normalized import Classification, Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span


_REFUSED = "Tool execution was not approved."
"""What the SDK tells the model, if the author chose no other words."""


class ToolRun(NamedTuple):
    """What an instrumentation tells of a tool."""

    name: str
    arguments: str
    """Empty where content is off: then nothing is known of a result either."""
    has_result: bool


class Teller(NamedTuple):
    """How an instrumentation tells the SDK's spans apart."""

    is_agent: Callable[[Span], bool]
    read_tool: Callable[[Span], ToolRun | None]
    """``None`` of what is no tool."""
    read_request: Callable[[Span], str]
    """What a model was told; empty of what is no call."""

    def last_turn_ns(self, spans: Sequence[Span]) -> int:
        """Return when the last of these began that is no tool."""
        return max((s.start_ns for s in spans if self.read_tool(s) is None), default=0)

    def read_approved(self, children: Sequence[Span]) -> str:
        """Return the tools that ran before any turn, as what a person allowed."""
        ran = list(takewhile(lambda tool: tool is not None, map(self.read_tool, children)))
        tools = [tool for tool in ran if tool is not None] if len(ran) < len(children) else []
        return as_question([{**ask_to_run(t.name, t.arguments), "approved": True} for t in tools])


def with_question(
    tool: Classification, span: Span, view: TraceView, teller: Teller
) -> Classification:
    """Return what a tool is, with what it asks if its run waits for a person."""
    ran = teller.read_tool(span)
    if ran is None or ran.has_result or not ran.arguments or span.status_code == "Error":
        return tool
    if not _is_left_waiting(span, view, teller):
        return tool
    return tool._replace(question=as_question([ask_to_run(ran.name, ran.arguments)]))


def _is_left_waiting(tool: Span, view: TraceView, teller: Teller) -> bool:
    """Return whether the agent stopped there, and nothing failed.

    A tool's span ends before its agent's; one that was cancelled ends with it or later.
    """
    turn = view.tree.parent(tool)
    agent = turn if turn is None or teller.is_agent(turn) else view.tree.parent(turn)
    if turn is None or agent is None or not teller.is_agent(agent) or agent.status_code == "Error":
        return False
    latest = max(view.remember_children(teller.last_turn_ns, span) for span in (turn, agent))
    return tool.end_ns < agent.end_ns and latest < tool.end_ns


def with_answer(
    agent: Classification, span: Span, view: TraceView, teller: Teller
) -> Classification:
    """Return what an agent is, with whether it goes on with a person's answer."""
    if approved := view.remember_children(teller.read_approved, span):
        return agent._replace(facts=Facts(input=approved, is_resuming=True))
    begins = view.tree.children(span)[:1]
    inner = [s for begun in begins for s in (begun, *view.tree.children(begun))]
    told = next((request for s in inner if (request := teller.read_request(s))), "")
    return agent._replace(facts=Facts(is_resuming=True)) if _REFUSED in told else agent
