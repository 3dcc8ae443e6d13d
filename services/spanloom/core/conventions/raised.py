"""Exceptions: type, message and traceback, however an instrumentation writes them."""

from __future__ import annotations

import re
from typing import NamedTuple

from spanloom.core.values.attributes import Json, json_text, json_value
from spanloom.core.values.python_repr import as_json, first_text

_TRACEBACK = "Traceback (most recent call last):"
_JS_FRAME = re.compile(r"\n[ \t]++at \S")
"""How V8 begins each line of a stack."""
_NAME = r"(?:[\w*]+\.)*+([A-Z]?\w*(?:Error|Exception|Exceeded|Interrupt|Exit|Timeout|Cancelled))"
_REPR = re.compile(_NAME + r"\((.*)\)", re.DOTALL)
_SAID = re.compile(_NAME + ": ")
"""Only what is called like an exception is one: ``weather(Oslo) is not known (404)`` is not."""
_VAGUE = frozenset({"", "Exception", "Error", "BaseException"})
"""What says no more than that something was raised: the text may know better."""
_QUOTES = "'\""
_WITH_DATA = re.compile(r"[\w .()-]+: (?=\{['\"])")
"""How OpenAI's Agents SDK tells: ``Error running tool: {'tool_name': …, 'error': 'disk full'}``."""
_DATA = re.compile(r"\{['\"]message['\"]: ?['\"]")
"""The same by OpenLLMetry and Logfire: ``{'message': 'Error …', 'data': {'error': …}}``."""


class Raised(NamedTuple):
    """An exception: ``KeyError``, ``'city'`` and where it came through."""

    type: str
    """Without its package; empty where nothing tells."""
    message: str
    traceback: str = ""


def read_raised(kind: str, text: str, stack: str = "") -> Raised:
    """Return what was raised, from the type and the text that tell of it.

    ``stack`` is a traceback that is told apart; it wins over one in the text.
    """
    words, traceback = _apart(text)
    words = _of_data(words)
    if stack.startswith("{"):  # MLflow puts the data of OpenAI's Agents SDK in a traceback's place
        words, stack = _error_in(json_value(stack)) or words, ""
    named = kind.rpartition(".")[2]
    if named in _VAGUE and (found := _said_twice(words)):
        return Raised(*found, stack or traceback)
    if named in _VAGUE and (found := _named_in(words)):
        named, words = found
    elif words.startswith(f"{named}(") and (found := _named_in(words)):
        words = found[1]
    return Raised(named, words, stack or traceback)


def _apart(text: str) -> tuple[str, str]:
    """Cut a text where its traceback begins."""
    at = text.find(_TRACEBACK)
    if at >= 0:
        return text[:at].strip(), text[at:]
    frame = _JS_FRAME.search(text)
    return (text.strip(), "") if frame is None else (text[: frame.start()].strip(), text)


def _said_twice(words: str) -> tuple[str, str] | None:
    """Return type and message of what JavaScript puts before its stack, and again with its name.

    ``no such city`` and, two lines below, ``TypeError: no such city``.
    """
    message, _, again = words.partition("\n\n")
    name = again.removesuffix(f": {message}")
    if not message or name == again or not name.isidentifier():
        return None
    return ("" if name in _VAGUE else name), message


def _of_data(words: str) -> str:
    """Return the error that stands in data behind the words, else the words."""
    if _DATA.match(words):
        told = json_value(as_json(words))
        return _of_message(told) or words if isinstance(told, dict) else words
    found = _WITH_DATA.match(words)
    return (found and _error_in(json_value(as_json(words[found.end() :])))) or words


def _of_message(told: dict[str, Json]) -> str:
    """Return the error in its data, else the message and the data."""
    message, data = told.get("message"), told.get("data")
    if not isinstance(message, str) or not told.keys() <= {"message", "data"}:
        return ""
    return _error_in(data) or (f"{message}: {json_text(data)}" if data else message)


def _error_in(data: Json) -> str:
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, str) else ""


def _named_in(words: str) -> tuple[str, str] | None:
    """Return type and message of a repr, or of what is written ``Type: message``, once or twice."""
    first, _, again = words.partition("\n\n")
    if (found := _SAID.match(again)) and again[found.end() :] == first:  # LangChain.js
        return found[1], first
    if found := _REPR.fullmatch(words):
        return found[1], _argument(found[2], keeps_quotes=found[1] == "KeyError")
    if found := _SAID.match(words):
        return found[1], words[found.end() :]
    return None


def _argument(inside: str, *, keeps_quotes: bool) -> str:
    """Return what an exception says of itself: its only argument, if that is a text.

    Python shows the key of a ``KeyError`` in quotes.
    """
    if keeps_quotes or inside[:1] not in _QUOTES:
        return inside
    text = first_text(inside, "")
    return inside if text is None or not _is_alone(inside) else text


def _is_alone(inside: str) -> bool:
    """Return whether the literal at the start is all there is."""
    return inside[0] == inside[-1] and len(inside) > 1 and f"{inside[0]}, " not in inside[1:-1]
