"""Encodes a message in valid protobuf that no encoder produces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]  # no stub

if TYPE_CHECKING:
    from random import Random

    from google.protobuf.descriptor import FieldDescriptor
    from google.protobuf.message import Message

_LENGTH = 2


def encode_oddly(message: Message, random: Random) -> bytes:
    """Encode with fields out of order, some of them overwriting a value, and unknown fields."""
    pieces = [_group(message, field, random) for field, _ in message.ListFields()]
    pieces += [_unknown(random)] * (random.random() < 0.1)
    random.shuffle(pieces)
    return b"".join(pieces)


def _group(message: Message, field: FieldDescriptor, random: Random) -> bytes:
    """Return all occurrences of one field in order, because only that order matters in protobuf."""
    value = getattr(message, field.name)
    if field.message_type is None:
        alone = type(message)(**{field.name: value}).SerializeToString()
        overwritten = random.random() < 0.1 and field.has_presence
        return alone * 2 if overwritten else alone
    parts = value if _is_list(value) else [value]
    return b"".join(_framed(field.number, encode_oddly(part, random), random) for part in parts)


def _is_list(value: object) -> bool:
    return hasattr(value, "extend")


def _framed(number: int, data: bytes, random: Random) -> bytes:
    length = _VarintBytes(len(data))
    if random.random() < 0.1:  # an overlong varint has the same value
        length = length[:-1] + bytes([length[-1] | 0x80, 0])
    return bytes(_VarintBytes(number << 3 | _LENGTH) + length + data)


def _unknown(random: Random) -> bytes:
    return _framed(random.choice([99, 500]), b"?", random)
