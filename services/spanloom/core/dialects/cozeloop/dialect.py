"""Coze Loop's SDKs: ``cozeloop.span_type`` on every span.

Python and Go post JSON, which the receiver turns into these attributes (ADR 010); JavaScript
sends OTLP. ``model``, ``tool`` and ``retriever`` are what they say. The LangChain handlers say
``graph`` for a run of exactly the name ``LangGraph`` and ``chain`` for all else, with no metadata,
so runs go by their shape. A span of the author's own may have any type; ``agent`` counts.
The JavaScript handler leaves reasoning and cached tokens out of the call, but not out of the
message that the chain around it puts out, or the next one takes in.
The first token's latency is in microseconds, but in milliseconds from the LangChain handlers.
Verified on captures: cozeloop 0.1.28 and ``@cozeloop/langchain`` 0.0.3. On documentation only:
spans that an author reports himself. Eino's callback is ``eino_cozeloop``'s.
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
"""How LangChain.js writes the message of a tool."""
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
        """By the span type, or by what else the SDKs always write."""
        attributes = signature.attributes
        return SPAN_TYPE in attributes or INPUT in attributes or OUTPUT in attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By the type for calls, by the shape for runs."""
        kind = _type(span)
        if kind == "model" and JS_TOKENS in span.attributes:
            return _BY_TYPE[kind]._replace(usage=_hear_details(span, view))
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
        if kind in _CHAINS and (run := classify_shape(span, view, _runnable)) is not None:
            return run
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``cozeloop.input``, ``cozeloop.output`` and the tags."""
        return cozeloop_facts.describe(span, kind, data_kind=_type(span))


def _type(span: Span) -> str:
    """Return the span type; without it, what only calls and tools have tells them."""
    attributes = span.attributes
    if SPAN_TYPE in attributes:
        return attributes[SPAN_TYPE]
    if any(mark in attributes for mark in MODEL_MARKS):
        return "model"
    made = attributes.get(OUTPUT, "")
    is_message = made.startswith(_MESSAGE) and _TOOL_MESSAGE in made[:_HEAD]
    is_tool = is_message or any(mark in attributes for mark in TOOL_MARKS)
    return "tool" if is_tool else "chain"


def _hear_details(span: Span, view: TraceView) -> Usage | None:
    """Read the call's token details in what came out around it or went in after it."""
    around = view.tree.parent(span)
    if around is None:
        return None
    after = view.remember_children(_inputs_after, around).get(span.span_id, "")
    texts = (around.attributes.get(OUTPUT, ""), after)
    return find_details(cozeloop_facts.read_usage(span.attributes), texts)


def _inputs_after(children: Sequence[Span]) -> dict[str, str]:
    """Return for each span the input of its next sibling."""
    return {
        span.span_id: after.attributes.get(INPUT, "")
        for span, after in pairwise(children)
        if span.attributes.get(SPAN_TYPE) == "model"
    }
