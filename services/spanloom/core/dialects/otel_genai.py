"""OpenTelemetry's GenAI conventions: versions up to 1.42, and 0.1.0 (now numbered separately).

Spans are recognised by ``gen_ai.operation.name``, spans of versions before 1.27 by
``gen_ai.system`` and ``gen_ai.request.model``. The operation decides the kind, except for two that
LangChain's instrumentation sets wrongly: ``invoke_workflow`` around a plain LCEL chain, whose
workflow name is a LangChain class; and ``invoke_agent`` around a function of a graph that only runs
one other agent. The root's operation always counts, because the agent that starts a run may do
nothing but hand over to another agent. An application's access to its memory is a tool run
(``tool_kind`` ``memory``); guardrails are graphs; plans, and responses that are fetched again, are
not steps.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.failures import ControlFlow
from spanloom.core.conventions.operations import OPERATION, OPERATIONS, data_kind_of_word
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import GUARDRAIL, Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first

_OPERATIONS = {
    operation: Classification(kind, f"otel_genai.{operation}")
    for operation, kind in OPERATIONS.items()
}
_OTHER_OPERATION = Classification(Kind.OTHER, "otel_genai.other_operation", is_unknown=True)
_NAMED = frozenset(
    {
        *("chat", "text_completion", "generate_content", "embeddings", "embedding", "retrieval"),
        *("rerank", "execute_tool", "invoke_agent", "invoke_workflow", "create_agent"),
    }
)
_MARKS = (
    "gen_ai.request.model",
    "gen_ai.tool.name",
    "gen_ai.agent.name",
    "gen_ai.provider.name",
    "gen_ai.system",
    "gen_ai.workflow.name",
)
_WORKFLOW_NAMES = ("gen_ai.workflow.name", "gen_ai.agent.name")
"""Attributes of a workflow's name; the second is used since version 0.1.0."""
_LANGCHAIN_CLASS = re.compile(r"(Runnable|(Azure)?Chat)[A-Z]\w*(<.*>)?")
_DATA_KINDS = {operation: data_kind_of_word(operation) for operation in OPERATIONS}
_GUARDRAIL = "apply_guardrail"
_GUARDRAIL_NAMES = (
    "gen_ai.guardrail.name",
    "gen_ai.guardrail.component.name",
    "gen_ai.guardrail.policy.id",
)
_RECORDS = "gen_ai.memory.records"


def operation_of(span: Span | Signature) -> str:
    """Return the operation from its attribute, else from the first word of the span's name.

    The conventions name spans ``{operation} {what}``; the name counts only if the span has another
    attribute of the conventions.
    """
    attributes = span.attributes
    if operation := attributes.get(OPERATION, ""):
        return operation
    word = span.name.partition(" ")[0]
    return word if word in _NAMED and any(mark in attributes for mark in _MARKS) else ""


class OtelGenAI(Dialect):
    """The conventions as OpenTelemetry's own instrumentations write them."""

    id = "otel_genai"
    claims = Claim.SHARED
    control_flow = ControlFlow(texts=(re.compile(r"\Aabandoned stream\Z"),))
    scopes: ClassVar[Sequence[str]] = (
        r"opentelemetry\.instrumentation\.",
        "@opentelemetry/",
        r"io\.",
    )

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by operation, or by system and model as before 1.27."""
        attributes = signature.attributes
        return (
            OPERATION in attributes
            or _names_system_and_model(signature)
            or bool(operation_of(signature))
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation."""
        operation = operation_of(span)
        if not operation and _names_system_and_model(span):
            return Classification(Kind.MODEL, "otel_genai.system_and_model")
        classification = _OPERATIONS.get(operation, _OTHER_OPERATION)
        if classification.kind is Kind.GRAPH and _is_plain_chain(span):
            return Classification(Kind.OTHER, "otel_genai.workflow_is_a_chain")
        if classification.kind is Kind.AGENT and _only_runs_one_agent(span, view):
            return Classification(Kind.OTHER, "otel_genai.agent_only_passes_on")
        return classification

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes."""
        if kind is Kind.MODEL:
            return genai_facts.read_model_call(span.attributes)
        if kind is Kind.TOOL:
            facts = genai_facts.read_tool_run(span.attributes)
            facts.tool_name = facts.tool_name or _tool_in_name(span)
            facts.data_kind = _DATA_KINDS.get(operation_of(span), "")
            if facts.data_kind == "memory":
                _describe_memory(facts, span)
            return facts
        facts = genai_facts.read_agent_run(span.attributes)
        if kind is Kind.GRAPH:
            facts.agent_name = first(span.attributes, *_WORKFLOW_NAMES)
            if operation_of(span) == _GUARDRAIL:
                _describe_guardrail(facts, span)
        return facts


def _describe_memory(facts: Facts, span: Span) -> None:
    """Set a missing tool name, and the records: found records as output, others as input."""
    operation, records = operation_of(span), span.attributes.get(_RECORDS, "")
    facts.tool_name = facts.tool_name or operation
    if operation == "search_memory":
        facts.output = facts.output or records
    else:
        facts.input = facts.input or records


def _describe_guardrail(facts: Facts, span: Span) -> None:
    facts.agent_name, facts.data_kind = "", GUARDRAIL
    facts.tool_name = first(span.attributes, *_GUARDRAIL_NAMES) or span.name
    facts.output = facts.output or span.attributes.get("gen_ai.guardrail.result.value", "")


def _tool_in_name(span: Span) -> str:
    """Return the tool's name in ``execute_tool {name}``; empty for another operation."""
    word, _, name = span.name.partition(" ")
    return name if word == "execute_tool" else ""


def _names_system_and_model(span: Span | Signature) -> bool:
    """Return whether system and model are set, as on model calls before version 1.27."""
    return "gen_ai.system" in span.attributes and "gen_ai.request.model" in span.attributes


def _is_plain_chain(span: Span) -> bool:
    """Return whether the workflow is named after a LangChain class, like any unnamed chain."""
    name = first(span.attributes, *_WORKFLOW_NAMES) or span.name.partition(" ")[2]
    return _LANGCHAIN_CLASS.fullmatch(name) is not None


def _only_runs_one_agent(span: Span, view: TraceView) -> bool:
    """Return whether the span is no root, and its only child is the run of an agent."""
    inner = view.tree.children(span)
    is_below = bool(span.parent_span_id)
    return is_below and len(inner) == 1 and operation_of(inner[0]) == "invoke_agent"


DIALECTS = (OtelGenAI(),)
