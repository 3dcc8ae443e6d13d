"""Messages as two runs are compared by them: without the ids that no two runs have in common.

A model gives each tool call an id, ``call_8xQ2``, and another one when it is asked again; the
message with the result names it. What is asked for counts, not how its JSON is spaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]  # a document or a part of it, as orjson gives it

_IDS = ("id", "tool_call_id")


def read_messages(text: str) -> Sequence[Json] | None:
    """Return the messages that a text holds, without ids; ``None`` where it holds other things."""
    value = json_value(text)
    items = value if isinstance(value, list) else [value]
    messages = [item for item in items if isinstance(item, dict) and "role" in item]
    if not messages or len(messages) < len(items):
        return None
    return [_without_ids(message) for message in messages]


def without_ids(text: str) -> str:
    """Return a text of messages without their ids; any other text as it is."""
    if "call_id" not in text and "tool_calls" not in text:
        return text  # nothing to leave out: most answers
    messages = read_messages(text)
    return text if messages is None else orjson.dumps(messages).decode()


def _without_ids(message: Json) -> Json:
    kept = {name: value for name, value in message.items() if name not in _IDS}
    calls = kept.get("tool_calls")
    if isinstance(calls, list):
        kept["tool_calls"] = [_call(call) for call in calls]
    return kept


def _call(call: object) -> object:
    if not isinstance(call, dict):
        return call
    kept = {name: value for name, value in call.items() if name not in _IDS}
    function = kept.get("function")
    if isinstance(function, dict) and isinstance(function.get("arguments"), str):
        arguments = function["arguments"]
        kept["function"] = {**function, "arguments": json_value(arguments) or arguments}
    return kept
