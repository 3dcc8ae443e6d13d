"""HTTP's content codings: bodies of requests are inflated within a bound, answers compressed."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import lz4.frame
import zstandard

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_GZIP_OR_ZLIB = 47
_ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdCompressor(level=1).compress(body),
    "lz4": lambda body: bytes(lz4.frame.compress(body)),
    "gzip": lambda body: gzip.compress(body, compresslevel=1),
    "deflate": lambda body: zlib.compress(body, level=1),
}
"""In the order of preference."""


def choose(accepted: str) -> str:
    """Return the best coding that an ``Accept-Encoding`` allows; empty for none of ours."""
    allowed = {name for name, weight in map(_weighed, accepted.split(",")) if weight}
    return next((name for name in _ENCODERS if name in allowed), "")


def encode(body: bytes, coding: str) -> bytes:
    """Return the body in a coding that ``choose`` gave."""
    return _ENCODERS[coding](body)


def decode(body: bytes, coding: str, limit: int) -> bytes:
    """Return a body without its coding; raises ``SqlError`` if that fails or exceeds the limit."""
    try:
        plain = _inflated(body, coding.strip().lower(), limit + 1)
    except (zlib.error, EOFError, RuntimeError, zstandard.ZstdError) as error:
        raise SqlError(354, "ZLIB_INFLATE_FAILED", f"The body is no {coding}: {error}") from error
    if len(plain) > limit:
        raise SqlError(307, "TOO_MANY_BYTES", "The body is larger than this port takes")
    return plain


def _inflated(body: bytes, coding: str, most: int) -> bytes:
    match coding:
        case "" | "identity":
            return body
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(_GZIP_OR_ZLIB).decompress(body, most)
        case "zstd":
            with zstandard.ZstdDecompressor().stream_reader(body) as reader:
                return reader.read(most)
        case "lz4":
            return bytes(lz4.frame.LZ4FrameDecompressor().decompress(body, max_length=most))
        case _:
            raise SqlError(48, "NOT_IMPLEMENTED", f"Content-Encoding {coding!r} is not taken here")


def _weighed(item: str) -> tuple[str, float]:
    name, _, parameters = item.partition(";")
    quality = parameters.strip().removeprefix("q=")
    try:
        return name.strip().lower(), float(quality or 1)
    except ValueError:
        return name.strip().lower(), 0.0
