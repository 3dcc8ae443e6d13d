"""Validates a log by the rules of the format, restated; ``system/test_inspect.py`` uses Inspect."""

from __future__ import annotations

import json
from typing import Any

ROLES = {"system", "user", "assistant", "tool"}


def check(body: bytes) -> None:
    """Raise unless the body is a log with one sample whose events agree with each other."""
    log = json.loads(body)
    assert log["version"] == 2
    assert {"created", "task", "dataset", "model", "config"} <= log["eval"].keys()
    (sample,) = log["samples"]
    assert {"id", "epoch", "input", "target"} <= sample.keys()
    _check_messages(sample["messages"])
    open_spans: list[str] = []
    for event in sample["events"]:
        if event["event"] == "span_begin":
            open_spans.append(event["id"])
        elif event["event"] == "span_end":
            assert open_spans.pop() == event["id"]
        else:
            assert event.get("span_id", "") in ["", *open_spans]
            _check_call(event)
    assert open_spans == []


def _check_call(event: dict[str, Any]) -> None:
    if event["event"] == "model":
        _check_messages(event["input"])
        _check_messages([choice["message"] for choice in event["output"]["choices"]])
    else:
        assert event["event"] == "tool"
        assert isinstance(event["arguments"], dict)


def _check_messages(messages: list[dict[str, Any]]) -> None:
    for message in messages:
        assert message["role"] in ROLES
        assert isinstance(message["content"], str | list)
        for call in message.get("tool_calls", ()):
            assert isinstance(call["arguments"], dict)
            assert call["id"]
