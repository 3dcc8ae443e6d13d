"""Checks the messages of each agent like a list in the format ``openai``."""

from __future__ import annotations

import json

from tests.support.exchange_validators import openai


def check(body: bytes) -> None:
    """Raise if the body is not an object of such lists, one per agent."""
    agents = json.loads(body)
    assert agents
    for messages in agents.values():
        openai.check(json.dumps(messages).encode())
