"""Normalizes messages for comparison: removes ids, which differ between any two runs.

A model assigns each tool call a new id, ``call_8xQ2``, which the message with the result repeats.
Arguments are parsed, so that the spacing of their JSON does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]  # a document or a part of it, as parsed JSON

_IDS = ("id", "tool_call_id")


def read_messages(text: str) -> Sequence[Json] | None:
    """Return the messages in a text without ids; ``None`` if it contains anything else."""
    value = json_value(text)
    items = value if isinstance(value, list) else [value]
    messages = [item for item in items if isinstance(item, dict) and "role" in item]
    if not messages or len(messages) < len(items):
        return None
    return [_without_ids(message) for message in messages]


def without_ids(text: str) -> str:
    """Return a text of messages without their ids; any other text unchanged."""
    if "call_id" not in text and "tool_calls" not in text:
        return text  # no ids in it: most outputs
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
