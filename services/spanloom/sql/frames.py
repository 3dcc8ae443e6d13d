"""ClickHouse's own compression (``compress=1``, ``decompress=1``), which is no HTTP coding.

A frame consists of the CityHash128 (release 1.0.2) of all that follows, a method byte, the size of
the frame from the method byte on, the size of the content, and the compressed content.
Source: ClickHouse, src/Compression/CompressedReadBufferBase.cpp.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import lz4.block
import zstandard

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LZ4, _ZSTD, _NONE = 0x82, 0x90, 0x02
_HEAD = struct.Struct("<BII")
_HASH_BYTES = 16
FRAME_BYTES = 1 << 20
"""Content size of one frame, the same maximum as in ClickHouse."""


def encode(content: bytes) -> bytes:
    """Return the content in LZ4 frames; empty content has no frame."""
    pieces = (content[at : at + FRAME_BYTES] for at in range(0, len(content), FRAME_BYTES))
    return b"".join(_frame(piece) for piece in pieces)


def decode(frames: bytes, limit: int) -> bytes:
    """Return the content of frames; raises ``SqlError`` if invalid or over ``limit`` bytes."""
    return b"".join(_contents(memoryview(frames), limit))


def _contents(left: memoryview, limit: int) -> Iterator[bytes]:
    while left:
        if len(left) < _HASH_BYTES + _HEAD.size:
            raise _broken("a frame ends within its head")
        method, size, raw_size = _HEAD.unpack_from(left, _HASH_BYTES)
        end = _HASH_BYTES + size
        limit -= raw_size
        if limit < 0:
            raise SqlError(307, "TOO_MANY_BYTES", "The body is larger than this port accepts")
        if size < _HEAD.size or end > len(left):
            raise _broken("a frame ends early")
        if bytes(left[:_HASH_BYTES]) != _hash(bytes(left[_HASH_BYTES:end])):
            raise _broken("the checksum of a frame differs")
        yield _inflated(method, bytes(left[_HASH_BYTES + _HEAD.size : end]), raw_size)
        left = left[end:]


def _frame(content: bytes) -> bytes:
    packed: bytes = lz4.block.compress(content, store_size=False)
    body = _HEAD.pack(_LZ4, _HEAD.size + len(packed), len(content)) + packed
    return _hash(body) + body


def _inflated(method: int, packed: bytes, size: int) -> bytes:
    try:
        if method == _LZ4:
            content: bytes = lz4.block.decompress(packed, uncompressed_size=size)
        elif method == _ZSTD:
            content = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
        elif method == _NONE:
            content = packed
        else:
            raise _broken(f"method {method:#x} is none of LZ4, ZSTD, NONE")
    except (lz4.block.LZ4BlockError, zstandard.ZstdError) as error:
        raise _broken(f"a frame cannot be inflated: {error}") from error
    if len(content) != size:
        raise _broken("a frame has another size than it declares")
    return content


def _hash(body: bytes) -> bytes:
    first_half, second_half = divmod(_city_hash()(body), 1 << 64)
    return struct.pack("<QQ", first_half, second_half)


def _city_hash() -> Callable[[bytes], int]:
    """Return the hash function; raises ``SqlError`` if its library is not installed."""
    try:
        from clickhouse_cityhash.cityhash import CityHash128  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise SqlError(
            *(48, "NOT_IMPLEMENTED"),
            "compress=1 and decompress=1 need: pip install 'spanloom[sql]'; "
            "without, use HTTP's own compression",
        ) from error
    hash_of: Callable[[bytes], int] = CityHash128
    return hash_of


def _broken(why: str) -> SqlError:
    return SqlError(271, "CANNOT_DECOMPRESS", f"The body cannot be decompressed: {why}")
