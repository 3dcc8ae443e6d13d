"""Varints of protobuf and ClickHouse (LEB128): seven bits a byte, the lowest first."""

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


def decode_varint(body: bytes, position: int) -> tuple[int, int]:
    """Return the number at a position and the position after it.

    Raises ``IndexError`` if the bytes end before, and ``ValueError`` for more than ten bytes.
    """
    number = shift = 0
    while shift < 70:
        byte = body[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
    raise ValueError("a number has more than ten bytes")
