"""LangChain.js under OpenLLMetry: scope ``@traceloop/instrumentation-langchain``.

Spans are named after classes: ``workflow CompiledStateGraph`` is any LangGraph run, agent or graph,
and ``execute_tool DynamicStructuredTool`` any tool. An agent's state contains a list of messages,
in which answers have the agent's name. A run whose state contains messages is a graph if it
contains other runs and itself runs neither models nor tools, or if no answer has a name and it
calls models more than once and runs no tools; otherwise it is an agent. If contents are not
reported, a run that runs tools is an agent. ``invoke_agent`` is set on classes with "agent" in
their name; on ``AgentNode``, the loop's node, it does not mean an agent.

**Spans have no LangChain parents.** In a request to an instrumented server all spans are children
of the server's span; then start and end times decide which span ran inside which. Otherwise each
span is the root of its own trace, and its owner is unknown. The span of a model call omits tool
calls, cached and reasoning tokens, and all usage of a stream; the state of the enclosing node has
them. The name of a failed tool is only in the tool call of the model's answer.

Verified on captures of LangChain.js 1.5 and LangGraph.js 1.7, alone, below a span of the
application, with the OpenAI client's spans, and in a workflow of OpenLLMetry's SDK.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.js import (
    complete_history,
    find_call,
    find_new_answer,
    find_result,
)
from spanloom.core.conventions.view import find_innermost
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.dialects.traceloop.js_runs import (
    INPUT,
    OUTPUT,
    SCOPE,
    STATE_OF_MESSAGES,
    STEPS,
    UNDECIDED,
    agent_name_of,
    class_of_run,
    classify_by_class,
    is_call,
    operation_of,
    read_siblings,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import mostly_encloses
from spanloom.core.values.attributes import first_integer, json_object, plain_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage

_MESSAGES = "gen_ai.input.messages"
_PLUMBING = Classification(Kind.OTHER, "traceloop_js.plumbing")


class TraceloopJS(Traceloop):
    """OpenLLMetry's attributes as its JavaScript instrumentation of LangChain writes them."""

    id = "traceloop_js"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation and class, runs by state; find the enclosing run by time."""
        classification, run_class = classify_by_class(span), class_of_run(span)
        if classification is None:
            classification = _PLUMBING if run_class else STEPS.get(operation_of(span), _PLUMBING)
        parent = view.tree.parent(span)
        if classification.kind is Kind.OTHER or parent is None:
            return classification
        siblings = view.remember_children(read_siblings, parent)
        if classification in (STATE_OF_MESSAGES, UNDECIDED):
            classification = siblings.runs.get(span.span_id, classification)
        elif not run_class:
            classification = _with_state(
                classification, span, view.remember_children(_nodes, parent)
            )
        around = siblings.places.get(span.span_id)
        return classification if around is None else classification._replace(inside=around.span_id)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``gen_ai.*`` or ``traceloop.entity.*``, and names from the messages in states."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            _describe_tool(facts)
        elif kind is Kind.AGENT:
            facts.agent_name = agent_name_of(span) or facts.agent_name
        return facts


def _describe_tool(facts: Facts) -> None:
    facts.input = plain_arguments(facts.input)
    result = find_result(facts.output)
    message = result.fields if result else json_object(facts.output)
    name, content, call_id = (message.get(k) for k in ("name", "content", "tool_call_id"))
    facts.tool_name = name if isinstance(name, str) and name else facts.tool_name
    facts.output = content if isinstance(content, str) else facts.output
    if isinstance(call_id, str) and call_id:
        facts.metadata = {**facts.metadata, "tool_call_id": call_id}


def _nodes(children: Sequence[Span]) -> Mapping[str, Span]:
    """Map ids of tools, and of model calls alone in a node, to the enclosing node's span."""
    mine = [span for span in children if span.scope_name == SCOPE]
    chains = find_innermost(mine, lambda span: bool(class_of_run(span)), mostly_encloses)
    called = [chains[s.span_id].span_id for s in mine if is_call(s) and s.span_id in chains]
    several = {chain for chain, calls in Counter(called).items() if calls > 1}
    return {span_id: node for span_id, node in chains.items() if node.span_id not in several}


def _with_state(
    classification: Classification, span: Span, nodes: Mapping[str, Span]
) -> Classification:
    """Add facts of a model call or failed tool from the state of the enclosing node."""
    node = nodes.get(span.span_id)
    if node is None:
        return classification
    before, after = (node.attributes.get(key, "") for key in (INPUT, OUTPUT))
    if classification.kind is Kind.TOOL:
        if OUTPUT in span.attributes:
            return classification
        name = find_call(before, plain_arguments(span.attributes.get(INPUT, "")))
        return classification._replace(facts=Facts(tool_name=name))
    answer = find_new_answer(before, after)
    if answer is None or not _has_same_usage(span, answer.usage):
        return classification
    history = complete_history(span.attributes.get(_MESSAGES, ""), before)
    facts = Facts(input=history, output=answer.as_json if answer.calls else "")
    return classification._replace(facts=facts, usage=answer.usage)


def _has_same_usage(call: Span, usage: Usage | None) -> bool:
    """Return whether a model call and an answer have equal input tokens, or either has no usage."""
    own = first_integer(call.attributes, "gen_ai.usage.input_tokens")
    return not own or usage is None or own == usage.input_tokens
