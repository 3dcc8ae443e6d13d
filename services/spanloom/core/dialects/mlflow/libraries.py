"""Corrects wrong types of other libraries' spans, and reads approvals of OpenAI Agents.

- OpenAI Agents: ``AgentRunner.run`` has type ``AGENT``, but only wraps the SDK's own spans, which
  include the agents. The span of the author's ``trace(…)`` has the same type and wraps runs; it is
  a graph if several agents start in it. A handoff, which the model calls like a tool, has type
  ``CHAIN``. A guardrail, which no model calls, has type ``TOOL``, no input, and the output
  ``{"triggered": false}``.
- If one method of an agent calls another (``run_sync``, ``on_messages``), one run has two spans of
  type ``AGENT``.
- A workflow of LlamaIndex (``X.run``, above its steps ``X.method``) has type ``CHAIN``, but is a
  graph.
- DSPy's predictors (``signature``) have type ``LLM``, and so has ``_prepare_chat_with_tools``, a
  method of LlamaIndex's models that calls no model.

The input of a continued run is a dump (50 kB) of the state of the run that paused. It contains the
questions, and the tool calls that the person approved or rejected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.pauses import SpanReader, ToolRun, as_question, ask_to_run
from spanloom.core.dialects.mlflow.names import (
    INPUTS,
    OUTPUTS,
    SPAN_TYPE,
    given_name,
    split,
    starts_again,
)
from spanloom.core.model.span import Classification
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_FRAME = Classification(Kind.OTHER, "mlflow.frame_of_a_run")
_COMPOSED = Classification(Kind.GRAPH, "mlflow.composed_runs")
_HANDOFF = Classification(Kind.TOOL, "mlflow.handoff")
_GUARDRAIL = Classification(Kind.GRAPH, "mlflow.guardrail_of_agents")
_TRIGGERED = re.compile(r'\{"triggered": ?(?:true|false)\}')
_PREDICTOR = Classification(Kind.OTHER, "mlflow.predictor")
_WORKFLOW = Classification(Kind.GRAPH, "mlflow.run_of_a_workflow")
_CALLS_NOTHING = Classification(Kind.OTHER, "mlflow.calls_nothing")

_HANDOVER = "Handoff"
_RUNNER = frozenset({"AgentRunner.run", "AgentRunner.run_streamed"})
_PREDICTS = frozenset({"forward", "aforward"})
_PREPARES = frozenset({"_prepare_chat_with_tools"})


def correct(span: Span, span_type: str, view: TraceView) -> Classification | None:
    """Return the classification of a span with a wrong type; ``None`` if the type is right."""
    if span_type in ("AGENT", "INVOKE_AGENT"):
        return _correct_agent(span, view)
    if span_type in ("LLM", "GENERATE_CONTENT", "CHAT_MODEL"):
        return _correct_call(span, view)
    if is_guardrail(span):
        return _GUARDRAIL
    return _correct_chain(span, view) if span_type == "CHAIN" else None


def is_guardrail(span: Span) -> bool:
    """Return whether the span is a guardrail of OpenAI Agents, as its output shows."""
    attributes = span.attributes
    if attributes.get(INPUTS, "null") != "null":
        return False
    return _TRIGGERED.fullmatch(attributes.get(OUTPUTS, "")) is not None


def _correct_chain(span: Span, view: TraceView) -> Classification | None:
    owner, method = split(span)
    if method == "run" and owner in view.remember_children(_classes, span):
        return _WORKFLOW
    return _HANDOFF if is_handoff(span, view) else None


def is_handoff(span: Span, view: TraceView) -> bool:
    """Return whether the span is a handoff of OpenAI Agents: its output has ``to_agent``.

    If spans have no names, it is the last span in a turn of an agent that has ``handoffs``.
    """
    if span.name == _HANDOVER:
        return "to_agent" in span.attributes.get(OUTPUTS, "")
    turn = view.tree.parent(span)
    if turn is None or not _is_nameless(span) or not _is_nameless(turn):
        return False
    agent, siblings = view.tree.parent(turn), view.tree.children(turn)
    hands_over = agent is not None and agent.attributes.get("handoffs", "[]") != "[]"
    return hands_over and siblings[-1] is span and not view.tree.children(span)


def _classes(children: Sequence[Span]) -> frozenset[str]:
    """Return the classes whose methods are child spans of type ``CHAIN``."""
    return frozenset(split(c)[0] for c in children if span_type_of(c) == "CHAIN")


def span_type_of(span: Span) -> str:
    """Return the span type or operation in capitals: ``chat`` → ``CHAT``."""
    return unquoted(first(span.attributes, SPAN_TYPE, OPERATION)).upper()


def _correct_agent(span: Span, view: TraceView) -> Classification | None:
    if given_name(span) in _RUNNER:
        return _FRAME
    if names := _started_in_trace(span, view):
        return _COMPOSED if len(names) > 1 else _FRAME
    around = view.tree.parent(span)
    if around is not None and _is_agent(around) and starts_again(span, around):
        return Classification(Kind.AGENT, "mlflow.started_again", part_of=around.span_id)
    return None


def _correct_call(span: Span, view: TraceView) -> Classification | None:
    method = split(span)[1]
    if method in _PREDICTS or "signature" in span.attributes:
        return _PREDICTOR
    return _CALLS_NOTHING if method in _PREPARES or _prepares(span, view) else None


def _prepares(span: Span, view: TraceView) -> bool:
    """Return whether the span only prepares a model call.

    Such a span has no children and precedes the call.
    """
    around = view.tree.parent(span)
    if around is None or SPAN_TYPE in span.attributes or view.tree.children(span):
        return False
    if any(key.startswith("gen_ai.usage.") for key in span.attributes):
        return False
    later = (s for s in view.tree.children(around) if s.start_ns > span.start_ns)
    call = next((s for s in later if span_type_of(s) == "GENERATE_CONTENT"), None)
    return call is not None and any(
        span_type_of(inner) == "CHAT" for inner in view.tree.children(call)
    )


def _started_in_trace(span: Span, view: TraceView) -> set[str]:
    """Return the names of agents that start in an author's ``trace(…)``; empty for other spans."""
    children = view.tree.children(span)
    if not any(given_name(c) in _RUNNER and not view.tree.children(c) for c in children):
        return set()
    return {name for child in children for name in _first_agent(child, view)}


