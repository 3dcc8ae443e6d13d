"""MLflow: ``mlflow.spanType`` on every span, or GenAI names if its export is configured so.

Values of MLflow's own attributes are JSON, so strings are in quotes. LangChain's run metadata is in
the attribute ``metadata``. With ``MLFLOW_ENABLE_OTEL_GENAI_SEMCONV`` the span type becomes
``gen_ai.operation.name``, but only model calls and tools get an operation of the conventions: every
other span has the name and operation ``CHAIN``, and only the metadata distinguishes runs from
nodes.

MLflow does not report reasoning tokens of LangChain's model calls; they are in the output message
of the enclosing node, and in the chunks of a streamed call.

The types of other libraries' spans are not always right (``libraries.py``). Strands' spans, to
which MLflow only adds attributes, are read by the dialect ``strands``. If the application shares
its tracer provider, MLflow's processor sets the type ``null`` on spans of other instrumentations;
these spans are left to other dialects.

Verified on captures of LangChain and LangGraph in both modes, and of OpenAI's and Anthropic's SDKs,
OpenAI Agents, PydanticAI, LlamaIndex, DSPy, smolagents and AutoGen. The types ``RERANKER`` and
``GUARDRAIL`` are known only from documentation.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.run import RunMetadata, classify_run, read_metadata_text
from spanloom.core.conventions.langchain.texts import find_details
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.pauses import with_answer, with_question
from spanloom.core.conventions.view import OwnTree
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.dialects.mlflow import facts as mlflow_facts
from spanloom.core.dialects.mlflow import libraries as mlflow_libraries
from spanloom.core.dialects.mlflow import names as mlflow_names
from spanloom.core.dialects.mlflow.libraries import OPENAI_AGENTS, read_decisions, span_type_of
from spanloom.core.dialects.mlflow.names import COUNTS, OUTPUTS, SPAN_TYPE
from spanloom.core.dialects.mlflow.usage import read_client_details, read_run_usage
from spanloom.core.model.span import GUARDRAIL, Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree

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
    "GUARDRAIL": Kind.GRAPH,
}
_RUNS = {
    "AGENT": Kind.AGENT,
    "INVOKE_AGENT": Kind.AGENT,
    "WORKFLOW": Kind.GRAPH,
}
_PLUMBING = Classification(Kind.OTHER, "mlflow.plumbing")
_NO_TYPE = "null"
"""The type that MLflow's processor sets on other instrumentations' spans in a shared provider."""
_DATA_KINDS = {
    "RETRIEVER": "retrieval",
    "EMBEDDING": "embedding",
    "EMBEDDINGS": "embedding",
    "RERANKER": "reranking",
}


class MLflow(Dialect):
    """The convention as ``mlflow.tracing`` exports it, with MLflow's own names or GenAI names."""

    id = "mlflow"
    own_keys = ("mlflow.",)
    claims = Claim.OVERLAY
    keys_with_values = (SPAN_TYPE,)
    scopes = ("mlflow",)
    marks = own_keys

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by a span type other than null."""
        return _is_typed(signature.scope_name, signature.attributes)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify the span; add OpenAI Agents' approval requests and the decisions about them."""
        classification = self._classify(span, view)
        if classification.kind is Kind.TOOL:
            return with_question(classification, span, view, OPENAI_AGENTS)
        if OPENAI_AGENTS.is_agent(span):
            return with_answer(classification, span, view, OPENAI_AGENTS)
        return classification

    def _classify(self, span: Span, view: TraceView) -> Classification:
        """Classify model calls and tools by span type, runs by LangChain's metadata or by type."""
        span_type = _span_type(span)
        if (corrected := mlflow_libraries.correct(span, span_type, view)) is not None:
            return corrected
        if (kind := _KINDS.get(span_type)) is not None:
            usage = _usage_of_others(span, view) if kind is Kind.MODEL else None
            return Classification(kind, f"mlflow.{span_type.lower()}", usage=usage)
        run = classify_run(span, view, run_metadata)
        if run is None:
            return _native_run(span, span_type, view)
        if run.kind is Kind.GRAPH and is_nameless_prebuilt_loop(span, view):
            return Classification(Kind.AGENT, "mlflow.nameless_create_react_agent")
        return run

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``mlflow.*`` or ``gen_ai.*``, and LangChain's data in ``metadata``."""
        attributes = span.attributes
        is_genai = OPERATION in attributes or mlflow_names.INPUTS not in attributes
        facts = (mlflow_facts.read_genai if is_genai else mlflow_facts.read_own)(span, kind)
        metadata = span.attributes.get("metadata", "")
        facts.conversation_id = facts.conversation_id or _text(metadata, "session_id", "thread_id")
        facts.metadata = {**mlflow_facts.read_call_metadata(span), **facts.metadata}
        if kind is Kind.TOOL:
            facts.data_kind = _DATA_KINDS.get(_span_type(span), "")
            facts.tool_name = mlflow_names.tool_name(span)
        elif kind is Kind.GRAPH and _is_guardrail(span):
            facts.data_kind, facts.tool_name = GUARDRAIL, mlflow_names.tool_name(span)
        elif kind is not Kind.MODEL:
            facts.agent_name = mlflow_names.agent_name(span)
            if answer := read_decisions(facts.input):
                facts.input, facts.is_resuming = answer, True
            if mlflow_names.is_method(span):
                mlflow_facts.show_run(facts)
        return facts


