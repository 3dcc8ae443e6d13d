"""Vercel AI SDK 4 to 6 (``experimental_telemetry``): ``ai.operationId`` on every span.

A span such as ``ai.generateText`` is a function that the author called. It is an agent if the
function loops over tools, otherwise a wrapper of one model call. The span's usage is the sum of its
model calls, which are the spans ``….doGenerate`` and ``….doStream``. The agent's name is the
author's ``functionId``. Reasoning and cached tokens are only in ``ai.usage.*``; the time to the
first chunk is in milliseconds.

Verified on captures of version 6. The names of 4 and 5 are known only from documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.usage import AI_SDK, read_counts, read_payload
from spanloom.core.conventions.usage_repair import with_cached
from spanloom.core.conventions.view import loops_over_tools
from spanloom.core.dialects.base import Dialect
from spanloom.core.messages.wire import first_object
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    Json,
    decimal,
    first,
    json_object,
    json_value,
    unquoted,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage

OPERATION = "ai.operationId"
_RENAMED = "vercel.ai."
"""Prefix that Sentry's SDK gives to attributes of the AI SDK that are not in ``_BY_SENTRY``."""
_RENAMED_OPERATION = _RENAMED + "operationId"
_BY_SENTRY = {
    "gen_ai.request.messages": "ai.prompt.messages",
    "gen_ai.input.messages": "ai.prompt.messages",
    "gen_ai.request.available_tools": "ai.prompt.tools",
    "gen_ai.tool.definitions": "ai.prompt.tools",
    "gen_ai.response.text": "ai.response.text",
    "gen_ai.response.object": "ai.response.object",
    "gen_ai.response.tool_calls": "ai.response.toolCalls",
    "gen_ai.tool.name": "ai.toolCall.name",
    "gen_ai.tool.call.id": "ai.toolCall.id",
    "gen_ai.tool.input": "ai.toolCall.args",
    "gen_ai.tool.call.arguments": "ai.toolCall.args",
    "gen_ai.tool.output": "ai.toolCall.result",
    "gen_ai.tool.call.result": "ai.toolCall.result",
    "gen_ai.function_id": "ai.telemetry.functionId",
    "gen_ai.agent.name": "ai.telemetry.functionId",
}
"""Names that Sentry's SDK gives to attributes of the AI SDK, each with the original name."""
_SCOPE = "ai"
_TOOL = "ai.toolCall"
_CALLS = (".doGenerate", ".doStream")
_PROVIDER_METADATA = "ai.response.providerMetadata"
_ANTHROPIC = '"cache_read_input_tokens"'
_DATA = {"ai.embed": "embedding", "ai.rerank": "reranking"}
_RUNS = frozenset(
    {"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent"}
)
_CONVERSATION = tuple(
    f"ai.telemetry.metadata.{name}"
    for name in ("conversationId", "sessionId", "session_id", "threadId", "chatId")
)


def _operation(span: Span) -> str:
    """Return the operation, else the first word of the span's name."""
    attributes = span.attributes
    operation = attributes.get(OPERATION) or attributes.get(_RENAMED_OPERATION)
    return operation or span.name.partition(" ")[0]


def _is_tool(span: Span) -> bool:
    return _operation(span) == _TOOL


def _is_call(span: Span) -> bool:
    return _operation(span).endswith(_CALLS)


def _offers_tools(span: Span) -> bool:
    return _own(span.attributes).get("ai.prompt.tools", "[]") != "[]"