def _first_agent(run: Span, view: TraceView) -> Sequence[str]:
    """Return a list with the name of a run's first agent; later agents took over by a handoff."""
    inside = [run] if _is_agent(run) else view.tree.children(run)
    return [n for s in inside if _is_agent(s) and (n := given_name(s)) not in _RUNNER][:1]


def _is_nameless(span: Span) -> bool:
    return span.name == "CHAIN" and SPAN_TYPE not in span.attributes


def _is_agent(span: Span) -> bool:
    return span_type_of(span) in ("AGENT", "INVOKE_AGENT")


_STATE = '{"_current_turn"'
_OF_AGENTS = ("handoffs", "output_type")
"""Attributes that the SDK sets on each agent."""


def _tool(span: Span) -> ToolRun | None:
    attributes = span.attributes
    if attributes.get("mlflow.spanType") != '"TOOL"':
        return None
    result = attributes.get(OUTPUTS, "null")
    return ToolRun(given_name(span), attributes.get(INPUTS, ""), result != "null")


def _request(span: Span) -> str:
    is_call = span.attributes.get("mlflow.spanType") == '"CHAT_MODEL"'
    return span.attributes.get(INPUTS, "") if is_call else ""


OPENAI_AGENTS = SpanReader(
    lambda span: all(key in span.attributes for key in _OF_AGENTS), _tool, _request
)


def read_decisions(run_input: str) -> str:
    """Return the person's decisions in the input of a continued run; empty for other runs."""
    if not run_input.startswith(_STATE):
        return ""
    state = json_object(run_input)
    answers = dict(_answers(_inside(state, "_context", "_approvals")))
    pending = _inside(state, "_current_step", "interruptions")
    items = [_inside(item, "raw_item") for item in pending] if isinstance(pending, list) else []
    calls = [item for item in items if isinstance(item, dict)]
    return as_question(
        [
            {
                **ask_to_run(call.get("name"), call.get("arguments")),
                "approved": answers.get(str(call.get("call_id"))),
            }
            for call in calls
        ]
    )


def _inside(value: Json, *keys: str) -> Json:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _answers(approvals: Json) -> Iterator[tuple[str, bool]]:
    """Yield the id of each tool call that a person decided on, and whether it was approved."""
    for decisions in approvals.values() if isinstance(approvals, dict) else ():
        for word, approved in (("approved", True), ("rejected", False)):
            ids = _inside(decisions, word)
            for call_id in ids if isinstance(ids, list) else ():
                yield str(call_id), approved
