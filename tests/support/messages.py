"""Asserts that messages have the one documented format."""

from __future__ import annotations

import json


def assert_is_conversation(text: str) -> list[dict[str, object]]:
    """Assert that the text is compact JSON of messages as defined in ``core/model/message.py``."""
    messages: list[dict[str, object]] = json.loads(text)
    assert isinstance(messages, list)
    assert messages
    for message in messages:
        _assert_is_message(message)
    return messages


def _assert_is_message(message: dict[str, object]) -> None:
    assert isinstance(message["role"], str)
    content = message["content"]
    assert isinstance(content, (str, list))
    assert isinstance(message.get("reasoning_content", ""), str)
    assert isinstance(message.get("reasoning_details", []), list)
    for key in ("tool_call_id", "name", "finish_reason", "refusal"):
        assert isinstance(message.get(key, ""), str), (key, message)
    calls = message.get("tool_calls", [])
    assert isinstance(calls, list)
    for call in calls:
        assert call["type"] == "function"
        assert isinstance(call.get("id", ""), str)
        assert isinstance(call["function"]["name"], str)
        assert isinstance(call["function"]["arguments"], str)
    if isinstance(content, list):
        assert len(content) > 1 or not _is_plain_text(content[0])


def _is_plain_text(part: object) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] == "text"
