"""Reading attribute values, in whatever form an SDK wrote them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def first(attributes: Mapping[str, str], *keys: str) -> str:
    """Give the first non-empty value among ``keys``, else an empty text."""
    for key in keys:
        if value := attributes.get(key):
            return value
    return ""


def pick(attributes: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """Give the non-empty values of the keys in ``names`` under their new names; first wins."""
    picked: dict[str, str] = {}
    for key, name in names.items():
        if key in attributes and name not in picked and (value := attributes[key]):
            picked[name] = value
    return picked


def integer(text: str) -> int:
    """Read a token count; text that is none counts as zero, as does a negative one."""
    try:
        return max(int(text), 0)
    except ValueError:
        return _from_float(text)


def first_integer(attributes: Mapping[str, str], *keys: str) -> int:
    """Give the first value among ``keys`` that is a positive count, else zero."""
    for key in keys:
        if key in attributes and (number := integer(attributes[key])):
            return number
    return 0


def decimal(text: str) -> float | None:
    """Read a finite number, or ``None``."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def json_value(text: str) -> Json:
    """Read JSON; text that is none stays the text it is."""
    try:
        return orjson.loads(text)  # type: ignore[no-any-return]  # orjson gives Any; this is what JSON is
    except ValueError:
        return text


def json_object(text: str) -> dict[str, Json]:
    """Read a JSON object; anything else is an empty one."""
    if not text.startswith("{"):
        return {}
    value = json_value(text)
    return value if isinstance(value, dict) else {}


def count(value: Json) -> int:
    """Read a count out of JSON, as number or text; anything else is zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0
    return integer(str(value))


def json_text(value: Json) -> str:
    """Write compact JSON."""
    return orjson.dumps(value).decode()


def unquoted(text: str) -> str:
    """Take a JSON string out of its quotes; other text stays as it is."""
    if text.startswith('"'):
        value = json_value(text)
        return value if isinstance(value, str) else text
    return text


def _from_float(text: str) -> int:
    number = decimal(text)
    return max(int(number), 0) if number is not None else 0
