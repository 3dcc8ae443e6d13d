"""Checks a session by the rules of the Session Trace Simple Format, restated."""

from __future__ import annotations

import json

MESSAGE = {"role", "content", "toolCalls", "toolCallId", "reasoningContent", "timestamp", "model"}


def check(body: bytes) -> None:
    """Raise if the lines are not a session: a line of the run, then messages in order of time."""
    first, *lines = (json.loads(line) for line in body.splitlines())
    assert first["type"] == "session"
    assert all(isinstance(first[name], str) for name in ("harness", "id", "name"))
    messages = [line["message"] for line in lines]
    assert all(line.keys() == {"type", "message"} and line["type"] == "message" for line in lines)
    for message in messages:
        assert message.keys() <= MESSAGE
        assert message["role"] in ("user", "assistant", "system", "tool")
        assert isinstance(message["content"], str)
        for call in message.get("toolCalls", ()):
            assert call.keys() == {"id", "function"}
            assert isinstance(call["function"]["arguments"], str)
    times = [message["timestamp"] for message in messages if "timestamp" in message]
    assert times == sorted(times)
