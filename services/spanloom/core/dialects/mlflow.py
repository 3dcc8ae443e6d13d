"""MLflow: ``mlflow.spanType`` on every span, or GenAI names where its export is told so.

Values of MLflow's own attributes are JSON texts, strings in their quotes. LangChain's run
metadata stands in the attribute ``metadata``. With ``MLFLOW_ENABLE_OTEL_GENAI_SEMCONV`` the span
type becomes ``gen_ai.operation.name``, but only calls and tools get a name of the conventions:
everything else is called ``CHAIN``, by name and operation, and only the metadata tells runs from
nodes.

MLflow does not report reasoning tokens of LangChain's calls; the node around a call does, in the
message that it puts out, and so do the chunks of a streamed call.

Verified on captures of LangChain and LangGraph in both modes. The span types of other libraries
(``AGENT``, ``WORKFLOW``, ``LLM``, ``EMBEDDING``, ``RERANKER``, ``GUARDRAIL``) are documented ones.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from spanloom.core.dialects import mlflow_facts
from spanloom.core.dialects.langchain_run import (
    RunMetadata,
    classify_run,
    read_metadata_text,
)
from spanloom.core.dialects.langchain_usage import find_details
from spanloom.core.dialects.otel_genai import OPERATION
from spanloom.core.dialects.values import Json, first, json_object, unquoted
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Usage

SPAN_TYPE = "mlflow.spanType"
_SCOPE = "mlflow.tracing.provider"

_KINDS = {
    "CHAT_MODEL": Kind.MODEL,
    "LLM": Kind.MODEL,
    "CHAT": Kind.MODEL,
    "TEXT_COMPLETION": Kind.MODEL,
    "GENERATE_CONTENT": Kind.MODEL,
    "TOOL": Kind.TOOL,
    "EXECUTE_TOOL": Kind.TOOL,
    "RETRIEVER": Kind.TOOL,
    "EMBEDDING": Kind.TOOL,
    "EMBEDDINGS": Kind.TOOL,
    "RERANKER": Kind.TOOL,
    "GUARDRAIL": Kind.TOOL,
}
_RUNS = {
    "AGENT": Kind.AGENT,
    "INVOKE_AGENT": Kind.AGENT,
    "WORKFLOW": Kind.GRAPH,
}
_DATA_KINDS = {
    "RETRIEVER": "retrieval",
    "EMBEDDING": "embedding",
    "EMBEDDINGS": "embedding",
    "RERANKER": "reranking",
    "GUARDRAIL": "guardrail",
}


class MLflow:
    """The convention as ``mlflow.tracing`` exports it, with its own names or GenAI's."""

    id = "mlflow"

    def recognises(self, span: Span) -> bool:
        """By the tracer, or by the span type."""
        return span.scope_name == _SCOPE or SPAN_TYPE in span.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Know calls and tools by type, runs by LangChain's metadata, then the native types."""
        span_type = _span_type(span)
        if (kind := _KINDS.get(span_type)) is not None:
            heard = _hear_reasoning(span, view) if kind is Kind.MODEL else None
            return Classification(kind, f"mlflow.{span_type.lower()}", usage=heard)
        run = classify_run(span, view, _run_metadata)
        if run is None:
            return _native_run(span, span_type, view)
        if run.kind is Kind.GRAPH and _is_nameless_prebuilt_loop(span, view):
            return Classification(Kind.AGENT, "mlflow.nameless_create_react_agent")
        return run

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``mlflow.*``, else from ``gen_ai.*``; what LangChain adds from ``metadata``."""
        read = mlflow_facts.read_genai if OPERATION in span.attributes else mlflow_facts.read_own
        facts = read(span, kind)
        said = json_object(span.attributes.get("metadata", ""))
        facts.conversation_id = facts.conversation_id or _text(said, "session_id", "thread_id")
        facts.metadata = {**mlflow_facts.read_call_metadata(span), **facts.metadata}
        if kind is Kind.TOOL:
            facts.data_kind = _DATA_KINDS.get(_span_type(span), "")
        elif kind is Kind.AGENT:
            facts.agent_name = span.name
        return facts


def _span_type(span: Span) -> str:
    """Give the span type; if it is missing, what its other attributes or its name show."""
    said = span.attributes
    if span_type := first(said, SPAN_TYPE, OPERATION):
        return unquoted(span_type).upper()
    if mlflow_facts.MODEL in said or mlflow_facts.USAGE in said:
        return "CHAT_MODEL"
    return "TOOL" if "tool_call_id" in said else span.name.partition(" ")[0].upper()


def _run_metadata(span: Span) -> RunMetadata:
    return read_metadata_text(span.name, span.attributes.get("metadata", ""))


def _native_run(span: Span, span_type: str, view: TraceView) -> Classification:
    if span_type in _RUNS and not view.remember(_run_metadata, span).integration:
        return Classification(_RUNS[span_type], f"mlflow.{span_type.lower()}")
    return Classification(Kind.OTHER, "mlflow.plumbing")


def _is_nameless_prebuilt_loop(span: Span, view: TraceView) -> bool:
    """Know ``create_react_agent`` where names are lost.

    Its node ``agent`` runs a function that runs the sequence of prompt and model; where the
    function's children were hung beside it, it encloses the sequence in time. No node that an
    author writes does so.
    """
    return OPERATION in span.attributes and any(
        view.remember(_run_metadata, node).node == "agent" and _runs_call_model(node, view)
        for node in view.tree.children(span)
    )


def _runs_call_model(node: Span, view: TraceView) -> bool:
    inside = view.tree.children(node)
    if not inside:
        return False
    function, place = inside[0], view.remember(_run_metadata, node)[-2:]
    if run := view.tree.children(function):
        is_same_node = view.remember(_run_metadata, run[0])[-2:] == place
        return len(run) == 1 and is_same_node and bool(view.tree.children(run[0]))
    return any(
        function.start_ns <= s.start_ns and s.end_ns <= function.end_ns and view.tree.children(s)
        for s in inside[1:]
    )


def _hear_reasoning(span: Span, view: TraceView) -> Usage | None:
    """Read what the call's chunks, else the node around it, say of its reasoning tokens."""
    own = mlflow_facts.read_usage(span)
    around = view.tree.parent(span)
    outputs = [around.attributes.get(mlflow_facts.OUTPUTS, "")] if around is not None else []
    return find_details(own, chain(_chunks(span), outputs))


def _chunks(span: Span) -> Iterator[str]:
    """Give the streamed chunks, the last one first: usage comes at the end."""
    return (e.attributes.get("chunk", "") for e in reversed(span.events) if e.name == "new_token")


def _text(said: dict[str, Json], *keys: str) -> str:
    return next((v for key in keys if isinstance(v := said.get(key), str) and v), "")