def _is_guardrail(span: Span) -> bool:
    return mlflow_libraries.is_guardrail(span) or _span_type(span) == "GUARDRAIL"


def _span_type(span: Span) -> str:
    """Return the span type; if it is missing, derive it from other attributes or the name."""
    attributes = span.attributes
    if first(attributes, SPAN_TYPE, OPERATION):
        return span_type_of(span)
    is_conversation = COUNTS in attributes or mlflow_facts.FORMAT in attributes
    if mlflow_facts.MODEL in attributes or (is_conversation and not mlflow_names.is_method(span)):
        return "CHAT_MODEL"
    return "TOOL" if "tool_call_id" in attributes else span.name.partition(" ")[0].upper()


def _native_run(span: Span, span_type: str, view: TraceView) -> Classification:
    if span_type in _RUNS and not view.remember(run_metadata, span).integration:
        return Classification(_RUNS[span_type], f"mlflow.{span_type.lower()}")
    return _PLUMBING


def _usage_of_others(span: Span, view: TraceView) -> Usage | None:
    """Return the model call's tokens, completed from the client's response, the run or messages.

    LangChain's messages are in the call's chunks and in the output of the enclosing node.
    """
    counted = mlflow_facts.read_counts(span.attributes)
    own = counted.completed_by(read_client_details(span, counted))
    if span_type_of(span) == "CHAT_MODEL" and not any(own):
        return read_run_usage(span, view)
    around = view.remember_tree(_own_tree).parent(span)
    outputs = [around.attributes.get(OUTPUTS, "")] if around is not None else []
    details = find_details(own, chain(streamed(span), outputs))
    return own if details is None else own.completed_by(details)


def _own_tree(tree: SpanTree) -> OwnTree:
    """Return the tree of MLflow's spans, skipping other spans between them."""
    return OwnTree(tree, lambda s: _is_typed(s.scope_name, s.attributes))


def _is_typed(scope_name: str, attributes: Mapping[str, str]) -> bool:
    return scope_name == _SCOPE or attributes.get(SPAN_TYPE, _NO_TYPE) != _NO_TYPE


def _text(metadata: str, *keys: str) -> str:
    return next((v for key in keys if isinstance(v := json_field(metadata, key), str) and v), "")


def run_metadata(span: Span) -> RunMetadata:
    """Return LangChain's run metadata in the attribute ``metadata``."""
    return read_metadata_text(span.name, span.attributes.get("metadata", ""))


def is_nameless_prebuilt_loop(span: Span, view: TraceView) -> bool:
    """Return whether the span is ``create_react_agent``'s graph, in the mode without span names.

    The graph's node ``agent`` runs a function that runs the sequence of prompt and model. If the
    function's children are reported as its siblings, the function encloses the sequence in time.
    Nodes written by authors do not have this structure.
    """
    return OPERATION in span.attributes and any(
        view.remember(run_metadata, node).node == "agent" and _runs_call_model(node, view)
        for node in view.tree.children(span)
    )


def _runs_call_model(node: Span, view: TraceView) -> bool:
    inside = view.tree.children(node)
    if not inside:
        return False
    function, place = inside[0], view.remember(run_metadata, node)[-2:]
    if run := view.tree.children(function):
        is_same_node = view.remember(run_metadata, run[0])[-2:] == place
        return len(run) == 1 and is_same_node and bool(view.tree.children(run[0]))
    return any(
        function.start_ns <= s.start_ns and s.end_ns <= function.end_ns and view.tree.children(s)
        for s in inside[1:]
    )


def streamed(span: Span) -> Iterator[str]:
    """Yield the streamed chunks, the last chunk first, because usage comes at the end."""
    return (e.attributes.get("chunk", "") for e in reversed(span.events) if e.name == "new_token")
