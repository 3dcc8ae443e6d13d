"""Addresses of annotations, in both forms, resolve to a step, its input or output, and a range."""

from __future__ import annotations

from typing import Any

import pytest

from spanloom.core.conventions.invariant_addresses import Addresses, Spot
from spanloom.core.conventions.listed_messages import steps_of

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Oslo 😀\nor Bergen?"},
    {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [
            {"id": "c1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "dry\nall week"},
    {"role": "assistant", "content": "Oslo."},
]


@pytest.fixture
def addresses() -> Addresses:
    steps = list(steps_of(MESSAGES, lambda at: f"m{at}"))
    return Addresses(MESSAGES, steps, [f"m{step.at}" for step in steps])


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("messages.2", Spot("m2")),
        ("messages[2]", Spot("m2")),
        ("messages.1", Spot("m2")),
        ("messages.2.content:0-3", Spot("m2", "output", "0.content", (0, 3))),
        ("messages[2].content:0-3", Spot("m2", "output", "0.content", (0, 3))),
        ("messages[3].content:L0", Spot("m3", "output", "", (0, 3))),
        ("messages.3.content:L1", Spot("m3", "output", "", (4, 12))),
        ("messages[3].content:L2", Spot("m3", "output")),
        ("messages.3.content:4-99", Spot("m3", "output")),
        ("messages.0.content", Spot("m2", "input", "0.content")),
        ("messages.1.content:5-7", Spot("m2", "input", "1.content", (5, 7))),
        ("messages[1].content:L1", Spot("m2", "input", "1.content", (8, 18))),
        (
            "messages.2.tool_calls.0.function.arguments",
            Spot("m2", "output", "0.tool_calls.0.function.arguments"),
        ),
        (
            "messages[2].tool_calls[0].function.arguments",
            Spot("m2", "output", "0.tool_calls.0.function.arguments"),
        ),
        ("messages.4.content:0-4", Spot("m4", "output", "0.content", (0, 4))),
        ("messages.5", None),
        ("messages", None),
        ("<root>", None),
        ("messages.2.content:3-0", Spot("m2", "output", "0.content")),
    ],
)
def test_resolve(addresses: Addresses, address: str, expected: Spot | None) -> None:
    assert addresses.resolve(address) == expected
