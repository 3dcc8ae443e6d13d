"""Read facts from ``gen_ai.*`` attributes of every version of the conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.normalized import Facts
from spanloom.core.model.trajectory import Usage
from spanloom.core.values.attributes import (
    Json,
    count,
    first,
    integers,
    json_text,
    pick,
    seconds_as_ms,
)
from spanloom.core.values.indexed import indexed_text

if TYPE_CHECKING:
    from collections.abc import Mapping


INPUT_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
)
OUTPUT_TOKENS = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
)
REASONING_TOKENS = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.details.reasoning_tokens",
)
CACHE_READ_TOKENS = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
)
CACHE_CREATION_TOKENS = (
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
)

_COUNTS = (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    REASONING_TOKENS,
    CACHE_READ_TOKENS,
    CACHE_CREATION_TOKENS,
)

OFFERED_TOOLS = "gen_ai.tool.definitions"
"""The tools that a call or an agent could choose from."""
FIRST_CHUNK_S = (
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.client.operation.time_to_first_chunk",
)

_METADATA = {
    "gen_ai.provider.name": "provider",
    "gen_ai.system": "provider",
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.response.finish_reasons": "finish_reasons",
    "gen_ai.response.finish_reason": "finish_reasons",
    "gen_ai.response.id": "response_id",
    "gen_ai.tool.call.id": "tool_call_id",
    "gen_ai.tool.description": "tool_description",
    "gen_ai.workflow.name": "workflow_name",
    "session.id": "session_id",
    "gen_ai.session.id": "session_id",
}


def read_usage(attributes: Mapping[str, str]) -> Usage:
    """Return the call's token counts; a count that is not reported is zero."""
    return Usage(*integers(attributes, _COUNTS))


def read_metadata(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the request and response settings that a step shows."""
    return pick(attributes, _METADATA)


def read_model_call(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a model call's span."""
    return Facts(
        input=read_input(attributes) or indexed_text(attributes, "gen_ai.prompt."),
        output=_messages(attributes, "gen_ai.output.messages")
        or indexed_text(attributes, "gen_ai.completion."),
        usage=read_usage(attributes),
        model=first(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        first_token_ms=seconds_as_ms(first(attributes, *FIRST_CHUNK_S)),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        response_id=attributes.get("gen_ai.response.id", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_input(attributes: Mapping[str, str]) -> str:
    """Return the messages with the system prompt first, which is an attribute of its own."""
    messages = _messages(attributes, "gen_ai.input.messages")
    system = attributes.get("gen_ai.system_instructions", "")
    if not system or '"role":"system"' in messages.replace(" ", "", 3):
        return messages
    content = f'"parts":{system}' if system.startswith("[") else f'"content":{json_text(system)}'
    if messages and not messages.lstrip().startswith("["):
        messages = f'[{{"role":"user","content":{json_text(messages)}}}]'
    rest = messages.strip().removeprefix("[").lstrip() or "]"
    return f'[{{"role":"system",{content}}}{"" if rest.startswith("]") else ","}{rest}'


def _messages(attributes: Mapping[str, str], key: str) -> str:
    """Return the messages; an empty list counts as absent."""
    return "" if (messages := attributes.get(key, "")) == "[]" else messages


def read_tool_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a tool's span."""
    return Facts(
        input=first(attributes, "gen_ai.tool.call.arguments", "gen_ai.retrieval.query.text"),
        output=first(attributes, "gen_ai.tool.call.result", "gen_ai.retrieval.documents"),
        tool_name=attributes.get("gen_ai.tool.name", ""),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_agent_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of an agent's or graph's span, without its usage, which is a sum."""
    return Facts(
        input=attributes.get("gen_ai.input.messages", ""),
        output=attributes.get("gen_ai.output.messages", ""),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_client_usage(payload: dict[str, Json]) -> Usage:
    """Return OpenAI's (``prompt_tokens``) or Anthropic's (``input_tokens``) token counts."""
    inputs = _inner(payload, "prompt_tokens_details", "input_tokens_details")
    outputs = _inner(payload, "completion_tokens_details", "output_tokens_details")
    return Usage(
        count(payload.get("prompt_tokens")) or count(payload.get("input_tokens")),
        count(payload.get("completion_tokens")) or count(payload.get("output_tokens")),
        count(outputs.get("reasoning_tokens")),
        count(inputs.get("cached_tokens")) or count(payload.get("cache_read_input_tokens")),
        count(inputs.get("cache_creation_tokens"))
        or count(payload.get("cache_creation_input_tokens")),
    )


def _inner(payload: dict[str, Json], *keys: str) -> dict[str, Json]:
    return next((inner for key in keys if isinstance(inner := payload.get(key), dict)), {})
