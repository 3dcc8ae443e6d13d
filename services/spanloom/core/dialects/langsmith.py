"""LangSmith's OpenTelemetry export: ``langsmith.span.kind`` on every span.

Spans are classified by span kind, not by ``gen_ai.operation.name``, which is ``chat`` on a prompt
template and ``embeddings`` on a retriever. LangChain's runs are classified by their metadata. Token
details are only in the JSON of ``langsmith.metadata.usage_metadata``; the ``gen_ai.usage.*``
attributes of wrapper spans only repeat counts and are ignored.
"""

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.langchain.run import (
    CONTROL_FLOW,
    RunMetadata,
    classify_run,
    note_node,
    read_prefixed_metadata,
)
from spanloom.core.conventions.usage import read_counts, read_payload
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object

SPAN_KIND = "langsmith.span.kind"
METADATA = "langsmith.metadata."
_SCOPE = "langsmith"

_KINDS = {
    "llm": Kind.MODEL,
    "tool": Kind.TOOL,
    "retriever": Kind.TOOL,
    "embedding": Kind.TOOL,
}
_BY_KIND = {name: Classification(kind, f"langsmith.kind_{name}") for name, kind in _KINDS.items()}
_PLUMBING = Classification(Kind.OTHER, "langsmith.plumbing")
_FOREIGN = _PLUMBING._replace(is_unknown=True)
_OWN = "langsmith."
_DATA_KINDS = {"retriever": "retrieval", "embedding": "embedding"}
_KIND_OF_OPERATION = {"chat": "llm", "execute_tool": "tool", "embeddings": "retriever"}


def _kind(span: Span) -> str:
    """Return the span kind, or derive it from the operation: ``chat`` without model is a prompt."""
    attributes = span.attributes
    if kind := attributes.get(SPAN_KIND):
        return kind
    operation = attributes.get("gen_ai.operation.name", "")
    if operation == "chat" and "gen_ai.request.model" not in attributes:
        return "prompt"
    return _KIND_OF_OPERATION.get(operation, operation)


def _run_metadata(span: Span) -> RunMetadata:
    return read_prefixed_metadata(span.name, span.attributes, METADATA)


class LangSmith(Dialect):
    """The convention as ``langsmith`` for Python writes it."""

    id = "langsmith"
    claims = Claim.OVERLAY
    control_flow = CONTROL_FLOW
    scopes = ("langsmith",)
    marks = ("langsmith.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by span kind, else by scope name."""
        return SPAN_KIND in signature.attributes or signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by span kind, or as a LangChain run."""
        if (classification := _BY_KIND.get(_kind(span))) is not None:
            return classification
        if (run := classify_run(span, view, _run_metadata)) is not None:
            return run
        is_own = _kind(span) == "prompt" or any(key.startswith(_OWN) for key in span.attributes)
        return _PLUMBING if is_own else _FOREIGN

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``gen_ai.prompt`` and ``gen_ai.completion`` (one JSON text each) and metadata."""
        attributes = span.attributes
        facts = Facts(
            input=attributes.get("gen_ai.prompt", ""),
            output=attributes.get("gen_ai.completion", ""),
            conversation_id=first(attributes, METADATA + "session_id", METADATA + "thread_id"),
            metadata=genai_facts.read_metadata(attributes),
        )
        if kind is Kind.MODEL:
            facts.model = first(attributes, "gen_ai.response.model", "gen_ai.request.model")
            facts.usage = _usage(span)
        elif kind is Kind.TOOL:
            facts.tool_name = attributes.get("gen_ai.tool.name", "") or span.name
            facts.data_kind = _DATA_KINDS.get(_kind(span), "")
        else:
            facts.agent_name = span.name
        note_node(facts, kind, _run_metadata(span))
        return facts


def _usage(span: Span) -> Usage:
    payload = json_object(span.attributes.get(METADATA + "usage_metadata", ""))
    return read_counts(span.attributes).completed_by(read_payload(payload))


DIALECTS = (LangSmith(),)