def _own(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the attributes under their AI SDK names, also if Sentry's SDK renamed them."""
    if _RENAMED_OPERATION not in attributes:
        return attributes
    kept = {
        key.removeprefix("vercel."): value
        for key, value in attributes.items()
        if key.startswith(_RENAMED)
    }
    renamed = {_BY_SENTRY[key]: attributes[key] for key in _BY_SENTRY if key in attributes}
    return {**attributes, **renamed, **kept}


def _data_kind(operation: str) -> str:
    return next((kind for start, kind in _DATA.items() if operation.startswith(start)), "")


class VercelAI(Dialect):
    """The convention as the ``ai`` package writes it."""

    id = "vercel_ai"
    own_scope = _SCOPE
    scopes = ("ai$",)
    marks = ("ai.operationId", "ai.telemetry", "ai.model", "ai.toolCall", "ai.usage")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by operation id, else by scope and name."""
        attributes = signature.attributes
        return (
            OPERATION in attributes
            or _RENAMED_OPERATION in attributes
            or (signature.scope_name == _SCOPE and signature.name.startswith("ai."))
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; a run by whether it loops over tools."""
        operation = _operation(span)
        if operation == _TOOL:
            return Classification(Kind.TOOL, "vercel_ai.tool_call")
        if _data_kind(operation):
            return Classification(Kind.TOOL, f"vercel_ai.{_data_kind(operation)}")
        if operation.endswith(_CALLS):
            return Classification(Kind.MODEL, "vercel_ai.call")
        if operation not in _RUNS:
            return Classification(Kind.OTHER, "vercel_ai.plumbing", is_unknown=True)
        if loops_over_tools(span, view, _is_tool, _is_call, _offers_tools):
            return Classification(Kind.AGENT, "vercel_ai.tool_loop")
        return Classification(Kind.OTHER, "vercel_ai.bare_call")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``ai.prompt*``, ``ai.response.*``, ``ai.toolCall.*`` and ``ai.usage.*``."""
        attributes = _own(span.attributes)
        facts = Facts(
            input=first(attributes, "ai.prompt.messages", "ai.prompt", "ai.values", "ai.value"),
            output=first(attributes, "ai.response.text", "ai.response.object"),
            conversation_id=first(attributes, *_CONVERSATION),
            metadata=genai_facts.read_metadata(attributes),
        )
        if kind is Kind.MODEL:
            _describe_call(attributes, facts)
        elif kind is Kind.TOOL:
            _describe_tool(attributes, facts)
        else:
            facts.agent_name = attributes.get("ai.telemetry.functionId", "")
        return facts


def _describe_call(attributes: Mapping[str, str], facts: Facts) -> None:
    facts.model = first(
        attributes,
        "ai.response.model",
        "gen_ai.response.model",
        "ai.model.id",
        "gen_ai.request.model",
    )
    facts.response_id = first(attributes, "ai.response.id", "gen_ai.response.id")
    facts.first_token_ms = decimal(attributes.get("ai.response.msToFirstChunk", ""))
    facts.usage = _with_metadata(read_counts(attributes, AI_SDK), attributes)
    calls = json_value(attributes.get("ai.response.toolCalls", ""))
    thought = attributes.get("ai.response.reasoning", "")
    if calls or thought:
        facts.output = _answer(thought, facts.output, calls)


def _with_metadata(usage: Usage, attributes: Mapping[str, str]) -> Usage:
    """Add counts that versions 4 and 5 report only in the provider's metadata.

    Anthropic's own object excludes cached tokens from the input.
    """
    text = attributes.get(_PROVIDER_METADATA, "")
    if usage.cache_read_tokens or usage.reasoning_tokens or "oken" not in text:
        return usage
    for own in json_object(text).values():
        if isinstance(own, dict):
            inner = first_object(own, ("usage", "usageMetadata"))
            found = read_payload(inner or {}).completed_by(read_payload(own))
            parts = found._replace(input_tokens=0, output_tokens=0)
            excludes = _ANTHROPIC in text and found.input_tokens == usage.input_tokens
            usage = usage.completed_by(parts)
            usage = with_cached(usage) if excludes else usage
    return usage


def _answer(thought: str, text: str, calls: Json) -> str:
    """Return reasoning, text and tool calls as one message in the SDK's format."""
    texts = (("reasoning", thought), ("text", text))
    content: list[Json] = [{"type": kind, "text": value} for kind, value in texts if value]
    listed = calls if isinstance(calls, list) else []
    content += [{**call, "type": "tool-call"} for call in listed if isinstance(call, dict)]
    return written([{"role": "assistant", "content": content}]) if content else text


def _describe_tool(attributes: Mapping[str, str], facts: Facts) -> None:
    if OPERATION in attributes and attributes[OPERATION] == _TOOL:
        facts.tool_name = attributes.get("ai.toolCall.name", "")
        facts.input = first(attributes, "ai.toolCall.args", "ai.toolCall.input")
        facts.output = unquoted(first(attributes, "ai.toolCall.result", "ai.toolCall.output"))
        if call_id := attributes.get("ai.toolCall.id"):
            facts.metadata = {**facts.metadata, "tool_call_id": call_id}
    else:
        facts.data_kind = _data_kind(attributes.get(OPERATION, ""))
        facts.tool_name = first(attributes, "ai.telemetry.functionId", "ai.model.id")
        facts.output = facts.output or first(
            attributes, "ai.embedding", "ai.embeddings", "ai.ranking"
        )


DIALECTS = (VercelAI(),)
