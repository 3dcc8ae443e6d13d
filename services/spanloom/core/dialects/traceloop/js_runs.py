"""Decides which LangChain.js runs are agents or graphs, and which span ran inside which.

The library's agents are recognised by class. A run whose state contains messages is an agent or the
author's graph, depending on its answers and its direct children (``js.py`` describes the rules).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.langchain.js import read_answers
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.view import find_innermost
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import mostly_encloses
from spanloom.core.values.attributes import json_field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span

SCOPE = "@traceloop/instrumentation-langchain"
INPUT, OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_GRAPH_CLASSES = frozenset({"CompiledStateGraph", "CompiledGraph", "Pregel", "LangGraph"})
_AGENT_CLASSES = ("AgentExecutor", "ReactAgent")
STEPS = {
    "chat": Classification(Kind.MODEL, "traceloop_js.chat"),
    "text_completion": Classification(Kind.MODEL, "traceloop_js.text_completion"),
    "execute_tool": Classification(Kind.TOOL, "traceloop_js.execute_tool"),
}

STATE_OF_MESSAGES = Classification(Kind.AGENT, "traceloop_js.state_of_messages")
_GRAPH = Classification(Kind.GRAPH, "traceloop_js.graph_class")
UNDECIDED = Classification(Kind.GRAPH, "traceloop_js.no_state")
_AGENT_WITH_TOOLS = Classification(Kind.AGENT, "traceloop_js.runs_tools")
_GRAPH_OF_RUNS = Classification(Kind.GRAPH, "traceloop_js.holds_runs")
_GRAPH_OF_CALLS = Classification(Kind.GRAPH, "traceloop_js.calls_in_a_row")


def operation_of(span: Span) -> str:
    """Return the operation, else the first word of the name: ``chat gpt-4o`` → ``chat``."""
    return span.attributes.get(OPERATION) or span.name.partition(" ")[0]


def class_of_run(span: Span) -> str:
    """Return a run's class: ``workflow LangGraph`` → ``LangGraph``; empty for calls and tools."""
    return span.name.partition(" ")[2] if operation_of(span) in ("workflow", "invoke_agent") else ""


def classify_by_class(span: Span) -> Classification | None:
    """Classify spans by class and state; ``None`` if the span is neither an agent nor a graph.

    A ``ReactAgent`` is an agent; a ``LangGraph`` with messages in its state may be an agent.
    """
    name = class_of_run(span)
    if name.endswith(_AGENT_CLASSES):
        return Classification(Kind.AGENT, "traceloop_js.agent_class")
    if name not in _GRAPH_CLASSES:
        return None
    states = [span.attributes[key] for key in (INPUT, OUTPUT) if key in span.attributes]
    if any(map(_holds_messages, states)):
        return STATE_OF_MESSAGES
    return _GRAPH if states else UNDECIDED


def _holds_messages(state: str) -> bool:
    return isinstance(json_field(state, "messages"), list)


class Siblings(NamedTuple):
    """The children of one span: which ran inside which, and which of the runs are agents."""

    places: Mapping[str, Span]
    """The innermost run or tool that encloses a span in time, keyed by the inner span's id."""
    runs: Mapping[str, Classification]
    """Classifications of runs by the spans directly inside them, keyed by the run's span id."""


def read_siblings(children: Sequence[Span]) -> Siblings:
    """Return the enclosing span of each child, and the classification of runs among them."""
    by_class = {span.span_id: classify_by_class(span) for span in children}
    mine = [span for span in children if span.scope_name == SCOPE]
    places = find_innermost(
        mine, lambda span: _is_tool(span) or by_class[span.span_id] is not None, mostly_encloses
    )
    return Siblings(places, _classify_by_inside(children, places, by_class))


def _classify_by_inside(
    children: Sequence[Span],
    places: Mapping[str, Span],
    by_class: Mapping[str, Classification | None],
) -> Mapping[str, Classification]:
    inside: defaultdict[str, list[Span]] = defaultdict(list)
    for span in children:
        if span.span_id in places:
            inside[places[span.span_id].span_id].append(span)
    runs: dict[str, Classification] = {}
    for span in children:
        steps = inside[span.span_id]
        if (classification := by_class[span.span_id]) is STATE_OF_MESSAGES:
            holds_runs = any(by_class[step.span_id] is not None for step in steps)
            runs[span.span_id] = _run_of_messages(span, steps, holds_runs=holds_runs)
        elif classification is UNDECIDED and any(map(_is_tool, steps)):
            runs[span.span_id] = _AGENT_WITH_TOOLS
    return runs


def _run_of_messages(run: Span, steps: Sequence[Span], *, holds_runs: bool) -> Classification:
    calls = [s for s in steps if is_call(s) and s.status_code != "Error"]
    has_tools = any(map(_is_tool, steps))
    if not calls and not has_tools and holds_runs:
        return _GRAPH_OF_RUNS
    if agent_name_of(run):
        return STATE_OF_MESSAGES
    if name := next(filter(None, map(agent_name_of, steps)), ""):
        return STATE_OF_MESSAGES._replace(facts=Facts(agent_name=name))
    return _GRAPH_OF_CALLS if len(calls) > 1 and not has_tools else STATE_OF_MESSAGES


def agent_name_of(run: Span) -> str:
    """Return the name on the last answer in the output state of an agent's run or node."""
    answers = read_answers(run.attributes.get(OUTPUT, ""))
    return answers[-1].text("name") if answers else ""


def _is_tool(span: Span) -> bool:
    return span.scope_name == SCOPE and operation_of(span) == "execute_tool"


def is_call(span: Span) -> bool:
    """Return whether the span is a model call."""
    step = STEPS.get(operation_of(span)) if span.scope_name == SCOPE else None
    return step is not None and step.kind is Kind.MODEL
