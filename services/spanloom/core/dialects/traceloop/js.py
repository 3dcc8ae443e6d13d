"""LangChain.js under OpenLLMetry: scope ``@traceloop/instrumentation-langchain``.

Spans are called by class: ``workflow CompiledStateGraph`` is any LangGraph run, agent or graph, and
``execute_tool DynamicStructuredTool`` any tool. An agent's state is a list of messages, its own
answers under its name. A graph that keeps nothing but messages is told by its inside: it holds runs
and calls no model itself, or calls it twice in a row without a tool; one call alone tells nothing.
Where contents are not reported, a run that runs tools is an agent. ``invoke_agent`` stands on
classes with "agent" in their name: on ``AgentNode``, the loop's node, it is no agent.

**No span has a parent of its own.** In a request of an instrumented server all are its children:
there time tells what ran inside what. Otherwise each is the root of its own trace, and no owner
can be known. A call's span leaves out the tool calls, cached and reasoning tokens, and all usage
of a stream; the state of the node around it has them. A failed tool has no name but in the call.

Verified on captures of LangChain.js 1.5 and LangGraph.js 1.7, alone, under a span of the
application, beside the OpenAI client's spans, and in a workflow of the SDK.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from spanloom.core.dialects.langchain.js import (
    complete_history,
    find_call,
    find_new_answer,
    find_result,
    read_answers,
)
from spanloom.core.dialects.nesting import find_innermost
from spanloom.core.dialects.otel_genai import OPERATION
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.dialects.values import first_integer, json_object, plain_arguments
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.timing import mostly_encloses
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Usage

_SCOPE = "@traceloop/instrumentation-langchain"
_INPUT, _OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_MESSAGES = "gen_ai.input.messages"
_GRAPH_CLASSES = frozenset({"CompiledStateGraph", "CompiledGraph", "Pregel", "LangGraph"})
_AGENT_CLASSES = ("AgentExecutor", "ReactAgent")
_STEPS = {
    "chat": Classification(Kind.MODEL, "traceloop_js.chat"),
    "text_completion": Classification(Kind.MODEL, "traceloop_js.text_completion"),
    "execute_tool": Classification(Kind.TOOL, "traceloop_js.execute_tool"),
}
_PLUMBING = Classification(Kind.OTHER, "traceloop_js.plumbing")

_AGENT = Classification(Kind.AGENT, "traceloop_js.state_of_messages")
_GRAPH = Classification(Kind.GRAPH, "traceloop_js.graph_class")
_UNTOLD = Classification(Kind.GRAPH, "traceloop_js.no_state")
_AGENT_WITH_TOOLS = Classification(Kind.AGENT, "traceloop_js.runs_tools")
_GRAPH_OF_RUNS = Classification(Kind.GRAPH, "traceloop_js.holds_runs")
_GRAPH_OF_CALLS = Classification(Kind.GRAPH, "traceloop_js.calls_in_a_row")


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
            said = _PLUMBING if ran else _STEPS.get(_operation(span), _PLUMBING)
        parent = view.tree.parent(span)
        if said.kind is Kind.OTHER or parent is None:
            return said
        if said in (_AGENT, _UNTOLD):
            said = view.remember_children(_runs_of_messages, parent).get(span.span_id, said)
        elif not ran:
            said = _with_state(said, span, view.remember_children(_nodes, parent))
        around = view.remember_children(_places, parent).get(span.span_id)
        return said if around is None else said._replace(inside=around.span_id)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``gen_ai.*`` or ``traceloop.entity.*``; names from the messages in states."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            _describe_tool(facts)
        elif kind is Kind.AGENT:
            facts.agent_name = _agent_name(span) or facts.agent_name
        return facts


def _describe_tool(facts: Facts) -> None:
    facts.input = plain_arguments(facts.input)
    result, said = find_result(facts.output), json_object(facts.output)
    said = result.said if result else said
    name, content, call_id = (said.get(k) for k in ("name", "content", "tool_call_id"))
    facts.tool_name = name if isinstance(name, str) and name else facts.tool_name
    facts.output = content if isinstance(content, str) else facts.output
    if isinstance(call_id, str) and call_id:
        facts.metadata = {**facts.metadata, "tool_call_id": call_id}


def _operation(span: Span) -> str:
    """Give the operation; the first word of the name repeats it."""
    return span.attributes.get(OPERATION) or span.name.partition(" ")[0]


def _runs_class(span: Span) -> str:
    """Give the class that a chain's span is called by; empty for calls and tools."""
    return span.name.partition(" ")[2] if _operation(span) in ("workflow", "invoke_agent") else ""


