"""Coze Loop's SDKs: ``cozeloop.span_type`` on every span.

Python and Go post JSON, which the receiver converts to these attributes (ADR 010); JavaScript
sends OTLP. The types ``model``, ``tool`` and ``retriever`` are reliable. The LangChain handlers set
``graph`` on runs with exactly the name ``LangGraph`` and ``chain`` on all others, without metadata,
so runs are classified by shape. Spans created by the author may have any type; ``agent`` counts.
The JavaScript handler omits reasoning and cached tokens on the call; they are in the output message
of the enclosing chain, or in the input of the next one.
The latency of the first token is in microseconds, from the LangChain handlers in milliseconds.
Verified on captures: cozeloop 0.1.28 and ``@cozeloop/langchain`` 0.0.3. On documentation only:
spans created by the author. ``eino_cozeloop`` reads the spans of Eino's callback.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.shape import Runnable, classify_shape
from spanloom.core.conventions.langchain.usage import find_details
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.dialects.cozeloop import facts as cozeloop_facts
from spanloom.core.dialects.cozeloop.facts import (
    INPUT,
    JS_TOKENS,
    MODEL_MARKS,
    OUTPUT,
    SPAN_TYPE,
    TOOL_MARKS,
)
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Usage

_BY_TYPE = {
    "model": Classification(Kind.MODEL, "cozeloop.model"),
    "tool": Classification(Kind.TOOL, "cozeloop.tool"),
    "retriever": Classification(Kind.TOOL, "cozeloop.retriever"),
    "embedding": Classification(Kind.TOOL, "cozeloop.embedding"),
    "agent": Classification(Kind.AGENT, "cozeloop.agent"),
}
_MESSAGE, _TOOL_MESSAGE, _HEAD = '{"lc":', '"ToolMessage"]', 120
"""How LangChain.js serializes the message of a tool."""
_CHAINS = frozenset({"chain", "graph"})
_PLUMBING = Classification(Kind.OTHER, "cozeloop.plumbing")


def _runnable(span: Span) -> Runnable:
    kind = _type(span)
    return Runnable(span.name, kind in _CHAINS, kind == "graph")


class CozeLoop(Dialect):
    """The convention as the Python, JavaScript and Go SDKs write it."""

    id = "cozeloop"
    claims = Claim.OVERLAY

    def recognises(self, signature: Signature) -> bool:
        """Recognise by span type, or by the SDKs' input and output attributes."""
        attributes = signature.attributes
        return SPAN_TYPE in attributes or INPUT in attributes or OUTPUT in attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify calls by type, runs by shape."""
        kind = _type(span)
        if kind == "model" and JS_TOKENS in span.attributes:
            return _BY_TYPE[kind]._replace(usage=_usage_nearby(span, view))
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
        if kind in _CHAINS and (run := classify_shape(span, view, _runnable)) is not None:
            return run
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``cozeloop.input``, ``cozeloop.output`` and the tags."""
        return cozeloop_facts.describe(span, kind, data_kind=_type(span))


def _type(span: Span) -> str:
    """Return the span type; if missing, derive it from attributes that only calls or tools have."""
    attributes = span.attributes
    if SPAN_TYPE in attributes:
        return attributes[SPAN_TYPE]
    if any(mark in attributes for mark in MODEL_MARKS):
        return "model"
    output = attributes.get(OUTPUT, "")
    is_message = output.startswith(_MESSAGE) and _TOOL_MESSAGE in output[:_HEAD]
    is_tool = is_message or any(mark in attributes for mark in TOOL_MARKS)
    return "tool" if is_tool else "chain"


def _usage_nearby(span: Span, view: TraceView) -> Usage | None:
    """Return the call's token details from the parent's output or the next sibling's input."""
    around = view.tree.parent(span)
    if around is None:
        return None
    after = view.remember_children(_inputs_after, around).get(span.span_id, "")
    texts = (around.attributes.get(OUTPUT, ""), after)
    return find_details(cozeloop_facts.read_usage(span.attributes), texts)


def _inputs_after(children: Sequence[Span]) -> dict[str, str]:
    """Return the input of the next sibling for each model call, by span id."""
    return {
        span.span_id: after.attributes.get(INPUT, "")
        for span, after in pairwise(children)
        if span.attributes.get(SPAN_TYPE) == "model"
    }
