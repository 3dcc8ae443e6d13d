"""Parses and writes JSON, and reads values from objects that may have alternative keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import orjson

from spanloom.core.values.attributes import json_value
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.message import Json


class UnwritableError(ValueError):
    """Raised if a value is nested too deeply to be written as JSON, or has invalid Unicode."""


def parse(text: str) -> Json:
    """Parse JSON text; return ``None`` if it is invalid, ``null``, or nested too deeply."""
    value = json_value(text)
    return None if value is text else value


def parse_composite(text: str) -> dict[str, Json] | list[Json] | None:
    """Parse a JSON object or list; return ``None`` for other text, usually without parsing it."""
    if text[:1] not in ("{", "["):
        return None if text[:1] not in _BLANKS else _parse_padded(text)
    value = parse(text)
    return value if isinstance(value, (dict, list)) else None


_BLANKS = frozenset(" \n\r\t")


def _parse_padded(text: str) -> dict[str, Json] | list[Json] | None:
    value = parse(text) if text.lstrip()[:1] in ("{", "[") else None
    return value if isinstance(value, (dict, list)) else None


def parse_written(text: str) -> dict[str, Json] | list[Json] | None:
    """Parse an object or list written as JSON or as a Python repr: ``{'a': None}``."""
    if text.startswith(("{'", "[{'")):
        return parse_composite(as_json(text))
    return parse_composite(text) if text.startswith(('{"', "[{")) else None


def compact(value: Json) -> str:
    """Return the value as compact JSON; raise ``UnwritableError`` if it cannot be written."""
    try:
        return orjson.dumps(value).decode()
    except TypeError as error:
        _refuse(error)


def _refuse(error: TypeError) -> NoReturn:
    raise UnwritableError from error


def as_text(value: Json) -> str:
    """Return a string unchanged, ``None`` as an empty string, other values as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value)


def first_of(mapping: Mapping[str, Json], keys: tuple[str, ...]) -> Json:
    """Return the first value under ``keys`` that is neither ``None`` nor empty text."""
    for key in keys:
        if (value := mapping.get(key)) not in (None, ""):
            return value
    return None


def first_text(mapping: Mapping[str, Json], keys: tuple[str, ...]) -> str:
    """Return the first non-empty string under ``keys``, or else an empty string."""
    for key in keys:
        if isinstance(value := mapping.get(key), str) and value:
            return value
    return ""


def first_object(mapping: Mapping[str, Json], keys: tuple[str, ...]) -> dict[str, Json] | None:
    """Return the first object under ``keys``, or else ``None``."""
    for key in keys:
        if isinstance(value := mapping.get(key), dict):
            return value
    return None


def first_list(mapping: Mapping[str, Json], keys: tuple[str, ...]) -> list[Json] | None:
    """Return the first list under ``keys``, or else ``None``."""
    for key in keys:
        if isinstance(value := mapping.get(key), list):
            return value
    return None
