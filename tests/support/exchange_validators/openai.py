"""Evaluates messages against themselves with ``agentevals``: every mode must accept them."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typing import Literal

    Mode = Literal["strict", "unordered", "subset", "superset"]

MODES: tuple[Mode, ...] = ("strict", "unordered", "subset", "superset")
MESSAGE = {"role", "content", "name", "tool_calls", "tool_call_id"}


def check(body: bytes) -> None:
    """Raise if evaluators of trajectories do not accept the list of messages."""
    match = pytest.importorskip("agentevals.trajectory.match", reason="agentevals is missing")
    messages = json.loads(body)
    check_messages(messages)
    for mode in MODES:
        evaluate = match.create_trajectory_match_evaluator(trajectory_match_mode=mode)
        both = (copy.deepcopy(messages) for _ in range(2))
        result = evaluate(outputs=next(both), reference_outputs=next(both))
        assert result["score"] is True, (mode, result)


def check_messages(messages: object, more: frozenset[str] = frozenset()) -> None:
    """Raise if a list is not a conversation of OpenAI's API; ``more`` members are permitted."""
    assert isinstance(messages, list)
    assert messages
    for message in messages:
        assert message.keys() <= MESSAGE | more, message.keys()
        assert message["role"] in ("system", "developer", "user", "assistant", "tool")
        assert isinstance(message["content"], str | list)
        if message["role"] == "tool":
            assert isinstance(message["tool_call_id"], str)
        for call in message.get("tool_calls", ()):
            assert call["id"]
            assert call["type"] == "function"
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