def _classify(span: Span) -> Classification | None:
    name = _runs_class(span)
    if name.endswith(_AGENT_CLASSES):
        return Classification(Kind.AGENT, "traceloop_js.agent_class")
    if name not in _GRAPH_CLASSES:
        return None
    states = [span.attributes[key] for key in (_INPUT, _OUTPUT) if key in span.attributes]
    if any(map(_holds_messages, states)):
        return _AGENT
    return _GRAPH if states else _UNTOLD


def _holds_messages(state: str) -> bool:
    return isinstance(json_object(state).get("messages"), list)


def _places(children: Sequence[Span]) -> Mapping[str, Span]:
    """Give the innermost run or tool in whose time each span ran; calls and plumbing hold none."""
    mine = [span for span in children if span.scope_name == _SCOPE]
    return find_innermost(mine, _can_hold, mostly_encloses)


def _can_hold(span: Span) -> bool:
    return _is_tool(span) or _classify(span) is not None


def _runs_of_messages(children: Sequence[Span]) -> Mapping[str, Classification]:
    """Tell graphs and agents among the runs on messages, by what ran right inside them."""
    places = _places(children)
    inside: defaultdict[str, list[Span]] = defaultdict(list)
    for span in children:
        if span.span_id in places:
            inside[places[span.span_id].span_id].append(span)
    found: dict[str, Classification] = {}
    for span in children:
        if (said := _classify(span)) is _AGENT:
            found[span.span_id] = _run_of_messages(span, inside[span.span_id])
        elif said is _UNTOLD and any(map(_is_tool, inside[span.span_id])):
            found[span.span_id] = _AGENT_WITH_TOOLS
    return found


def _run_of_messages(run: Span, steps: Sequence[Span]) -> Classification:
    calls = [s for s in steps if _is_call(s) and s.status_code != "Error"]
    has_tools = any(map(_is_tool, steps))
    if not calls and not has_tools and any(_classify(s) is not None for s in steps):
        return _GRAPH_OF_RUNS
    if _agent_name(run):
        return _AGENT
    if name := next(filter(None, map(_agent_name, steps)), ""):
        return _AGENT._replace(told=Facts(agent_name=name))
    return _GRAPH_OF_CALLS if len(calls) > 1 and not has_tools else _AGENT


def _agent_name(run: Span) -> str:
    """Give the name on the last answer in the state that a run or node of an agent left."""
    answers = read_answers(run.attributes.get(_OUTPUT, ""))
    return answers[-1].text("name") if answers else ""


def _nodes(children: Sequence[Span]) -> Mapping[str, Span]:
    """Give the chain around each tool, and around each call that is the only one in its chain."""
    mine = [span for span in children if span.scope_name == _SCOPE]
    chains = find_innermost(mine, lambda span: bool(_runs_class(span)), mostly_encloses)
    called = [chains[s.span_id].span_id for s in mine if _is_call(s) and s.span_id in chains]
    several = {chain for chain, calls in Counter(called).items() if calls > 1}
    return {span_id: node for span_id, node in chains.items() if node.span_id not in several}


def _with_state(said: Classification, span: Span, nodes: Mapping[str, Span]) -> Classification:
    """Add what the state of the node around a call or a failed tool tells of it."""
    node = nodes.get(span.span_id)
    if node is None:
        return said
    before, after = (node.attributes.get(key, "") for key in (_INPUT, _OUTPUT))
    if said.kind is Kind.TOOL:
        if _OUTPUT in span.attributes:
            return said
        name = find_call(before, plain_arguments(span.attributes.get(_INPUT, "")))
        return said._replace(told=Facts(tool_name=name))
    answer = find_new_answer(before, after)
    if answer is None or not _counts_the_same(span, answer.usage):
        return said
    history = complete_history(span.attributes.get(_MESSAGES, ""), before)
    told = Facts(input=history, output=answer.as_json if answer.calls else "")
    return said._replace(told=told, usage=answer.usage)


def _counts_the_same(call: Span, usage: Usage | None) -> bool:
    """Whether the answer cost what the call did, or the call does not say."""
    own = first_integer(call.attributes, "gen_ai.usage.input_tokens")
    return not own or usage is None or own == usage.input_tokens


def _is_tool(span: Span) -> bool:
    return span.scope_name == _SCOPE and _operation(span) == "execute_tool"


def _is_call(span: Span) -> bool:
    step = _STEPS.get(_operation(span)) if span.scope_name == _SCOPE else None
    return step is not None and step.kind is Kind.MODEL
