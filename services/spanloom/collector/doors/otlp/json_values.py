"""Encodes single JSON values as protobuf: numbers, texts, ids, enums."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable, Mapping

from google.protobuf.descriptor import FieldDescriptor

from spanloom.wire.varint import encode_varint

Encode = Callable[[object], bytes]

_ID_FIELDS = frozenset({"trace_id", "span_id", "parent_span_id"})
_MALFORMED_ID = b"\0"
"""Replaces a malformed id; no id has this length, so validation rejects the span."""
_INTEGER = re.compile(r"-?[0-9]{1,20}")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_INT32 = range(-(2**31), 2**31)


class InvalidFieldError(Exception):
    """Raised if a JSON value is invalid for its field."""

    path = ""
    """Path of the value from the outermost message; completed while the error propagates."""

    def prepend(self, name: str) -> None:
        """Prepend the enclosing field or element to the path: ``spans[2]`` before ``name``."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{name}{joint}{self.path}"


def scalar_encoder(field: FieldDescriptor) -> tuple[int, Encode]:
    """Return a field's wire type and the encoder for its values, which adds any length prefix."""
    if field.type == FieldDescriptor.TYPE_BYTES:
        return 2, _encode_id if field.name in _ID_FIELDS else _encode_base64
    return _ENCODERS[field.type]


def enum_encoder(names: Mapping[str, int]) -> Encode:
    """Return an encoder for enum values; it accepts any number, and the names in ``names``."""

    def encode(value: object) -> bytes:
        if isinstance(value, str):
            if value not in names:
                raise InvalidFieldError("must be an enum's number")
            value = names[value]
        return encode_varint(_integer(value, _INT32) & _UINT64_MASK)

    return encode


def _encode_text(value: object) -> bytes:
    if not isinstance(value, str):
        raise InvalidFieldError("must be a string")
    text = value.encode()
    return encode_varint(len(text)) + text


def _encode_id(value: object) -> bytes:
    if not isinstance(value, str):
        raise InvalidFieldError("must be a string of hex digits")
    try:
        content = binascii.unhexlify(value)
    except ValueError:
        content = _MALFORMED_ID
    return encode_varint(len(content)) + content


def _encode_base64(value: object) -> bytes:
    if not isinstance(value, str):
        raise InvalidFieldError("must be a base64 string")
    standard = value.translate(_TO_STANDARD_BASE64).rstrip("=")
    try:
        content = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except ValueError:
        raise InvalidFieldError("must be a base64 string") from None
    return encode_varint(len(content)) + content


def _encode_bool(value: object) -> bytes:
    if not isinstance(value, bool):
        raise InvalidFieldError("must be true or false")
    return b"\x01" if value else b"\x00"


def _encode_double(value: object) -> bytes:
    if isinstance(value, str) and value in _NOT_FINITE:
        return struct.pack("<d", _NOT_FINITE[value])
    if isinstance(value, str) and _DECIMAL.fullmatch(value[:400]):
        value = float(value[:400])
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) == float("inf"):
        raise InvalidFieldError("must be a number")
    return struct.pack("<d", value)


def _varint_encoder(allowed: range) -> Encode:
    def encode(value: object) -> bytes:
        return encode_varint(_integer(value, allowed) & _UINT64_MASK)

    return encode


def _fixed_encoder(layout: str, allowed: range) -> Encode:
    pack = struct.Struct(layout).pack

    def encode(value: object) -> bytes:
        return pack(_integer(value, allowed))

    return encode


def _integer(value: object, allowed: range) -> int:
    """Return an integer, or a text of digits, as ``int``; reject floats, which lose digits."""
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
        raise InvalidFieldError(f"must be an integer from {allowed.start} to {allowed.stop - 1}")
    return value


_UINT64_MASK = 2**64 - 1
_TO_STANDARD_BASE64 = str.maketrans("-_", "+/")
_ENCODERS: Mapping[int, tuple[int, Encode]] = {
    FieldDescriptor.TYPE_STRING: (2, _encode_text),
    FieldDescriptor.TYPE_BOOL: (0, _encode_bool),
    FieldDescriptor.TYPE_INT32: (0, _varint_encoder(_INT32)),
    FieldDescriptor.TYPE_INT64: (0, _varint_encoder(range(-(2**63), 2**63))),
    FieldDescriptor.TYPE_UINT32: (0, _varint_encoder(range(2**32))),
    FieldDescriptor.TYPE_FIXED32: (5, _fixed_encoder("<I", range(2**32))),
    FieldDescriptor.TYPE_FIXED64: (1, _fixed_encoder("<Q", range(2**64))),
    FieldDescriptor.TYPE_DOUBLE: (1, _encode_double),
}
