"""Reads the complete part of JSON that was cut off, by an attribute limit or by a sender."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.values.attributes import MAX_DEPTH, json_value
from spanloom.core.values.bounds import may_read
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_ESCAPE = r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\"'\\/abfnrtv\n])"
_TOKEN = re.compile(
    rf"""[ \t\r\n]*+(?:
        (?P<quote>")(?:[^"\\]++|{_ESCAPE})*+(?P<end>")?
        |(?P<mark>')(?:[^'\\]++|{_ESCAPE})*+(?P<stop>')?
        |(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<comma>,)
        |:|-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None)""",
    re.VERBOSE,
)
"""One token of JSON or of a Python repr. An unclosed text ends where the value was cut: at the end,
or before an escape that is incomplete."""
_CLOSER = {"[": "]", "{": "}"}
_HALF_A_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")
_FRAME = frozenset({"type", "role", "id", "index"})
"""Keys of messages and parts; an object with no other keys has no content and is dropped."""
_ROLES = frozenset({"type", "role"})
_NAMES = _FRAME | {"name", "call_id", "tool_call_id", "toolCallId", "toolUseId", "toolName"}
"""Keys whose values are names, which are useless if cut."""


class _Ends(NamedTuple):
    """Positions at which a value that was cut off can end."""

    closing: str
    """The brackets that close all open brackets; empty if none is open."""
    safe: int
    """The end of the last value that is certainly complete."""
    whole: int
    """The end of the last string, if after ``safe``; the string may be a key without a value."""
    quote: str
    """The quotation mark of the last text if it was cut, otherwise empty."""


_NOTHING = _Ends("", 0, 0, "")


def read_cut(text: str) -> dict[str, Json] | list[Json] | str | None:
    """Return the value of JSON or of a Python repr that ends too early; ``None`` for other text.

    ``[{"role": "user", "content": "Fix th`` is a list of one message with the content ``Fix th``.
    Text after the cut, such as ``...[truncated]``, is dropped unless it is inside a string. An
    object of which only names are left is dropped too: ``{"role": "assis``.
    """
    ends = _scan(text) if may_read(text) else _NOTHING
    if not ends.quote and not ends.closing:
        return None
    value = _load(_closed(text[: ends.whole], ends.quote) + ends.closing)
    is_half = value is not None and bool(ends.quote)
    if value is None and ends.closing:
        value = _load(text[: ends.safe] + ends.closing)
    if isinstance(value, (dict, list)):
        _prune(value, is_half=is_half)
        return value
    return value if isinstance(value, str) else None


def _scan(text: str) -> _Ends:
    """Return where a value can end; ``_NOTHING`` if it is complete, nested too deep, or no JSON."""
    closers: list[str] = []
    safe = whole = end = 0
    while (token := _TOKEN.match(text, end)) is not None:
        end = token.end()
        if quote := token["quote"] or token["mark"]:
            whole = end
            if not (token["end"] or token["stop"]):
                return _Ends("".join(reversed(closers)), safe, whole, quote)
        elif bracket := token["open"]:
            closers.append(_CLOSER[bracket])
            safe = whole = end
        elif bracket := token["close"]:
            if not closers or closers.pop() != bracket:
                return _NOTHING
            safe = whole = end
        elif token["comma"]:
            safe = whole = token.start("comma")
        if not closers or len(closers) > MAX_DEPTH:
            return _NOTHING
    return _Ends("".join(reversed(closers)), safe, whole, "")


def _closed(text: str, quote: str) -> str:
    return _HALF_A_PAIR.sub("", text) + quote if quote else text


def _load(text: str) -> Json:
    """Return the value of JSON or of a Python repr; ``None`` for other text."""
    value = json_value(text)
    if value is text and "'" in text:
        text = as_json(text)
        value = json_value(text)
    return None if value is text else value


def _prune(value: dict[str, Json] | list[Json], *, is_half: bool) -> bool:
    """Drop incomplete members at a value's end; return whether to drop the value itself, too.

    ``is_half`` means that the last text in the value was cut.
    """
    key = next(reversed(value), None) if isinstance(value, dict) else len(value) - 1
    if not value or key is None:
        return True
    last = value[key]  # type: ignore[index]  # the key is of the value
    if isinstance(last, (dict, list)):
        is_lost = _prune(last, is_half=is_half) or _is_nameless(last, value)
    else:
        is_lost = is_half and key in _NAMES
    if is_lost:
        del value[key]  # type: ignore[arg-type]  # as above
    is_empty = not value or (isinstance(value, dict) and value.keys() <= _FRAME)
    return is_empty or (is_lost and key in _ROLES)


def _is_nameless(last: Json, around: Json) -> bool:
    """Return whether a list's last object lost its role or type, which the previous object has."""
    if not isinstance(around, list) or len(around) < 2 or not isinstance(last, dict):
        return False
    before = around[-2]
    return isinstance(before, dict) and not before.keys().isdisjoint(_ROLES - last.keys())
