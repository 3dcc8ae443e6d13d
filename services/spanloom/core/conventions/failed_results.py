"""Reads failures that only the result of a tool reports, in the formats of several protocols.

A tool may fail without an exception: its caller gets the text of the error as a result that is
marked as an error. LangChain marks its tool message, MCP and Anthropic mark the result::

    {"type": "tool", "data": {"content": "no such city", "status": "error"}}
    {"content": [{"type": "text", "text": "no such city"}], "isError": true}

The author of a tool may do the same without a protocol, as Google's ADK recommends::

    {"status": "error", "error_message": "no such city"}

This form is a failure only if it is the whole result. Deeper inside, it is the tool's own data.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.failures import make_error
from spanloom.core.values.attributes import json_text, json_value
from spanloom.core.values.python_repr import last_text, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.step import StepError
    from spanloom.core.values.attributes import Json

REPORTED_BY_RESULT = "result"
"""The value of ``StepError.reported_by`` for a failure that only a tool's result reports."""
_MARK = "rror"
"""A substring of everything that marks a result as an error: ``isError``, ``"error"``."""
_AROUND = (
    *("output", "outputs", "result", "response", "toolResult", "tool_result"),
    *("data", "kwargs", "update", "messages"),
)
"""Keys under which frameworks wrap a result, or LangChain wraps a message or a command."""
_MAX_LAYERS = 8
_CONTENTS = ("content", "result", "error", "message")
_MESSAGES = ("error", "error_message", "errorMessage", "message", "detail", "reason")
"""Keys of the message in an author's own error result; the result's other keys may vary."""
_FLAG = re.compile(r"(?:^|[._])is_?error$", re.IGNORECASE)
_SUCCESS = ("success", "tool.success", "gen_ai.tool.success")
_STATES = ("gen_ai.tool.status", "gen_ai.tool.call.status", "tool.status", "genkit:state")
_FAILED = frozenset({"error", "failed", "failure"})
_NO_TEXT = "the result is marked as an error"
_REPR = re.compile(r"(?:\w+\()?(?:_?meta=\w+,? )?content=")
"""The start of a result that is the repr of a Python object."""
_REPR_MARK = re.compile(r"\bis_?[eE]rror=True\b")


def find_failed_result(text: str) -> StepError | None:
    """Return the failure that a tool's result reports, or ``None``; ``text`` is the raw result."""
    if _MARK not in text:
        return None
    message = _in_json(json_value(text)) if text[:1] in '{["' else _in_repr(text)
    return None if message is None else make_error(message or _NO_TEXT, REPORTED_BY_RESULT)


def flags_in(keys: Iterable[str]) -> Sequence[str]:
    """Return those of ``keys`` whose attributes report whether a tool succeeded or failed."""
    return [
        key
        for key in keys
        if key in _SUCCESS or key in _STATES or ("rror" in key[-5:] and _FLAG.search(key))
    ]


def find_flagged_result(
    attributes: Mapping[str, str], flags: Iterable[str], text: str
) -> StepError | None:
    """Return the failure that a flag attribute reports, with the result as message, or ``None``."""
    if not any(_is_raised(key, attributes[key].lower()) for key in flags):
        return None
    return make_error(text or _NO_TEXT, REPORTED_BY_RESULT)


def _is_raised(key: str, value: str) -> bool:
    if key in _SUCCESS:
        return value == "false"
    return value in _FAILED if key in _STATES else value == "true"


def _in_json(value: Json) -> str | None:
    is_whole = True
    for _ in range(_MAX_LAYERS):
        if isinstance(value, str) and value[:1] in ("{", "["):
            inner = json_value(value)
            value = None if inner == value else inner
        if isinstance(value, list):
            value, is_whole = value[-1] if value else None, False
        if not isinstance(value, dict):
            return None
        if _is_marked(value):
            return _content(value)
        if is_whole and (message := _own_message(value)) is not None:
            return message
        is_whole = False
        value = next((value[key] for key in _AROUND if isinstance(value.get(key), _NESTED)), None)
    return None


_NESTED = (dict, list, str)


def _is_marked(value: dict[str, Json]) -> bool:
    if "jsonrpc" in value and isinstance(value.get("error"), dict):
        return True
    is_error = value.get("isError") is True or value.get("is_error") is True
    is_result = any(key in value for key in _CONTENTS)
    has_failed = value.get("status") == "error" and "content" in value
    return has_failed or (is_error and is_result)


def _own_message(value: dict[str, Json]) -> str | None:
    """Return the message of ``{"status": "error", "message": …}``; ``None`` for other results."""
    if value.get("status") != "error":
        return None
    messages = [text for key in _MESSAGES if isinstance(text := value.get(key), str)]
    return next(filter(None, messages), "") if messages else None


def _content(value: dict[str, Json]) -> str:
    """Return the text of a result, from its parts or from its error."""
    content = next((value[key] for key in (*_CONTENTS, *_MESSAGES) if value.get(key)), "")
    if isinstance(content, dict) and isinstance(message := content.get("message"), str):
        return message
    return "\n".join(filter(None, map(_text, content if isinstance(content, list) else [content])))


def _text(part: Json) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else json_text(part)


def _in_repr(text: str) -> str | None:
    """Return the message in the repr ``content='no such city' … status='error'``, or ``None``."""
    if _REPR.match(text) is None:
        return None
    if last_text(text, " status=") != "error" and not _REPR_MARK.search(without_literals(text)):
        return None
    return last_text(text, "text=") or last_text(text, "content=") or ""
