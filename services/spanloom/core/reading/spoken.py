"""A text of a step as messages, whether it holds any or is one itself."""

from __future__ import annotations

from typing import Any

from spanloom.core.reading.values import json_value

Message = dict[str, Any]  # as JSON gives it: ``role`` is a text, all else as it came


def messages_in(text: str, role: str) -> list[Message]:
    """Return the messages that a text holds; one that holds none is what somebody of a role said.

    ``[{"role": "user", "content": "hi"}]`` is one message, ``hi`` is the same one of the role
    ``user``. Nothing said is no message.
    """
    value = json_value(text)
    found = value if isinstance(value, list) else [value]
    messages = [one for one in found if isinstance(one, dict) and isinstance(one.get("role"), str)]
    if len(messages) == len(found):
        return messages
    return [{"role": role, "content": text}] if text else []
