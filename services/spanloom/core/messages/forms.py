"""Recognises messages of any API or framework, and reads their roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from spanloom.core.messages.part_kinds import is_part
from spanloom.core.messages.wire import first_text

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

ROLES = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "tool-call": "assistant",
    "tool-response": "tool",
    "toolResult": "tool",
}
"""Role names of all APIs and frameworks; any other role is left unchanged."""

_CLASSES = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "ChatMessage": "",
    "system": "system",
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""LangChain's message classes and ``type`` values; a ``ChatMessage`` has its role in a field."""

CONTENTS = ("content", "parts", "contents", "blocks", "content_blocks", "message")
MULTI_CONTENTS = ("user_input_multi_content", "assistant_output_multi_content", "multi_content")
"""Fields with Eino's lists of parts, used if ``content`` is empty."""
CALLS = ("tool_calls", "toolCalls")
LEGACY_CALL = ("function_call", "function_call_name", "function_call_arguments_json")
FINE_STATUSES = ("success", "completed", "ok")
THOUGHTS = ("reasoning_content", "reasoning", "thinking")
RENAMED = {
    "tool_call_id": "tool_call_id",
    "toolCallId": "tool_call_id",
    "name": "name",
    "tool_name": "name",
    "toolName": "name",
    "finish_reason": "finish_reason",
    "finishReason": "finish_reason",
    "stop_reason": "finish_reason",
    "refusal": "refusal",
}
_FINISHES = ("finish_reason", "finishReason", "stop_reason")
BOOKKEEPING = frozenset(
    {"id", "index", "example", "response_metadata", "usage_metadata", "usage", "tool_call_chunks"}
    | {"response_meta", "extra", "metadata", "logprobs", "chunk_position", "event.name", "body"}
    | {"__openai_role__", "parsed"}
)
SKIPPED = BOOKKEEPING.union(
    CONTENTS, MULTI_CONTENTS, CALLS, LEGACY_CALL, THOUGHTS, RENAMED
) | frozenset({"role", "type", "status", "invalid_tool_calls", "additional_kwargs"})
"""Keys that other code reads, or that do not belong to the conversation."""

_MARKS = frozenset({*CONTENTS, *CALLS, *LEGACY_CALL, "refusal"})


def is_message(value: Json) -> bool:
    """Return whether the value is a message; ``{"role": "admin", "id": 7}`` is other data."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    if isinstance(role, str):
        return role in ROLES or not _MARKS.isdisjoint(value)
    if "lc" in value:
        return _class_role(value) is not None
    inner = value.get("message", value.get("delta"))
    if isinstance(inner, dict):
        return is_message(inner) or not _MARKS.isdisjoint(inner)
    class_name = value.get("type")
    is_langchain = isinstance(class_name, str) and _plain_class(class_name) in _CLASSES
    return is_langchain and ("content" in value or isinstance(value.get("data"), dict))


def is_item(value: Json) -> bool:
    """Return whether the value may be in a list of messages: a message, a part, or a pair.

    A pair has a role and a text: ``("human", "hi")``.
    """
    return is_message(value) or is_loose(value) or is_pair(value) or _is_without_role(value)


def is_loose(value: Json) -> TypeGuard[dict[str, Json]]:
    """Return whether the value is a part outside of a message: ``{"type": "function_call", …}``."""
    return (
        isinstance(value, dict)
        and not isinstance(value.get("role"), str)
        and "message" not in value
        and "lc" not in value
        and is_part(value)
    )


def is_answer_item(item: Json) -> TypeGuard[dict[str, Json]]:
    """Return whether the item is an output message of the Responses API.

    Example: ``{"type": "message", "role": "assistant", …}``.
    """
    return (
        isinstance(item, dict) and item.get("type") == "message" and item.get("role") == "assistant"
    )


def is_pair(value: Json) -> TypeGuard[list[Json]]:
    """Return whether the value is LangChain's pair of role and text: ``("human", "hi")``."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and value[0] in ROLES
        and isinstance(value[1], str)
    )


def _is_without_role(value: Json) -> bool:
    """Return whether the value has only keys of messages; some senders omit the role."""
    return (
        isinstance(value, dict)
        and not _MARKS.isdisjoint(value)
        and value.keys() <= SKIPPED
        and not isinstance(value.get("message"), dict)
    )


def read_role(payload: dict[str, Json], default: str) -> str:
    """Return the message's role, or else its class's role, or else ``default``."""
    role = payload.get("role")
    if isinstance(role, str) and role not in ("", "unknown"):  # OpenLLMetry, streamed answers
        return ROLES.get(role) or ROLES.get(role.lower(), role)
    class_name = payload.get("type")
    if isinstance(class_name, str):
        return _CLASSES.get(_plain_class(class_name)) or default
    return default


def open_message(item: dict[str, Json]) -> tuple[dict[str, Json], str]:
    """Unwrap a message: ``{"message": {…}, "finish_reason": "stop"}``.

    Return the message and the finish reason next to it.
    """
    finish = ""
    while (inner := _wrapped(item)) is not None:
        finish = finish or _finish(item)
        item = inner
    return item, finish


def _wrapped(item: dict[str, Json]) -> dict[str, Json] | None:
    """Return the message in a constructor, choice, generation or Gemini candidate, or ``None``."""
    has_role = isinstance(item.get("role"), str)
    if "lc" in item and isinstance(inner := item.get("kwargs"), dict):
        return {"type": _class_role(item), **inner}
    if not has_role:
        for key in ("message", "delta", "data"):
            if isinstance(inner := item.get(key), dict):
                return {"type": item["type"], **inner} if "type" in item else inner
    inner = item.get("content")
    if isinstance(inner, dict) and "parts" in inner:
        return {"role": item.get("role"), **inner}
    return None


def _finish(item: dict[str, Json]) -> str:
    if finish := first_text(item, _FINISHES):
        return finish
    info = item.get("generation_info", item.get("generationInfo"))
    return first_text(info, _FINISHES) if isinstance(info, dict) else ""


def _plain_class(name: str) -> str:
    return name.removesuffix("Chunk")


def _class_role(value: dict[str, Json]) -> str | None:
    """Return the class name of a serialized LangChain message; ``None`` for other values."""
    path = value.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    if isinstance(name, str) and isinstance(value.get("kwargs"), dict):
        return name if _plain_class(name) in _CLASSES else None
    return None
