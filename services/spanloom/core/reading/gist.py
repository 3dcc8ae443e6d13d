"""What was said, in a line: for lists and headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.reading.values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.reading.values import Json

GIST_CHARS = 200
_TEXT_KEYS = ("content", "text")
"""Where every kind of chat message keeps its text."""
_MAX_PARSED = 1_000_000


def gist(text: str) -> str:
    """Return a text as one line, cut: what a list shows of a question or an answer."""
    line = " ".join(text[: 4 * GIST_CHARS].split())
    return line if len(line) <= GIST_CHARS else line[: GIST_CHARS - 1].rstrip() + "…"


def question_in(text: str) -> str:
    """Return what the user said last in an input, else its last message.

    For reading at a glance only: a text that holds no message comes back as it is.
    """
    said = list(_messages_in(text))
    return next(
        (m.text for m in reversed(said) if m.role == "user"), said[-1].text if said else text
    )


def answer_in(text: str) -> str:
    """Return the last message of an output: ``[{"role": "assistant", "content": "hi"}]`` → ``hi``.

    Of one that says nothing, the tools that it calls: ``weather({"city": "Oslo"})``.
    """
    said = list(_messages_in(text))
    return said[-1].text if said else text


class _Message(NamedTuple):
    role: str
    text: str


def _messages_in(text: str) -> Iterator[_Message]:
    if len(text) <= _MAX_PARSED and text[:1] in {"{", "["}:
        yield from _messages_of(json_value(text), "")


def _messages_of(value: Json, role: str) -> Iterator[_Message]:
    """Yield every text that stands where messages have theirs, with who said it."""
    if isinstance(value, list):
        for item in value:
            yield from _messages_of(item, role)
    elif isinstance(value, dict):
        role = str(value.get("role") or role)
        if not value.get("content") and (calls := _calls_of(value.get("tool_calls"))):
            yield _Message(role, calls)
            return
        for key, item in value.items():
            if key in _TEXT_KEYS and isinstance(item, str) and item.strip():
                yield _Message(role, item)
            elif key != "tool_calls":
                yield from _messages_of(item, role)


def _calls_of(calls: Json) -> str:
    """Write calls of tools, in our shape, as a program would."""
    items = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in items if isinstance(call, dict)]
    return ", ".join(
        f"{function['name']}({function.get('arguments') or ''})"
        for function in functions
        if isinstance(function, dict) and function.get("name")
    )
