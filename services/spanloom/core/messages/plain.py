"""Converts the most common messages, a text with tool calls, much faster than with a ``Draft``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.calls import read_calls
from spanloom.core.messages.forms import BOOKKEEPING, FINE_STATUSES
from spanloom.core.messages.written_parts import may_hold_parts

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_SETTLED = ["role", "content"]
SETTLED_ROLES = ("system", "developer", "user", "assistant", "tool")
"""The roles of messages that have the common form already."""
_PLAIN = frozenset({"tool_call_id", "name", "finish_reason", "reasoning_content"})
_READ = BOOKKEEPING - {"id"} | {"role", "content", "parts", "type", "tool_calls"}
_OF_RESULT = frozenset({"role", "parts", "name"})


def is_settled(item: Json) -> bool:
    """Return whether the item already has the common form: ``{"role": "user", "content": "hi"}``.

    This is a cheap test for the most common message.
    """
    if not isinstance(item, dict) or [*item] != _SETTLED or item["role"] not in SETTLED_ROLES:
        return False
    content = item["content"]
    return isinstance(content, str) and (item["role"] == "tool" or not may_hold_parts(content))


def read_plain(item: dict[str, Json], role: str) -> dict[str, Json] | None:
    """Return the converted message if it has only a text and tool calls, else ``None``."""
    content, calls = item.get("content"), item.get("tool_calls")
    if "parts" in item:
        if content is not None or calls:
            return None
        if item.keys() <= _OF_RESULT and (result := _only_result(item["parts"])) is not None:
            return result
        content, calls = _text_and_calls(item["parts"])
    elif content is None:
        content = ""
    if not isinstance(content, str) or (may_hold_parts(content) and role != "tool"):
        return None
    message: dict[str, Json] = {"role": role, "content": content}
    if calls and ("reasoning_content" in item or not _take_calls(message, calls)):
        return None
    return message if _take_rest(message, item) else None


def _take_calls(message: dict[str, Json], requested: Json) -> bool:
    """Add tool calls if they are a non-empty list with distinct ids; return whether they are."""
    calls = list(read_calls(requested)) if isinstance(requested, list) else []
    ids = {call.get("id", n) for n, call in enumerate(calls)}
    if not calls or len(ids) < len(calls):
        return False
    message["tool_calls"] = [*calls]
    return True


def _take_rest(message: dict[str, Json], item: dict[str, Json]) -> bool:
    """Add names and ids; return whether every other field of the item can be dropped."""
    for key, value in item.items():
        if not value or key in _READ:
            continue
        if key in _PLAIN and isinstance(value, str):
            message[key] = value
        elif not _is_redundant(key, value, message["role"]):
            return False
    return True


def _is_redundant(key: str, value: Json, role: Json) -> bool:
    """Return whether a field that plain messages do not have can be dropped without loss."""
    if key == "id":
        return role != "tool"
    if key == "status":
        return value in FINE_STATUSES
    return key == "additional_kwargs" and isinstance(value, dict) and not any(value.values())


def _only_result(parts: Json) -> dict[str, Json] | None:
    """Return a tool's message if its only part is a text result in OpenTelemetry's form."""
    part = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
    if not isinstance(part, dict) or part.get("type") != "tool_call_response" or len(part) != 3:
        return None
    call_id, text = part.get("id"), part.get("response")
    if not call_id or not isinstance(call_id, str) or not isinstance(text, str):
        return None
    return {"role": "tool", "content": text, "tool_call_id": call_id}


def _text_and_calls(parts: Json) -> tuple[Json, list[Json]]:
    """Return text and tool calls of OpenTelemetry's parts.

    The text is ``None`` if there are parts of other kinds, or several texts.
    """
    text: Json = None
    calls: list[Json] = []
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            return None, calls
        kind = part.get("type")
        if kind == "tool_call" and "name" in part:
            calls.append(part)
        elif kind == "text" and text is None and len(part) == 2 and part.get("content") is not None:
            text = part["content"]
        else:
            return None, calls
    return "" if text is None and calls else text, calls
