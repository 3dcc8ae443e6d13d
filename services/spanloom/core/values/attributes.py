"""Reads attribute values, in whatever form an SDK wrote them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.core.values.bounds import may_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model import message


Json: TypeAlias = "message.Json"

MAX_COUNT = 10**12
"""No call has more tokens: a larger number is none, and sums of these fit into 64 bits."""
MAX_DEPTH = 64
"""Levels that a request, an answer or a state may have; what is deeper is text to us."""
MAX_SECONDS = 10**9
"""No call takes 30 years."""


def first(attributes: Mapping[str, str], *keys: str) -> str:
    """Return the first non-empty value among ``keys``, else an empty text."""
    for key in keys:
        if value := attributes.get(key):
            return value
    return ""


def pick(attributes: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the non-empty values of the keys in ``names`` under their new names; first wins."""
    picked: dict[str, str] = {}
    for key in filter(attributes.__contains__, names):  # most of the names are not there
        if (name := names[key]) not in picked and (value := attributes[key]):
            picked[name] = value
    return picked


def integer(text: str) -> int:
    """Read a token count: ``12`` and ``12.0`` → 12; ``-1`` and what is no number → 0."""
    try:
        number = int(text)
    except ValueError:
        number = int(decimal(text) or 0)
    return number if 0 <= number <= MAX_COUNT else 0


def first_integer(attributes: Mapping[str, str], *keys: str) -> int:
    """Return the first value among ``keys`` that is a positive count, else zero."""
    for key in keys:
        if key in attributes and (number := integer(attributes[key])):
            return number
    return 0


def integers(attributes: Mapping[str, str], names: Iterable[Sequence[str]]) -> list[int]:
    """Return a count for each group of names: its first positive one, else zero."""
    return [first_integer(attributes, *keys) for keys in names]


def decimal(text: str) -> float | None:
    """Read a finite number, or ``None``."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def seconds_as_ms(text: str) -> float | None:
    """Read a time in seconds; text that is none, or an impossible one, is ``None``."""
    seconds = decimal(text)
    return seconds * 1000 if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


def json_value(text: str) -> Json:
    """Read JSON; text that is none, too dense (``bounds.py``) or nested too deep stays text."""
    if isinstance(text, Written):
        return text.value
    if not may_read(text):
        return text
    try:
        value: Json = orjson.loads(text)
    except ValueError:
        return text
    brackets = text.count("{") + text.count("[")
    return text if brackets > MAX_DEPTH and _is_deep(value, brackets) else value


def _is_deep(value: Json, brackets: int) -> bool:
    """Go down level by level until too few brackets are left to get deep."""
    level: list[dict[str, Json] | list[Json]] = [value] if isinstance(value, (dict, list)) else []
    for depth in range(MAX_DEPTH):
        brackets -= len(level)
        if not level or depth + brackets < MAX_DEPTH:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
    return bool(level)


def json_object(text: str) -> dict[str, Json]:
    """Read a JSON object; anything else is an empty one."""
    if not text.startswith("{"):
        return {}
    value = json_value(text)
    return value if isinstance(value, dict) else {}


def json_field(text: str, key: str) -> Json:
    """Read one field of a JSON object; a text without ``"key"`` in it is not parsed."""
    return json_object(text).get(key) if f'"{key}"' in text else None


def count(value: Json) -> int:
    """Read a count out of JSON, as number or text; anything else is zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0
    return integer(str(value))


def json_text(value: Json) -> str:
    """Write compact JSON."""
    return orjson.dumps(value).decode()


class Written(str):
    """JSON text that has kept the value it was written from, so that nobody needs to parse it.

    For messages that a dialect puts together: they are shown in one shape right afterwards, and
    writing and parsing them again took longer than all else. Only facts hold such texts.
    """

    __slots__ = ("value",)
    value: Json


def written(value: Json) -> str:
    """Return compact JSON that keeps the value, which nobody may change any more.

    What is too dense to be read keeps no value: it would grow when it is shown.
    """
    text = orjson.dumps(value).decode()
    if not may_read(text):
        return text
    kept = Written(text)
    kept.value = value
    return kept


def text_or_json(value: Json) -> str:
    """Return text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else json_text(value)


def unquoted(text: str) -> str:
    """Take a JSON string out of its quotes: ``"hi"`` → ``hi``; other text stays as it is."""
    if text.startswith('"'):
        value = json_value(text)
        return value if isinstance(value, str) else text
    return text


def plain_arguments(text: str, beside: frozenset[str] = frozenset()) -> str:
    """Take a call's arguments out of ``{"args": […], "kwargs": {…}}``; either may be missing.

    Keys ``beside`` the two are the instrumentation's own and left out; with any other key, the
    object is no such wrapping and stays as it is.
    """
    payload = json_object(text)
    args, kwargs = payload.get("args", []), payload.get("kwargs") or {}
    wraps = "args" in payload or "kwargs" in payload
    if not (wraps and payload.keys() <= {"args", "kwargs"} | beside and isinstance(args, list)):
        return text
    if args and kwargs:
        return text
    only = args[0] if len(args) == 1 else args
    return text_or_json(kwargs if kwargs or "args" not in payload else only)
