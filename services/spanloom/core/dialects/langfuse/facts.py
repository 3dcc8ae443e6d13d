"""Reads facts of observations from the ``langfuse.*`` attributes.

Langfuse's token counts are net: ``input`` excludes ``input_cache_read`` and the other ``input_*``
counts, and ``output`` excludes the ``output_*`` counts, so these are added. Counts with OpenAI's
names (``prompt_tokens``) already include everything and are used unchanged. Counts set by the
author may have the camel-case names of Langfuse's JavaScript SDK.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanloom.core.conventions.usage import read_payload
from spanloom.core.model.span import Facts
from spanloom.core.values.attributes import (
    MAX_SECONDS,
    Json,
    count,
    first,
    json_object,
    pick,
    text_or_json,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage

OBSERVATION = "langfuse.observation."
METADATA = OBSERVATION + "metadata."
TYPE = OBSERVATION + "type"
MODEL = OBSERVATION + "model.name"
USAGE = OBSERVATION + "usage_details"
_PARAMETERS = OBSERVATION + "model.parameters"
_METADATA = {
    OBSERVATION + "id": "observation_id",
    OBSERVATION + "prompt.name": "prompt_name",
    OBSERVATION + "prompt.version": "prompt_version",
    METADATA + "ls_provider": "provider",
    METADATA + "tool_call_id": "tool_call_id",
    "langfuse.trace.name": "trace_name",
}
_SETTINGS = {
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "top_p": "top_p",
    "Temperature": "temperature",
    "MaxTokens": "max_tokens",
    "TopP": "top_p",
}
"""Names of request settings; the capitalized ones are Eino's, for which zero means not set."""


def is_generation(attributes: Mapping[str, str]) -> bool:
    """Return whether the observation is a model call, by type, or else by model data or usage."""
    if TYPE in attributes:
        return attributes[TYPE] == "generation"
    return any(key in attributes for key in (_PARAMETERS, MODEL, USAGE))


def kind_of(attributes: Mapping[str, str]) -> str:
    """Return the observation's type; ``generation`` for a model call without a type.

    The JavaScript client wrapper sets ``generation`` on every call; a call of an embedding model is
    returned as ``embedding``.
    """
    if not is_generation(attributes):
        return attributes.get(TYPE, "")
    return "embedding" if "embed" in attributes.get(MODEL, "") else "generation"


def describe_observation(span: Span) -> Facts:
    """Return the facts that every observation has: input, output, session and metadata."""
    attributes = span.attributes
    session = first(attributes, "session.id", METADATA + "session_id", METADATA + "thread_id")
    return Facts(
        input=attributes.get(OBSERVATION + "input", ""),
        output=attributes.get(OBSERVATION + "output", ""),
        conversation_id=unquoted(session),
        metadata={k: unquoted(v) for k, v in pick(attributes, _METADATA).items()},
    )


def describe_call(span: Span) -> Facts:
    """Return the facts of a generation, including model, usage and settings."""
    attributes = span.attributes
    facts = describe_observation(span)
    facts.model = attributes.get(MODEL, "")
    facts.usage = read_usage(json_object(attributes.get(USAGE, "")))
    facts.first_token_ms = _first_token_ms(span)
    facts.metadata = {**_settings(json_object(attributes.get(_PARAMETERS, ""))), **facts.metadata}
    return facts


def read_usage(payload: dict[str, Json]) -> Usage:
    """Return a model call's tokens; input includes cached tokens, output includes reasoning."""
    usage = read_payload(payload)
    return usage._replace(
        input_tokens=_gross(payload, "input") or usage.input_tokens,
        output_tokens=_gross(payload, "output") or usage.output_tokens,
    )


def _gross(payload: dict[str, Json], side: str) -> int:
    """Return the count of ``side``, including its details.

    The details are added unless ``total`` shows that the count includes them already.
    """
    if side not in payload:
        return 0
    net = count(payload[side])
    if count(payload.get("total")) == _first_count(payload, "input") + _first_count(
        payload, "output"
    ):
        return net
    details = sum(count(v) for k, v in payload.items() if k.startswith(f"{side}_"))
    if side == "input":
        details += _first_count(payload, "cache_read_input_tokens")
        details += _first_count(payload, "cache_creation_input_tokens")
    return net + details


def _first_count(payload: dict[str, Json], *keys: str) -> int:
    return next((n for key in keys if (n := count(payload.get(key)))), 0)


def _settings(payload: dict[str, Json]) -> dict[str, str]:
    return {
        name: text_or_json(value)
        for key, name in _SETTINGS.items()
        if (value := payload.get(key)) not in (None, "", 0)
    }


def _first_token_ms(span: Span) -> float | None:
    """Return ms from the span's start to the first token; ``None`` if not reported or invalid."""
    text = unquoted(span.attributes.get(OBSERVATION + "completion_start_time", ""))
    if not text:
        return None
    try:
        began = datetime.fromisoformat(text)
        seconds = began.replace(tzinfo=began.tzinfo or UTC).timestamp() - span.start_ns / 1e9
    except (ValueError, OverflowError):
        return None
    return round(seconds * 1000, 3) if 0 <= seconds <= MAX_SECONDS else None
