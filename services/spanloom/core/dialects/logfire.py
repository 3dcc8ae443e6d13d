"""Logfire's client instrumentations (``logfire.instrument_openai`` …): scopes ``logfire.<client>``.

Spans have GenAI attributes, ``request_data`` and ``response_data``. Token details are only in the
JSON of ``gen_ai.usage.raw``. The span of a streamed call ends when the stream begins; a second
span, ``streaming response from …``, reports the same request when the stream has ended. If the two
spans have no parent, they are separate traces with no link. In this case only the second span
becomes the model call, because it has the answer and the tokens; a trace that contains only a
successful call without answer and tokens is the start of a stream, not a step.

Verified on captures of the OpenAI and Anthropic clients (5.2), with and without streaming. Contents
in ``request_data`` and ``response_data`` are known only from documentation of versions before 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.usage import read_payload
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Classification
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_object, text_or_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Facts, Span

_SCOPE = "logfire."
_REQUEST, _RESPONSE, _USAGE = "request_data", "response_data", "gen_ai.usage.raw"
_STREAMED = "streaming response"
_ANSWERS = frozenset(
    {
        _RESPONSE,
        _USAGE,
        "gen_ai.output.messages",
        "gen_ai.usage.output_tokens",
        "gen_ai.response.id",
    }
)
_BEGIN_OF_STREAM = Classification(Kind.OTHER, "logfire.begin_of_stream")


def _only_began(span: Span) -> bool:
    """Return whether the span only reports that a stream began: no error, answer or tokens."""
    attributes = span.attributes
    is_chat = attributes.get(OPERATION, "chat") == "chat" and _REQUEST in attributes
    failed = span.status_code == "Error" or span.events
    return is_chat and not failed and _ANSWERS.isdisjoint(attributes)


def _is_stream_end(span: Span) -> bool:
    attributes = span.attributes
    return attributes.get("logfire.msg_template", span.name).startswith(_STREAMED)


class Logfire(OtelGenAI):
    """The GenAI conventions as Logfire's client instrumentations write them."""

    id = "logfire"
    scopes = ("logfire",)
    marks = ("logfire.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, if the span has a request or an operation."""
        return signature.scope_name.startswith(_SCOPE) and (
            _REQUEST in signature.attributes or OPERATION in signature.attributes
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans as model calls; the end of a stream belongs to the call that began it."""
        if _is_stream_end(span):
            call = _begun_by(span, view.tree.siblings(span))
            if call is not None:
                return Classification(Kind.MODEL, "logfire.end_of_stream", call.span_id)
        elif len(view.tree.spans) == 1 and _only_began(span):
            return _BEGIN_OF_STREAM
        if span.attributes.get(OPERATION):
            return super().classify(span, view)
        return Classification(Kind.MODEL, "logfire.request")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, the request and the response."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is not Kind.MODEL:
            return facts
        request, response = (
            json_object(attributes.get(_REQUEST, "")),
            json_object(attributes.get(_RESPONSE, "")),
        )
        facts.input = facts.input or _text(request.get("messages") or request.get("input"))
        facts.output = facts.output or _text(
            response.get("message") or response.get("combined_chunk_content")
        )
        if facts.usage is not None and _USAGE in attributes:
            facts.usage = facts.usage.completed_by(read_payload(json_object(attributes[_USAGE])))
        return facts


def _begun_by(end: Span, siblings: Sequence[Span]) -> Span | None:
    """Return the last model call that began before ``end`` with the same request, or ``None``."""
    request = end.attributes.get(_REQUEST)
    calls = [
        s
        for s in siblings
        if s.scope_name == end.scope_name
        and s.attributes.get(_REQUEST) == request
        and s.start_ns <= end.start_ns
        and not _is_stream_end(s)
    ]
    return calls[-1] if calls else None


def _text(value: Json) -> str:
    return text_or_json(value) if value else ""


DIALECTS = (Logfire(),)
