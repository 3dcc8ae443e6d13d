"""LiteLLM's OpenTelemetry callback: scope ``litellm``, attributes ``litellm.call_id`` and costs.

A model call is a span ``litellm_request`` (or with a name chosen by the caller); a span
``raw_gen_ai_request`` below it reports the same call again. If the application has an open span,
the callback writes the model, usage, operation and ``llm.request.type`` (OpenLLMetry's attribute)
of the *last* call to that span, and the calls themselves are reported only as raw requests. Usage
and messages of a raw request are Python reprs (``llm.<provider>.usage``), and so are token details
(``metadata.usage_object``); tool calls are only in ``gen_ai.completion.N.function_call``.

Verified on captures of version 1.106.
"""

import re
from collections.abc import Mapping

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.usage import read_payload
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, integer, json_value, written
from spanloom.core.values.indexed import indexed_list
from spanloom.core.values.python_repr import as_json

_SCOPE = "litellm"
_INSTRUMENTATION = "opentelemetry.instrumentation."
_MARKS = ("litellm.call_id", "litellm.provider.model", "gen_ai.cost.total_cost")
_TYPE = "llm.request.type"
_RAW = "llm."
_DATA_KINDS = {"embedding": "embedding", "rerank": "reranking"}
_REQUEST = Classification(Kind.MODEL, "litellm.request")
_RAW_REQUEST = Classification(Kind.MODEL, "litellm.raw_request")
_OF_DATA = {
    "embedding": Classification(Kind.TOOL, "litellm.embedding"),
    "reranking": Classification(Kind.TOOL, "litellm.reranking"),
}
_GUARDRAIL = Classification(Kind.GRAPH, "litellm.guardrail")
_PLUMBING = Classification(Kind.OTHER, "litellm.plumbing", is_unknown=True)
_WRITTEN_ONTO = Classification(Kind.OTHER, "litellm.written_onto_the_caller")
_MAX_USAGE_CHARS = 4_000
"""The usage of a call is a dozen numbers; a longer text is searched only up to this length."""
_COUNTS = re.compile(r"\b(\w+_tokens)['\"]?\s*[:=]\s*(\d{1,12})\b")


class LiteLLM(Dialect):
    """The convention of LiteLLM's callback, on its own spans and on its caller's spans."""

    id = "litellm"
    claims = Claim.SHARED
    before = ("traceloop",)
    scopes = ("litellm",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by attributes that only this callback sets.

        Spans of other instrumentations are left to their own dialects, even with these attributes.
        """
        if signature.scope_name == _SCOPE:
            return True
        is_marked = any(mark in signature.attributes for mark in _MARKS)
        return is_marked and not signature.scope_name.startswith(_INSTRUMENTATION)

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """Classify LiteLLM's spans by attributes, because callers may rename the spans.

        Spans of the caller, to which the callback only added attributes, are noise.
        """
        if span.scope_name != _SCOPE:
            return _WRITTEN_ONTO
        if data_kind := _data_kind(span.attributes):
            return _OF_DATA[data_kind]
        if _TYPE in span.attributes or span.name == "litellm_request":
            return _REQUEST
        if span.name == "raw_gen_ai_request" or _raw(span.attributes):
            return _RAW_REQUEST
        return _GUARDRAIL if "guardrail_name" in span.attributes else _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, or ``llm.<provider>.*`` of a raw request."""
        attributes = span.attributes
        if kind is Kind.MODEL:
            return _describe_call(attributes)
        if kind in (Kind.TOOL, Kind.GRAPH):
            return _describe_tool(attributes)
        return Facts(
            input=attributes.get("input.value", ""), output=attributes.get("output.value", "")
        )


def _raw(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the values of ``llm.<provider>.<field>``, keyed by field."""
    values = {}
    for key, text in attributes.items():
        if key.startswith(_RAW):
            provider, _, name = key[len(_RAW) :].partition(".")
            if name and provider != "request":
                values[name] = text
    return values


def _data_kind(attributes: Mapping[str, str]) -> str:
    """Return ``embedding`` or ``reranking`` for a request of that kind, else an empty text.

    The request type (``aembedding``) decides; a raw embedding request has an input, no messages.
    """
    if kind := attributes.get(_TYPE):
        return _DATA_KINDS.get(kind.removeprefix("a"), "")
    raw = _raw(attributes)
    is_embedding = "input" in raw and not raw.keys() & {"messages", "output", "usage"}
    return "embedding" if is_embedding else ""


def _describe_call(attributes: Mapping[str, str]) -> Facts:
    facts, raw = genai_facts.read_model_call(attributes), _raw(attributes)
    facts.input = attributes.get("gen_ai.input.messages") or as_json(
        first(raw, "messages", "input")
    )
    facts.output = _answer(attributes) or _messages(as_json(first(raw, "choices", "output")))
    facts.model = facts.model or first(raw, "model")
    facts.response_id = facts.response_id or first(raw, "id")
    counts = _read_counts(attributes.get("metadata.usage_object", "") or raw.get("usage", ""))
    facts.usage = facts.usage.completed_by(counts) if facts.usage else counts
    return facts


def _describe_tool(attributes: Mapping[str, str]) -> Facts:
    raw = _raw(attributes)
    return Facts(
        input=attributes.get("gen_ai.input.messages") or as_json(first(raw, "input")),
        output=attributes.get("guardrail_response", ""),
        tool_name=first(attributes, "guardrail_name", "gen_ai.request.model")
        or first(raw, "model"),
        data_kind=_data_kind(attributes) or "guardrail",
        metadata=genai_facts.read_metadata(attributes),
    )


def _answer(attributes: Mapping[str, str]) -> str:
    """Return the answer's message, with the tool calls from ``gen_ai.completion.*``."""
    text = attributes.get("gen_ai.output.messages", "")
    calls = [
        {"type": "tool_call", **call}
        for choice in indexed_list(attributes, "gen_ai.completion.")
        if isinstance(choice, dict) and isinstance(call := choice.get("function_call"), dict)
    ]
    messages = json_value(text) if calls else None
    if not isinstance(messages, list) or not messages or not isinstance(messages[0], dict):
        return text
    parts = messages[0].get("parts")
    messages[0]["parts"] = [*(parts if isinstance(parts, list) else []), *calls]
    return written(messages)


def _messages(text: str) -> str:
    """Return the messages of the choices, without unset fields; other texts unchanged."""
    choices = json_value(text) if text.startswith("[{") else None
    messages: list[Json] = [
        {key: value for key, value in message.items() if value is not None}
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, dict) and isinstance(message := choice.get("message"), dict)
    ]
    return written(messages) if messages else text


def _read_counts(text: str) -> Usage:
    """Return the token counts in the Python repr of a dictionary or a usage object."""
    counts: dict[str, int] = {}
    for name, count in _COUNTS.findall(text[:_MAX_USAGE_CHARS]):
        counts[name] = counts.get(name) or integer(count)
    return read_payload(counts)


DIALECTS = (LiteLLM(),)
