"""Reads parts of messages from the reprs of SDK objects: ``ResponseOutputMessage(content=[…``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.values.attributes import json_value
from spanloom.core.values.python_repr import objects_as_json

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_OBJECTS = (
    *("ResponseFunctionToolCall(", "ResponseReasoningItem(", "ResponseOutputMessage("),
    *("ResponseCustomToolCall(", "ParsedResponseFunctionToolCall(", "ParsedResponseOutputMessage("),
    *("ChatCompletionMessage(", "ChatCompletionMessageToolCall(", "ParsedChatCompletionMessage("),
    *("ChatCompletionMessageFunctionToolCall(", "ParsedFunctionToolCall(", "ToolCall("),
    *("FunctionCall(", "ToolUseBlock(", "TextBlock(", "ThinkingBlock("),
)
"""Class names of SDK objects that are messages, items or blocks of an answer."""
OBJECT_STARTS = (*_OBJECTS, *(f"[{name}" for name in _OBJECTS))
"""Prefixes of the reprs of these SDK objects, and of lists of these objects."""


def may_be_object(text: str) -> bool:
    """Return whether a text may be the repr of an SDK object, or of a list of SDK objects."""
    return text.startswith(OBJECT_STARTS)


def object_parts(text: str) -> list[Json]:
    """Return the parts in the repr of one or more objects; empty for any other text."""
    items = json_value(objects_as_json(text if text.startswith("[") else f"[{text}]"))
    parts: list[Json] = []
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            return []
        calls = item.get("tool_calls")
        pieces = [item.get("content"), *(calls if isinstance(calls, list) else ())]
        parts += map(_object_part, pieces if "role" in item else [item])
    return [inner for part in parts for inner in (part if isinstance(part, list) else [part])]


def _object_part(item: Json) -> Json:
    """Return the object as a part; an object with a function, or with arguments, is a call."""
    if isinstance(item, dict) and ("function" in item or {"name", "arguments"} <= item.keys()):
        return {**item, "type": "tool_call"}
    return "" if item is None else item
