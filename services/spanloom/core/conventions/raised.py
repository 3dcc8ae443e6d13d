"""Reads type, message and traceback of exceptions, in every form that instrumentations write."""

from __future__ import annotations

import re
from typing import NamedTuple

from spanloom.core.values.attributes import Json, json_text, json_value
from spanloom.core.values.python_repr import as_json, first_text

_TRACEBACK = "Traceback (most recent call last):"
_JS_FRAME = re.compile(r"\n[ \t]++at \S")
"""The start of each line of a V8 stack trace."""
_NAME = r"(?:[\w*]+\.)*+([A-Z]?\w*(?:Error|Exception|Exceeded|Interrupt|Exit|Timeout|Cancelled))"
_REPR = re.compile(_NAME + r"\((.*)\)", re.DOTALL)
_NAMED = re.compile(_NAME + ": ")
"""A name like that of an exception class; ``weather(Oslo) is not known: 404`` does not match."""
_VAGUE = frozenset({"", "Exception", "Error", "BaseException"})
"""Exception types without information; the text may contain the actual type."""
_QUOTES = "'\""
_WITH_DATA = re.compile(r"[\w .()-]+: (?=\{['\"])")
"""Errors of OpenAI's Agents SDK: ``Error running tool: {'tool_name': …, 'error': 'disk full'}``."""
_DATA = re.compile(r"\{['\"]message['\"]: ?['\"]")
"""The same errors in OpenLLMetry and Logfire: ``{'message': 'Error …', 'data': {'error': …}}``."""


class Raised(NamedTuple):
    """An exception: type, message and traceback (``KeyError``, ``'city'``, …)."""

    type: str
    """The class name without its package; empty if unknown."""
    message: str
    traceback: str = ""


def read_raised(kind: str, text: str, stack: str = "") -> Raised:
    """Return the exception that a reported type and text describe.

    ``stack`` is a traceback that was reported separately; it replaces one found in the text.
    """
    words, traceback = _apart(text)
    words = _of_data(words)
    if stack.startswith("{"):  # MLflow reports the data of OpenAI's Agents SDK as the traceback
        words, stack = _error_in(json_value(stack)) or words, ""
    named = kind.rpartition(".")[2]
    if named in _VAGUE and (parsed := _repeated_with_type(words)):
        return Raised(*parsed, stack or traceback)
    if named in _VAGUE and (parsed := _named_in(words)):
        named, words = parsed
    elif words.startswith(f"{named}(") and (parsed := _named_in(words)):
        words = parsed[1]
    return Raised(named, words, stack or traceback)


def _apart(text: str) -> tuple[str, str]:
    """Split a text into message and traceback."""
    at = text.find(_TRACEBACK)
    if at >= 0:
        return text[:at].strip(), text[at:]
    frame = _JS_FRAME.search(text)
    return (text.strip(), "") if frame is None else (text[: frame.start()].strip(), text)


def _repeated_with_type(words: str) -> tuple[str, str] | None:
    """Return type and message if the text repeats its message, the second time with the type.

    JavaScript writes ``no such city`` and, two lines below, ``TypeError: no such city``.
    """
    message, _, again = words.partition("\n\n")
    name = again.removesuffix(f": {message}")
    if not message or name == again or not name.isidentifier():
        return None
    return ("" if name in _VAGUE else name), message


def _of_data(words: str) -> str:
    """Return the error in the data that follows the message, or else the whole text."""
    if _DATA.match(words):
        fields = json_value(as_json(words))
        return _of_message(fields) or words if isinstance(fields, dict) else words
    match = _WITH_DATA.match(words)
    return (match and _error_in(json_value(as_json(words[match.end() :])))) or words


def _of_message(fields: dict[str, Json]) -> str:
    """Return the error in the field ``data``, or else message and data; empty for other fields."""
    message, data = fields.get("message"), fields.get("data")
    if not isinstance(message, str) or not fields.keys() <= {"message", "data"}:
        return ""
    return _error_in(data) or (f"{message}: {json_text(data)}" if data else message)


def _error_in(data: Json) -> str:
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, str) else ""


def _named_in(words: str) -> tuple[str, str] | None:
    """Return type and message of a repr or of ``Type: message``, whose message may be repeated."""
    first, _, again = words.partition("\n\n")
    if (match := _NAMED.match(again)) and again[match.end() :] == first:  # LangChain.js
        return match[1], first
    if match := _REPR.fullmatch(words):
        return match[1], _argument(match[2], keeps_quotes=match[1] == "KeyError")
    if match := _NAMED.match(words):
        return match[1], words[match.end() :]
    return None


def _argument(inside: str, *, keeps_quotes: bool) -> str:
    """Return the message of a repr: without quotes, if its only argument is a string.

    ``keeps_quotes`` is for ``KeyError``, whose message Python shows in quotes.
    """
    if keeps_quotes or inside[:1] not in _QUOTES:
        return inside
    text = first_text(inside, "")
    return inside if text is None or not _is_alone(inside) else text


def _is_alone(inside: str) -> bool:
    """Return whether the text is a single literal."""
    return inside[0] == inside[-1] and len(inside) > 1 and f"{inside[0]}, " not in inside[1:-1]
