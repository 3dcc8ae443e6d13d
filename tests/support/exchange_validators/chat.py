"""Checks a row for fine-tuning by the rules of conversational data sets."""

from __future__ import annotations

import json

from tests.support.exchange_validators.openai import check_messages

THOUGHTS = frozenset({"reasoning_content"})


def check(body: bytes) -> None:
    """Raise if the row has members other than messages, tools and metadata with plain values."""
    row = json.loads(body)
    assert row.keys() <= {"messages", "tools", "metadata"}
    check_messages(row["messages"], THOUGHTS)
    for tool in row.get("tools", ()):
        assert tool["type"] == "function"
        assert isinstance(tool["function"]["name"], str)
    assert all(isinstance(value, str | list) for value in row["metadata"].values())
