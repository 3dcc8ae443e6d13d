"""Parses attribute values in any form in which an SDK writes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.core.values.bounds import FREE_BYTES, may_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model import message
    from spanloom.core.model.span import Span


Json: TypeAlias = "message.Json"

MAX_COUNT = 10**12
"""Upper bound of a token count; a larger number is ignored, so that sums fit into 64 bits."""
MAX_DEPTH = 64
"""Maximum nesting of JSON that is parsed; deeper JSON stays text."""
MAX_SECONDS = 10**9
"""Upper bound of a duration: 30 years, longer than any call."""
_JSON_STARTS = frozenset('{["-0123456789tfn \t\n\r')
"""First characters of JSON. Failing to parse a plain text costs more than parsing a message."""


def first(attributes: Mapping[str, str], *keys: str) -> str:
    """Return the first non-empty value under ``keys``, or else an empty string."""
    for key in keys:
        if value := attributes.get(key):
            return value
    return ""


def pick(attributes: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the non-empty attributes in ``names``, under the new names to which it maps them.

    If several attributes get the same new name, the first one in ``names`` is returned.
    """
    picked: dict[str, str] = {}
    for key in filter(attributes.__contains__, names):  # most of the names are absent
        if (name := names[key]) not in picked and (value := attributes[key]):
            picked[name] = value
    return picked


def integer(text: str) -> int:
    """Parse a token count: ``12`` and ``12.0`` → 12; negative numbers and other text → 0."""
    try:
        number = int(text)
    except ValueError:
        number = int(decimal(text) or 0)
    return number if 0 <= number <= MAX_COUNT else 0


def first_integer(attributes: Mapping[str, str], *keys: str) -> int:
    """Return the first value among ``keys`` that is a positive count, or else 0."""
    for key in keys:
        if key in attributes and (number := integer(attributes[key])):
            return number
    return 0


def decimal(text: str) -> float | None:
    """Parse a finite number; return ``None`` for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def seconds_as_ms(text: str) -> float | None:
    """Convert seconds to milliseconds; ``None`` if the text is no number or out of range."""
    seconds = decimal(text)
    return seconds * 1000 if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


def json_value(text: str) -> Json:
    """Parse JSON; return the text if it is invalid, too dense (``bounds.py``) or too deep."""
    if isinstance(text, Written):
        return text.value
    if (len(text) > FREE_BYTES and not may_read(text)) or text[:1] not in _JSON_STARTS:
        return text
    try:
        value: Json = orjson.loads(text)
    except ValueError:
        return text
    brackets = text.count("{") + text.count("[")
    return text if brackets > MAX_DEPTH and _is_deep(value, brackets) else value


def _is_deep(value: Json, brackets: int) -> bool:
    """Return whether nesting exceeds ``MAX_DEPTH``; stop if the ``brackets`` left are too few."""
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
    """Parse a JSON object, encoded once or more often; return an empty object for other text."""
    if text.startswith(_TWICE):
        text = _inside_quotes(text)
    if not text.startswith("{"):
        return {}
    value = json_value(text)
    return value if isinstance(value, dict) else {}


def json_field(text: str, key: str) -> Json:
    """Return one field of a JSON object; a text without ``"key`` is not parsed."""
    return json_object(text).get(key) if f'"{key}' in text else None


def count(value: Json) -> int:
    """Parse a count from a JSON number or string; return 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0
    return integer(str(value))


def json_text(value: Json) -> str:
    """Return the value as compact JSON."""
    return orjson.dumps(value).decode()


class Written(str):
    """JSON text that stores the value it was serialized from, so that it is never parsed again.

    Used for messages that a dialect assembles: they are converted right afterwards, and without
    this class, serializing and parsing them dominated the run time. Only ``Facts`` contain it.
    """

    __slots__ = ("value",)
    value: Json


def written(value: Json) -> str:
    """Return compact JSON that stores the value, which must not be changed afterwards.

    A text that is too dense to be parsed does not store it, because conversion would enlarge it.
    """
    text = orjson.dumps(value).decode()
    if not may_read(text):
        return text
    kept = Written(text)
    kept.value = value
    return kept


def text_or_json(value: Json) -> str:
    """Return a string unchanged, any other value as compact JSON."""
    return value if isinstance(value, str) else json_text(value)


def unquoted(text: str) -> str:
    """Decode a JSON string: ``"hi"`` → ``hi``; return other text unchanged."""
    if text.startswith('"'):
        value = json_value(text)
        return value if isinstance(value, str) else text
    return text


def decoded(span: Span) -> Span:
    """Return the span with objects and lists decoded that were encoded as JSON several times.

    A plain text in quotation marks is unchanged. So are the attributes of senders that write every
    value as JSON, because each of their texts is in quotation marks.
    """
    twice = {
        key: inner
        for key, text in span.attributes.items()
        if text[:1] == '"'  # rarely true, and cheap to test
        and text.startswith(_TWICE)
        and not key.startswith(_WRITE_JSON)
        and (inner := _inside_quotes(text)) is not text
    }
    return span._replace(attributes={**span.attributes, **twice}) if twice else span


def may_be_twice(values: Iterable[str]) -> bool:
    """Return whether a value may be an object or a list that was encoded several times."""
    quoted = [text for text in values if text[:1] == '"']
    return any(text.startswith(_TWICE) for text in quoted)


_WRITE_JSON = ("langfuse.", "mlflow.")
_TWICE = ('"[', '"{', '"\\"')
"""First characters of an object, a list or JSON text that was encoded once more."""


def _inside_quotes(text: str) -> str:
    """Return the JSON of an object or list in quotation marks; other text unchanged."""
    inner = text
    while (shorter := unquoted(inner)) is not inner:
        inner = shorter
    is_composite = inner[:1] in ("[", "{") and json_value(inner) is not inner
    return inner if is_composite else text


def plain_arguments(text: str, ignored: frozenset[str] = frozenset()) -> str:
    """Return a call's arguments from ``{"args": […], "kwargs": {…}}``; either may be missing.

    ``ignored`` are keys that the instrumentation adds; they are dropped. An object with any other
    key is not this wrapper and is returned unchanged.
    """
    payload = json_object(text)
    args, kwargs = payload.get("args", []), payload.get("kwargs") or {}
    wraps = "args" in payload or "kwargs" in payload
    if not (wraps and payload.keys() <= {"args", "kwargs"} | ignored and isinstance(args, list)):
        return text
    if args and kwargs:
        return text
    only = args[0] if len(args) == 1 else args
    return text_or_json(kwargs if kwargs or "args" not in payload else only)
