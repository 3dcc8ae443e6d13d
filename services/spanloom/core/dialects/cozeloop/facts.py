"""Reads facts from the spans of Coze Loop's SDKs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.model.normalized import Facts
from spanloom.core.model.trajectory import Kind, Usage
from spanloom.core.values.attributes import (
    MAX_SECONDS,
    Json,
    decimal,
    first,
    first_integer,
    json_field,
    json_object,
    json_text,
    pick,
    text_or_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span

SPAN_TYPE = "cozeloop.span_type"
INPUT, OUTPUT = "cozeloop.input", "cozeloop.output"
JS_TOKENS = "gen_ai.usage.input_tokens"
TAG = "cozeloop.tag."
SYSTEM_TAG = "cozeloop.system_tag."
MODEL_MARKS = (TAG + "model_name", TAG + "input_tokens", "gen_ai.request.model", JS_TOKENS)
TOOL_MARKS = (TAG + "tool_call_id", TAG + "description")

_LATENCY = TAG + "latency_first_resp"
_JS_LATENCY = "cozeloop.start_time_first_resp"
_LANGCHAIN = '"library":"langchain"'
_DATA_KINDS = {"retriever": "retrieval", "embedding": "embedding"}
_METADATA = {
    TAG + "model_provider": "provider",
    TAG + "tool_call_id": "tool_call_id",
    TAG + "description": "tool_description",
    TAG + "retriever_provider": "provider",
    TAG + "prompt_key": "prompt_key",
    TAG + "prompt_version": "prompt_version",
    "cozeloop.log_id": "log_id",
    "cozeloop.object_storage": "object_storage",
}
_SETTINGS = ("temperature", "max_tokens", "top_p", "stop", "top_k")


def describe(span: Span, kind: Kind, data_kind: str) -> Facts:
    """Return the facts of a span; ``data_kind`` is its span type, for kinds of data access."""
    attributes = span.attributes
    facts = Facts(
        input=attributes.get(INPUT, ""),
        output=attributes.get(OUTPUT, ""),
        conversation_id=first(attributes, TAG + "thread_id", TAG + "session_id", "session.id"),
        metadata={**_settings(attributes), **pick(attributes, _METADATA)},
    )
    if kind is Kind.MODEL:
        _describe_call(span, facts)
    elif kind is Kind.TOOL:
        facts.tool_name = span.name
        facts.data_kind = _DATA_KINDS.get(data_kind, "")
    else:
        facts.agent_name = span.name
    return facts


def _describe_call(span: Span, facts: Facts) -> None:
    attributes = span.attributes
    facts.input = _inner(facts.input, "messages")
    choices = json_object(facts.output)
    facts.output = _messages(choices.get("choices")) or facts.output
    facts.response_id = first_text(choices.get("id"))
    facts.model = first(
        attributes, TAG + "model_name", "gen_ai.response.model", "gen_ai.request.model"
    )
    facts.usage = read_usage(attributes)
    facts.first_token_ms = _first_token_ms(attributes)


def read_usage(attributes: Mapping[str, str]) -> Usage:
    """Return a call's tokens from the tags; the JavaScript SDK writes ``gen_ai.usage.*``."""
    plain = genai_facts.read_usage(attributes)
    inputs = first_integer(attributes, TAG + "input_tokens") or plain.input_tokens
    outputs = first_integer(attributes, TAG + "output_tokens") or plain.output_tokens
    total = first_integer(attributes, TAG + "tokens", "gen_ai.usage.total_tokens")
    return Usage(
        inputs or max(0, total - outputs),
        outputs or max(0, total - inputs),
        first_integer(attributes, TAG + "reasoning_tokens") or plain.reasoning_tokens,
        first_integer(attributes, TAG + "input_cached_tokens") or plain.cache_read_tokens,
        first_integer(attributes, TAG + "input_creation_cached_tokens")
        or plain.cache_creation_tokens,
    )


def _first_token_ms(attributes: Mapping[str, str]) -> float | None:
    """Return the time to the first token in ms; ``None`` if not streamed or unknown."""
    if attributes.get(TAG + "stream") != "false" and (latency := attributes.get(_LATENCY)):
        in_ms = _LANGCHAIN in attributes.get(SYSTEM_TAG + "runtime", "").replace(" ", "")
        return _milliseconds(latency, 1 if in_ms else 1000)
    return _milliseconds(attributes.get(_JS_LATENCY, ""), 1)


def _milliseconds(text: str, per_ms: int) -> float | None:
    latency = decimal(text)
    if latency is None or not 0 <= latency <= MAX_SECONDS * 1000:
        return None
    return latency / per_ms


def _settings(attributes: Mapping[str, str]) -> dict[str, str]:
    options = json_object(attributes.get(TAG + "call_options", ""))
    values = {k: v for k in _SETTINGS if (v := options.get(k)) not in (None, "", [], 0)}
    texts = {k: text_or_json(v) for k, v in values.items()}
    return {**pick(attributes, {"gen_ai.request.temperature": "temperature"}), **texts}


def _inner(text: str, key: str) -> str:
    """Return one value of a JSON object as JSON, or the text unchanged."""
    value = json_field(text, key)
    return text if value is None else json_text(value)


def _messages(choices: Json) -> str:
    """Return the JSON list of the messages in the choices; empty if there are none."""
    if not isinstance(choices, list):
        return ""
    messages = [c["message"] for c in choices if isinstance(c, dict) and c.get("message")]
    return json_text(messages) if messages else ""


def first_text(value: Json) -> str:
    """Return the value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""
