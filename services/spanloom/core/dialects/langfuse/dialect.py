"""Langfuse: ``langfuse.observation.*``, as its SDKs send them (v3 and later, over OTLP).

The SDK's LangChain callback sets the type ``agent`` if a name contains "agent", also on nodes and
tools, so LangChain runs are classified by metadata and a span with a tool call id is a tool. A type
set by the author (``@observe(as_type="agent")``) is trusted; spans with it have no LangChain
metadata. The JavaScript SDK sets no status; an observation's level reports failures. Observations
posted to Langfuse's ingestion API arrive in the same attributes (ADR 010); ``eino_langfuse`` reads
the observations of Eino.

Verified on captures of the callback, the decorators and the OpenAI client, versions 5.0.4 for
Python and 5.11.1 for JavaScript.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.run import (
    DEFAULT_GRAPH_NAME,
    RunMetadata,
    classify_run,
    read_prefixed_metadata,
)
from spanloom.core.conventions.langchain.shape import Runnable, classify_shape
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.dialects.langfuse.facts import (
    METADATA,
    OBSERVATION,
    TYPE,
    describe_call,
    describe_observation,
    kind_of,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "langfuse-sdk"

_BY_TYPE = {
    "generation": Classification(Kind.MODEL, "langfuse.generation"),
    "tool": Classification(Kind.TOOL, "langfuse.tool"),
    "retriever": Classification(Kind.TOOL, "langfuse.retriever"),
    "embedding": Classification(Kind.TOOL, "langfuse.embedding"),
    "guardrail": Classification(Kind.TOOL, "langfuse.guardrail"),
}
_TOOL_CALL_ID = Classification(Kind.TOOL, "langfuse.tool_call_id")
_NATIVE_AGENT = Classification(Kind.AGENT, "langfuse.agent")
_PLUMBING = Classification(Kind.OTHER, "langfuse.plumbing")
_FOREIGN = _PLUMBING._replace(is_unknown=True)
_DATA_KINDS = {
    "retriever": "retrieval",
    "embedding": "embedding",
    "guardrail": "guardrail",
}


def _run_metadata(span: Span) -> RunMetadata:
    return read_prefixed_metadata(span.name, span.attributes, METADATA)


def _runnable(span: Span) -> Runnable:
    attributes = span.attributes
    is_chain = (
        attributes.get(TYPE, "") not in _BY_TYPE and METADATA + "tool_call_id" not in attributes
    )
    return Runnable(span.name, is_chain, is_chain and span.name == DEFAULT_GRAPH_NAME)


def _is_incomplete(span: Span, view: TraceView) -> bool:
    """Return whether the metadata of a run and its nodes is too incomplete to classify the run."""
    own = view.remember(_run_metadata, span)
    inner = [view.remember(_run_metadata, child) for child in view.tree.children(span)]
    nodes = [node for node in inner if node.node]
    return bool(nodes) and not (own.integration and any(node.namespace for node in nodes))


class Langfuse(Dialect):
    """The convention as Langfuse's own SDKs write it."""

    id = "langfuse"
    claims = Claim.OVERLAY
    scopes = ("langfuse",)
    marks = ("langfuse.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the type of the observation, or the SDK's scope."""
        return TYPE in signature.attributes or signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify model calls by type, tools by tool call id, runs by LangChain's metadata."""
        attributes = span.attributes
        kind = kind_of(attributes)
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
        if METADATA + "tool_call_id" in attributes:
            return _TOOL_CALL_ID
        run = classify_run(span, view, _run_metadata)
        if (run is None or run.kind is not Kind.AGENT) and _is_incomplete(span, view):
            run = classify_shape(span, view, _runnable) or run
        if run is not None:
            return run
        own = view.remember(_run_metadata, span)
        if kind == "agent" and not (own.integration or own.node):
            return _NATIVE_AGENT
        is_own = any(key.startswith(OBSERVATION) for key in attributes)
        return _PLUMBING if is_own else _FOREIGN

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the observation's attributes; the session may be LangGraph's thread."""
        attributes = span.attributes
        if kind is Kind.MODEL:
            return describe_call(span)
        facts = describe_observation(span)
        if kind is Kind.TOOL:
            facts.tool_name = span.name
            facts.data_kind = _DATA_KINDS.get(kind_of(attributes), "")
        else:
            facts.agent_name = span.name
        return facts
