"""OpenInference (Arize): ``openinference.span.kind`` on every span.

The kind is right for model calls and data access; if it is missing, it is derived from attributes
that only spans of one kind have. For agents the kind is not reliable: LangChain's instrumentation
sets ``AGENT`` if a name contains "agent", on nodes and even tools. A span with ``tool.name`` or
``tool.description`` is a tool whatever its kind. LangChain runs are classified by metadata
(``langchain/run.py``), and LangChain agents without metadata by the structure of the run. On a span
that is no LangChain run at all, ``AGENT`` is trusted. Frameworks that use the kinds differently
have their own dialects.

Verified on captures of LangChain, LangGraph (Python, JS) and the OpenAI client.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from spanloom.core.conventions.langchain.run import (
    CONTROL_FLOW,
    RunMetadata,
    classify_run,
    note_node,
    read_metadata_text,
)
from spanloom.core.conventions.langchain.shape import Runnable, classify_shape
from spanloom.core.conventions.usage import OPENINFERENCE, read_counts
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.messages.calls import NO_ARGUMENTS
from spanloom.core.messages.steps import read_input, read_output
from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.span import GUARDRAIL, Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, decimal, json_object, pick, written
from spanloom.core.values.indexed import indexed_list, indexed_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

SPAN_KIND = "openinference.span.kind"
SCOPES = ("openinference.instrumentation.", "@arizeai/openinference-instrumentation-")
_KIND_OF_KEY = {
    "tool.name": "TOOL",
    "llm.model_name": "LLM",
    "llm.invocation_parameters": "LLM",
    "retrieval.documents.0.document.content": "RETRIEVER",
    "agent.name": "AGENT",
}
"""Attributes that imply a missing kind, most reliable first; messages do not imply a kind."""

_BY_KIND = {
    "LLM": Classification(Kind.MODEL, "openinference.kind_llm"),
    "TOOL": Classification(Kind.TOOL, "openinference.kind_tool"),
    "RETRIEVER": Classification(Kind.TOOL, "openinference.kind_retriever"),
    "RERANKER": Classification(Kind.TOOL, "openinference.kind_reranker"),
    "EMBEDDING": Classification(Kind.TOOL, "openinference.kind_embedding"),
    "GUARDRAIL": Classification(Kind.GRAPH, "openinference.kind_guardrail"),
    "EVALUATOR": Classification(Kind.GRAPH, "openinference.kind_evaluator"),
}
_TOOL_NAME = Classification(Kind.TOOL, "openinference.tool_name")
_NATIVE_AGENT = Classification(Kind.AGENT, "openinference.kind_agent")
_PLUMBING = Classification(Kind.OTHER, "openinference.plumbing")
_DATA_KINDS = {
    "RETRIEVER": "retrieval",
    "RERANKER": "reranking",
    "EMBEDDING": "embedding",
    "GUARDRAIL": GUARDRAIL,
}
_JUDGES = ("GUARDRAIL", "EVALUATOR")

_LANGCHAIN = frozenset({f"{SCOPES[0]}langchain", f"{SCOPES[1]}langchain"})
_CHAINS = frozenset({"CHAIN", "AGENT"})

_METADATA = {
    "llm.provider": "provider",
    "llm.system": "provider",
    "llm.finish_reason": "finish_reasons",
    "llm.invocation_parameters": "invocation_parameters",
    "tool_call.id": "tool_call_id",
    "tool.id": "tool_call_id",
    "tool.description": "tool_description",
}
_WRAPPERS = frozenset({"message", "message_content", "tool_call"})
_DOCUMENTS = {
    "RETRIEVER": "retrieval.documents.",
    "RERANKER": "reranker.output_documents.",
}
_AROUND_DOCUMENT = frozenset({"document"})
_TOOL_CALLS = '"tool_calls":[{'
_PARTS = '"content":[{'
"""The start of a non-empty list as JavaScript serializes it."""
_ONLY_A_ROLE = re.compile(r'\{"role":"\w+"\}')
_NEVER_FLAT = re.compile(
    r'"type": ?"(?:thinking|reasoning)"|"refusal": ?"|"invalid_tool_calls": ?\[\{'
)
"""Matches content that flattened messages lack; the same words in a text have escaped quotes."""


def span_kind(span: Span) -> str:
    """Return the kind; if missing, derive it from another attribute: ``tool.name`` → ``TOOL``."""
    attributes = span.attributes
    if (kind := attributes.get(SPAN_KIND)) is not None:
        return kind.upper()
    return next((kind for key, kind in _KIND_OF_KEY.items() if key in attributes), "")


def _run_metadata(span: Span) -> RunMetadata:
    return read_metadata_text(span.name, span.attributes.get("metadata", ""))


def _runnable(span: Span) -> Runnable:
    return Runnable(span.name, span_kind(span) in _CHAINS)


def _agent_by_shape(span: Span, view: TraceView) -> Classification | None:
    """Return the classification of a LangChain agent without metadata; ``None`` for other spans.

    Graphs are not classified, because without metadata they look like chains.
    """
    if "metadata" in span.attributes or span.scope_name not in _LANGCHAIN:
        return None
    run = classify_shape(span, view, _runnable)
    return run if run is not None and run.kind is Kind.AGENT else None


class OpenInference(Dialect):
    """The convention as OpenInference's Python and JavaScript instrumentations write it."""

    id = "openinference"
    own_keys: ClassVar[Sequence[str]] = ("openinference.",)
    claims = Claim.OVERLAY
    before = ("langfuse", "langsmith", "mlflow")
    control_flow = CONTROL_FLOW
    scopes: ClassVar[Sequence[str]] = (r"openinference\.", "@arizeai/")
    marks: ClassVar[Sequence[str]] = own_keys

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by span kind, or by the scope of an instrumentation."""
        return SPAN_KIND in signature.attributes or signature.scope_name.startswith(SCOPES)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify tools by name, model calls by kind, runs by LangChain's metadata or by kind."""
        kind = span_kind(span)
        if "tool.name" in span.attributes or "tool.description" in span.attributes:
            return _TOOL_NAME
        if kind in _BY_KIND:
            return _BY_KIND[kind]
        if (run := classify_run(span, view, _run_metadata)) is not None:
            return run
        if (agent := _agent_by_shape(span, view)) is not None:
            return agent
        if kind == "AGENT" and not view.remember(_run_metadata, span).integration:
            return _NATIVE_AGENT
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``input.value``, ``output.value`` and the ``llm.*`` and ``tool.*`` attributes."""
        attributes = span.attributes
        facts = Facts(
            input=attributes.get("input.value", ""),
            output=attributes.get("output.value", ""),
            conversation_id=attributes.get("session.id", ""),
            metadata=pick(attributes, _METADATA),
        )
        if kind is Kind.MODEL:
            _describe_model_call(span, facts)
        elif kind is Kind.TOOL:
            facts.tool_name = attributes.get("tool.name", "") or span.name
            facts.data_kind = _DATA_KINDS.get(span_kind(span), "")
            facts.output = _documents(span) or facts.output
            if "input.value" not in attributes and span.scope_name in _LANGCHAIN:
                facts.input = NO_ARGUMENTS  # the instrumentation leaves out an empty ``{}``
            if call_id := _answered_call(facts.output):
                facts.metadata = {"tool_call_id": call_id, **facts.metadata}
        else:
            facts.agent_name = attributes.get("agent.name", "") or span.name
            if kind is Kind.GRAPH and span_kind(span) in _JUDGES:
                facts.agent_name, facts.data_kind = "", GUARDRAIL
        if "metadata" in attributes:
            note_node(facts, kind, _run_metadata(span))
        return facts


def _describe_model_call(span: Span, facts: Facts) -> None:
    attributes = span.attributes
    sent = indexed_text(attributes, "llm.input_messages.", _WRAPPERS)
    received = indexed_text(attributes, "llm.output_messages.", _WRAPPERS)
    facts.input = _messages(sent, facts.input, read_input)
    facts.output = _messages(received, facts.output, read_output)
    facts.model = attributes.get("llm.model_name", "")
    facts.usage = read_counts(attributes, OPENINFERENCE)
    facts.first_token_ms = _first_token_ms(span)


def _answered_call(output: str) -> str:
    """Return the id of the tool call that a result answers, as LangChain reports it.

    The result is ``{"data": {"content": …, "tool_call_id": …}}``, in JavaScript one level deeper:
    ``{"output": {"kwargs": {…}}}``. A tool that returns a ``Command`` has the result in the update:
    ``{"update": {"messages": [{"data": {…}}]}}``.
    """
    message: Json = json_object(output) if '"tool_call_id"' in output else None
    for key in ("output", "update", "messages", "kwargs", "data"):
        if isinstance(message, dict):
            message = message.get(key, message)
        if isinstance(message, list) and message:
            message = message[-1]
    call_id = message.get("tool_call_id") if isinstance(message, dict) else None
    return call_id if isinstance(call_id, str) else ""


def _documents(span: Span) -> str:
    """Return the documents with content, id and score; ``output.value`` may be only a repr."""
    keys = _DOCUMENTS.get(span_kind(span))
    if keys is None:
        return ""
    documents = indexed_list(span.attributes, keys, _AROUND_DOCUMENT)
    items = [item for item in documents if isinstance(item, dict) and "content" in item]
    for item in items:
        if isinstance(score := item.get("score"), str):
            item["score"] = decimal(score)
    return written(list[Json](items)) if items and len(items) == len(documents) else ""


def _messages(flat: str, whole: str, read: Callable[[str], str]) -> str:
    """Return the flattened messages, or the whole value if they lack some of it.

    The instrumentation of LangChain.js flattens the tool calls of a provider's response, but not
    the message's own tool calls, and no content that is a list. The instrumentation of LangChain
    for Python omits reasoning, refusals and calls whose arguments are not JSON.
    """
    lacks_calls = _TOOL_CALLS in whole and '"tool_calls"' not in flat
    lacks_content = _PARTS in whole and _ONLY_A_ROLE.search(flat)
    if lacks_calls or lacks_content or not flat:
        return whole
    if _NEVER_FLAT.search(whole) and '"reasoning' not in flat:
        return read_whole if (read_whole := read(whole)).startswith(CONVERSATION_START) else flat
    return flat


def _first_token_ms(span: Span) -> float | None:
    for event in span.events:
        if event.name == "First Token Stream Event" and event.time_ns >= span.start_ns:
            return (event.time_ns - span.start_ns) / 1e6
    return None
