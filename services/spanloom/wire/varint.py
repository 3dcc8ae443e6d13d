"""Protobuf's varint encoding: seven bits a byte, the lowest first."""

from __future__ import annotations

_ONE_BYTE = [bytes([n]) for n in range(128)]


def encode_varint(number: int) -> bytes:
    """Return a non-negative number of up to 64 bits as a varint. Example: 300 is AC 02."""
    if number < 0x80:
        return _ONE_BYTE[number]
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
