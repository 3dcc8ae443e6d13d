"""Renders messages as plain text, so that differing inputs and outputs are not shown as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.diff.inputs import pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]

FIRST_ROLES = ("system", "developer")
"""Roles of prompts, which are shown first."""


def differing_messages(a: object, b: object) -> Iterator[tuple[str | None, str | None]]:
    """Yield the differing messages of two values as pairs of texts, prompts first.

    A value that is not a list of messages counts as one message, and ``None`` as no message.
    """
    ours, theirs = _messages(a), _messages(b)
    pairs = [
        (None if i is None else ours[i], None if j is None else theirs[j])
        for i, j in pair_up(ours, theirs)
    ]
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    yield from sorted(
        differing, key=lambda pair: not (pair[0] or pair[1] or "").startswith(FIRST_ROLES)
    )


def message_text(message: Json) -> str:
    """Return a message as text: ``user: Where is it dry?``; tool calls as ``→ search {"q": 1}``."""
    rest = {key: value for key, value in message.items() if key not in _NAMED and value is not None}
    parts = [_text(message.get("content")), *_calls(message.get("tool_calls"))]
    parts += [f"({key}: {_text(value)})" for key, value in rest.items()]
    return f"{_text(message.get('role'))}: {' '.join(part for part in parts if part)}"


def common_prefix_length(a: str, b: str) -> int:
    """Return the number of equal characters at the start of two texts."""
    places = (place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(places, min(len(a), len(b)))


def is_message_list(value: object) -> bool:
    """Return whether a value is a list of messages."""
    return isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value)


_NAMED = ("role", "content", "tool_calls")


def _messages(value: object) -> Sequence[str]:
    if isinstance(value, list) and is_message_list(value):
        return [message_text(message) for message in value]
    return [] if value is None else [_text(value)]


def _calls(calls: object) -> list[str]:
    if calls is None or not isinstance(calls, list):
        return [] if calls is None else [_text(calls)]
    return [f"→ {_call(call)}" for call in calls]


def _call(call: object) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return _text(call)
    return f"{_text(function.get('name'))} {_text(function.get('arguments'))}"


def _text(value: object) -> str:
    """Return a value as text: the parts of a content one after the other, other values as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return " ".join(map(_part, value))
    return orjson.dumps(value).decode()


def _part(part: object) -> str:
    is_text = isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] == "text"
    return _text(part["text"] if is_text and isinstance(part, dict) else part)
