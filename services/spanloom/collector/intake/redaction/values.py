"""Converts attribute values to plain Python and back."""

from __future__ import annotations

import json
from typing import cast

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

Plain = None | str | bool | int | float | bytes | list["Plain"] | dict[str, "Plain"]

_INT64 = 2**63
_MAX_DIGITS = 4_000
"""Maximum digits of an integer; Python refuses to parse longer integers."""
_JSON_STARTS = ("{", "[", '"')


class UnreadableJsonError(ValueError):
    """Raised if a text begins like JSON but is nested too deeply to be parsed."""


def read_value(encoded: bytes) -> Plain:
    """Convert an encoded ``AnyValue`` to plain Python; if a key repeats, its last value wins."""
    return _plain(AnyValue.FromString(encoded))


def write_value(value: Plain) -> bytes:
    """Encode a plain Python value as an ``AnyValue``."""
    message = AnyValue()
    _write(value, message)
    return message.SerializeToString()


def read_json(text: str) -> tuple[Plain, bool] | None:
    """Parse a JSON text; return the value, and whether an object in it repeats a key.

    ``None`` if the text is not JSON, or if it is a single number or word. Raises
    ``UnreadableJsonError``.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith(_JSON_STARTS):
        return None
    hides = False

    def collect(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
        nonlocal hides
        fields = dict(pairs)
        hides = hides or len(fields) < len(pairs)
        return fields

    try:
        read = json.loads(text.lstrip("\ufeff"), object_pairs_hook=collect, parse_int=_number)
    except RecursionError as error:
        raise UnreadableJsonError from error
    except ValueError:
        return None
    return cast("Plain", read), hides


def write_json(value: Plain) -> str:
    """Return a value as compact JSON text that can be encoded in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can escape
        return json.dumps(value, separators=(",", ":"))
    return text


def as_text(value: Plain) -> str:
    """Return the text of a value for hashing; equal values have equal texts."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, default=bytes.hex)


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _plain(value: AnyValue) -> Plain:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _plain(pair.value) for pair in value.kvlist_value.values}
    if kind is None or kind == "string_value_strindex":
        return None
    return cast("Plain", getattr(value, kind))


def _write(value: Plain, message: AnyValue) -> None:
    if isinstance(value, list):
        message.array_value.SetInParent()
        for item in value:
            _write(item, message.array_value.values.add())
    elif isinstance(value, dict):
        message.kvlist_value.SetInParent()
        for key, item in value.items():
            _write(item, message.kvlist_value.values.add(key=key).value)
    elif value is not None:
        _write_scalar(value, message)


def _write_scalar(value: str | bool | float | bytes, message: AnyValue) -> None:
    if isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int) and -_INT64 <= value < _INT64:
        message.int_value = value
    elif isinstance(value, float):
        message.double_value = value
    elif isinstance(value, bytes):
        message.bytes_value = value
    else:
        message.string_value = str(value)
