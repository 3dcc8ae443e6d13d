"""The rules for attributes of spans, events, links, resources and scopes, on encoded values."""

from __future__ import annotations

import base64
import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.collector.intake.findings import Change, Findings
from spanloom.core.errors import InvalidRequestError
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from spanloom.collector.intake.limits import Limits


FIRST_UNUSUAL = b"\x2a"
"""An encoded ``AnyValue`` less than this is unset, a string, a bool, an int or a double.

Its first byte, the tag of one of the fields 1 to 4, is less than the tag of an array (0x2a). If a
sender puts an unknown field first, an array is not recognised, and only its JSON text is missing.
"""

_JSON_TEXT_TAG = b"\xc2\x3e"
"""Tag of field 1000, length-delimited, which contains a value's JSON text."""
_CACHED_BYTES = 256


class Annotated(NamedTuple):
    """An encoded value in the form in which it is stored."""

    value: bytes
    has_string_index: bool = False
    """Whether the value was an index into a string table, which traces do not have."""


def annotate(value: bytes, max_depth: int) -> Annotated:
    """Return an encoded ``AnyValue``, with its JSON text appended if it is an array or a kvlist.

    A string index becomes an unset value; any other value is returned unchanged. Raises
    ``InvalidRequestError`` if values are nested deeper than ``max_depth``.
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
    """Return a value as JSON-compatible Python; ``depth`` is the number of levels it may have."""
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
    """Return a double for JSON, with OTLP's names for NaN and the infinities."""
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


_UINT32_MAX = 0xFFFF_FFFF


class Attributed(Protocol):
    """A message with attributes, as defined in ``proto/spanloom/receive.proto``."""

    dropped_attributes_count: int

    @property
    def attributes(self) -> MutableMapping[str, bytes]:
        """The attributes: encoded values by key."""


class AttributeRules:
    """Applies the rules to messages with attributes in one request, and counts changes."""

    def __init__(self, limits: Limits, findings: Findings, request_bytes: int) -> None:
        """Apply ``limits`` and count changes in ``findings``.

        If the whole request is smaller than the limit for one value, value sizes are not checked.
        """
        self._limits = limits
        self._findings = findings
        self._may_hold_large_values = request_bytes > limits.max_value_bytes
        self.changed = False
        """Whether any message was changed, so that the request must be encoded again."""

    def apply(self, owner: Attributed) -> None:
        """Add JSON text to nested values; truncate or drop values over a limit, and count them."""
        limits = self._limits
        attributes = owner.attributes
        keys = list(attributes)
        # The next line runs for every attribute received, so it makes only one comparison for each.
        unusual = [key for key in keys if attributes[key] >= FIRST_UNUSUAL]
        all_keys = "".join(keys)
        may_be_long = len(all_keys) > limits.max_key_bytes or not all_keys.isascii()
        if may_be_long or len(keys) > limits.max_attributes or self._may_hold_large_values:
            self._cut(owner, keys)
        for key in unusual:
            self._annotate(attributes, key)

    def _cut(self, owner: Attributed, keys: list[str]) -> None:
        """Apply the limits; set the number of dropped attributes in the message."""
        attributes = owner.attributes
        self._drop_long_keys(attributes, keys)
        self._shorten_values(attributes)
        self._drop_excess(attributes)
        if dropped := len(keys) - len(attributes):
            total = owner.dropped_attributes_count + dropped
            owner.dropped_attributes_count = min(total, _UINT32_MAX)

    def _drop_long_keys(self, attributes: MutableMapping[str, bytes], keys: list[str]) -> None:
        for key in keys:
            if len(key.encode()) > self._limits.max_key_bytes:
                del attributes[key]
                self._note(Change.KEYS)

    def _shorten_values(self, attributes: MutableMapping[str, bytes]) -> None:
        """Truncate long texts at a character boundary; drop other values that are too large."""
        if not self._may_hold_large_values:
            return
        limit = self._limits.max_value_bytes
        for key in [k for k in attributes if len(attributes[k]) > limit]:
            value = AnyValue.FromString(attributes[key])
            if value.WhichOneof("value") != "string_value":
                del attributes[key]
            elif len(text := value.string_value.encode()) > limit:
                value.string_value = text[:limit].decode(errors="ignore")
                attributes[key] = value.SerializeToString()
            else:
                continue
            self._note(Change.VALUES)

    def _drop_excess(self, attributes: MutableMapping[str, bytes]) -> None:
        """Keep the first ``max_attributes`` attributes in alphabetical order of their keys."""
        if len(attributes) > self._limits.max_attributes:
            for key in sorted(attributes)[self._limits.max_attributes :]:
                del attributes[key]
            self._note(Change.ATTRIBUTES)

    def _annotate(self, attributes: MutableMapping[str, bytes], key: str) -> None:
        value = attributes.get(key)
        if value is None:  # dropped by a limit
            return
        annotated = annotate(value, self._limits.max_value_depth)
        if annotated.value != value:
            attributes[key] = annotated.value
            self.changed = True
        if annotated.has_string_index:
            self._note(Change.STRING_INDEX)

    def _note(self, change: Change) -> None:
        self._findings.changes[change] += 1
        self.changed = True
