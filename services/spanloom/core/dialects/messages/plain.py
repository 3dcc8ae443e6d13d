"""The commonest messages, one text and no calls, read at a fraction of the cost of a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.messages.forms import BOOKKEEPING
from spanloom.core.dialects.messages.parts import may_hold_parts

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_SETTLED = ["role", "content"]
_ROLES = ("system", "developer", "user", "assistant", "tool")
_UNSAID = BOOKKEEPING - {"id"} | {"role", "content", "parts", "type"}
_PLAIN = frozenset({"tool_call_id", "name", "finish_reason", "reasoning_content"})


def is_settled(item: Json) -> bool:
    """Tell at little cost whether the commonest message is in the one shape already."""
    if not isinstance(item, dict) or [*item] != _SETTLED or item["role"] not in _ROLES:
        return False
    content = item["content"]
    return isinstance(content, str) and (item["role"] == "tool" or not may_hold_parts(content))


def read_plain(item: dict[str, Json], role: str) -> dict[str, Json] | None:
    """Give a message of one text, whatever its names for it; ``None`` if there is more to it."""
    content = item.get("content")
    if content is None:
        content = _only_text(item.get("parts"))
    elif "parts" in item:
        return None
    if not isinstance(content, str) or (may_hold_parts(content) and role != "tool"):
        return None
    message: dict[str, Json] = {"role": role, "content": content}
    for key, value in item.items():
        if not value or key in _UNSAID or (key == "id" and role != "tool"):
            continue
        if key in _PLAIN and isinstance(value, str):
            message[key] = value
        elif key != "additional_kwargs" or _says_more(value):
            return None
    return message


def _says_more(additional: Json) -> bool:
    return not isinstance(additional, dict) or any(additional.values())


def _only_text(parts: Json) -> Json:
    """Give the text of parts that are a single plain text in OpenTelemetry's form."""
    part = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
    if isinstance(part, dict) and len(part) == 2 and part.get("type") == "text":
        return part.get("content")
    return None
