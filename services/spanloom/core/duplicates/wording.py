"""Compare the texts of two model calls: reports of one call never contradict each other.

Calls that classify have equal token counts and run side by side: ``no`` to one mail and ``yes`` to
another are two calls. Instrumentations report different parts of a call, formatted differently, so
only letters and digits are compared, and a text that the other side lacks contradicts nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.message import read_conversation
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json

HEAD_CHARS = 256
"""Texts that agree so far are one, cut off differently."""
_NO_WORDS = re.compile(r"\W+")
_HIDDEN = frozenset({"redacted", "__redacted__", "hidden", "filtered", "masked"})
_JSON_STARTS = ("{", "[")
"""Of texts that count only if they can be parsed: one that was cut off has keys for words."""


class Wording(NamedTuple):
    """The letters and digits of a call's texts; each is empty if it is unknown."""

    answer: str
    requested: str
    """Names and arguments of the tools that the model called."""
    question: str
    """The last message of the user."""


def contradict(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    """Return whether two calls, each as input and output, say different things."""
    if ours == theirs:
        return False
    return any(map(_differ, read_wording(*ours), read_wording(*theirs)))


def _differ(ours: str, theirs: str) -> bool:
    if not ours or not theirs or ours in theirs or theirs in ours:
        return False
    return ours[:HEAD_CHARS] != theirs[:HEAD_CHARS]


def read_wording(asked: str, answered: str) -> Wording:
    """Return the wording of a call's input and output, which are messages or plain text."""
    messages = _messages(answered)
    answer = _letters(_text(m) for m in messages) if messages else _plain(answered)
    requested = _letters(call for m in messages for call in _requests(m))
    users = [m for m in _messages(asked) if m.get("role") == "user"]
    return Wording(answer, requested, _letters([_text(users[-1])]) if users else "")


def _messages(text: str) -> Sequence[Mapping[str, Json]]:
    return [m for m in read_conversation(text) if isinstance(m, dict)]


def _text(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _requests(message: Mapping[str, Json]) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield f"{function.get('name')} {function.get('arguments')}"


def _plain(text: str) -> str:
    """Return the letters of an answer that is no messages; none of other JSON."""
    return "" if text.startswith(_JSON_STARTS) else _letters([text])


def _is_cut_off(text: str) -> bool:
    return text.startswith(_JSON_STARTS) and isinstance(json_value(text), str)


def _letters(texts: Iterator[str] | Sequence[str]) -> str:
    """Return the letters and digits; none of JSON that cannot be parsed, or of a hidden text."""
    known = (text for text in texts if not _is_cut_off(text))
    letters = _NO_WORDS.sub("", "".join(known)).lower()
    return "" if letters in _HIDDEN else letters
