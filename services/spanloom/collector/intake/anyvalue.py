"""Attribute values, still encoded: which of them nest, and their text as JSON.

SQL cannot recurse into arrays and key-value lists, so their value as JSON text travels beside
them: ``json_text``, field 1000 of our ``AnyValue`` (``proto/README.md``).
"""

from __future__ import annotations

import base64
import math
from functools import lru_cache
from typing import NamedTuple

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.core.errors import InvalidRequestError
from spanloom.wire.varint import encode_varint

FIRST_UNUSUAL = b"\x2a"
"""An encoded value that sorts before it is unset, a string, a bool, an int or a double: their
first bytes, the tags of fields 1 to 4, are smaller than that of an array. Only a writer that
puts unknown fields first could hide an array behind it, and then loses its JSON text alone."""

_JSON_TEXT_TAG = b"\xc2\x3e"
"""Field 1000, length-delimited."""
_CACHED_BYTES = 256


class Annotated(NamedTuple):
    """A value as it will be stored."""

    value: bytes
    has_string_index: bool = False
    """Whether it pointed into a string table, which traces do not have."""


def annotate(value: bytes, max_depth: int) -> Annotated:
    """Return an encoded ``AnyValue`` with its JSON text appended if it is an array or a list.

    Any other value comes back as it is, but one that is a string index comes back unset.
    Raises ``InvalidRequestError`` if values nest deeper than ``max_depth``.
    """
    if len(value) <= _CACHED_BYTES:  # spans repeat short lists: finish reasons, tags, roles
        return _annotate_cached(value, max_depth)
    return _annotate(value, max_depth)


def _annotate(value: bytes, max_depth: int) -> Annotated:
    parsed = AnyValue.FromString(value)
    kind = parsed.WhichOneof("value")
    if kind in {"array_value", "kvlist_value"}:
        text = orjson.dumps(_plain(parsed, max_depth))
        return Annotated(value + _JSON_TEXT_TAG + encode_varint(len(text)) + text)
    if kind == "string_value_strindex":
        return Annotated(b"", has_string_index=True)
    return Annotated(value)


_annotate_cached = lru_cache(maxsize=8192)(_annotate)


def _plain(value: AnyValue, depth: int) -> object:
    """Return a value as what JSON can say; ``depth`` levels are left, this one included."""
    if depth == 0:
        raise InvalidRequestError("An attribute value nests too deep.")
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item, depth - 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _plain(pair.value, depth - 1) for pair in value.kvlist_value.values}
    if kind == "double_value":
        return _json_number(value.double_value)
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode()
    if kind is None or kind == "string_value_strindex":
        return None
    plain: object = getattr(value, kind)
    return plain


def _json_number(number: float) -> float | str:
    """Return a double as JSON can write it: OTLP's names for what is no number."""
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"
