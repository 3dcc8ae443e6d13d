"""LlamaIndex under OpenInference: scope ``openinference.instrumentation.llama_index``.

Spans are named ``Class.method``. A run of a workflow is ``X.run``, kind ``CHAIN``; its children are
its steps, named after the class that defines them. If they are steps of ``BaseWorkflowAgent``, the
run is an agent, whatever its class; no attribute has the agent's name. ``AgentWorkflow`` is a
graph; its members have no spans, so their model calls belong to the graph. An author's own workflow
is a graph.

Every method of a model class has kind ``LLM``, although ``_prepare_chat_with_tools`` calls no
model. If a model class wraps another, one call has two nested spans, and messages and tokens are on
the inner span. A run's input is the state of its engine and its output a repr, so an agent's
request and answer are read from its model calls.

Verified on captures of function and ReAct agents, some streamed, some with failures, some used as
tools, of ``AgentWorkflow`` and of an author's workflow (4.6.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    Json,
    json_field,
    json_object,
    plain_arguments,
    text_or_json,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.llama_index"
_AGENT = Classification(Kind.AGENT, "openinference_llamaindex.agent_steps")
_WORKFLOW = Classification(Kind.GRAPH, "openinference_llamaindex.workflow")
_CALLS_NOTHING = Classification(Kind.OTHER, "openinference_llamaindex.calls_nothing")
_AGENT_BASE = "BaseWorkflowAgent"
_AGENT_CLASSES = frozenset({"FunctionAgent", "ReActAgent", "CodeActAgent"})
_WORKFLOW_CLASS = "AgentWorkflow"
_OF_A_CALL = ("llm.input_messages.", "llm.output_messages.", "llm.token_count.", "llm.prompts")


class OpenInferenceLlamaIndex(OpenInference):
    """OpenInference as its LlamaIndex instrumentation writes it."""

    id = "openinference_llamaindex"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify runs by their steps' classes, model methods by whether they call a model."""
        kind = span_kind(span)
        if kind == "LLM" and _calls_nothing(span, view):
            return _CALLS_NOTHING
        cls, _, method = span.name.rpartition(".")
        if kind in ("CHAIN", "") and method == "run":
            steps = view.remember_children(_classes, span)
            if _AGENT_BASE in steps or cls in _AGENT_CLASSES:
                return _AGENT
            if cls in steps or cls == _WORKFLOW_CLASS:
                return _WORKFLOW
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; drop the engine's state, unwrap the texts of tools."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.input, facts.output = plain_arguments(facts.input), _result(facts.output)
        elif kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name = span.name.rpartition(".")[0]
            facts.input, facts.output = _request(facts.input), _answer(facts.output)
        return facts


def _calls_nothing(span: Span, view: TraceView) -> bool:
    """Return whether a private method calls no model.

    It then has no attributes of a model call, and no child that is a model call.
    """
    if not span.name.rpartition(".")[2].startswith("_"):
        return False
    is_call = any(key.startswith(_OF_A_CALL) for key in span.attributes)
    return not is_call and not view.remember_children(_holds_a_call, span)


def _holds_a_call(children: Sequence[Span]) -> bool:
    return any(span_kind(child) == "LLM" for child in children)


def _classes(children: Sequence[Span]) -> frozenset[str]:
    """Return the classes whose methods are child spans with kind ``CHAIN`` or without a kind."""
    steps = (child for child in children if span_kind(child) in ("CHAIN", ""))
    return frozenset(child.name.rpartition(".")[0] for child in steps)


def _request(text: str) -> str:
    """Return the user's message; empty if the input is the state of the engine."""
    if text.startswith('{"init_state"'):
        return ""
    message = json_field(text, "user_msg")
    return message if isinstance(message, str) else text


def _answer(text: str) -> str:
    return "" if text.startswith("StopEvent(") else text


def _result(text: str) -> str:
    """Return the raw output inside a ``ToolOutput``, else the text unchanged."""
    output = json_object(text)
    result: Json = output.get("raw_output") if "tool_name" in output else None
    return text if result is None else text_or_json(result)
