"""HTTP content codings: inflates request bodies within a limit, and compresses responses."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import lz4.frame
import zstandard

from spanloom.core.ports.sql import SqlError

try:
    import brotli
except ImportError:  # it comes with the extra ``sql``
    brotli = None

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_GZIP_OR_ZLIB = 47
_BROTLI_QUALITY = 4
"""Brotli's compression level, of at most 11; as fast as gzip, with a smaller result."""
_ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdCompressor(level=1).compress(body),
    "lz4": lambda body: bytes(lz4.frame.compress(body)),
    "gzip": lambda body: gzip.compress(body, compresslevel=1),
    "deflate": lambda body: zlib.compress(body, level=1),
    "br": lambda body: bytes(brotli.compress(body, quality=_BROTLI_QUALITY)),
}
"""The encoders of the content codings, in the order of preference."""
_BROKEN: tuple[type[Exception], ...] = (
    *(zlib.error, EOFError, RuntimeError, zstandard.ZstdError),
    *([brotli.error] if brotli else []),
)


def choose(accepted: str) -> str:
    """Return the preferred coding that an ``Accept-Encoding`` allows; empty if there is none."""
    allowed = {name for name, weight in map(_weighed, accepted.split(",")) if weight}
    known = (name for name in _ENCODERS if name != "br" or brotli)
    return next((name for name in known if name in allowed), "")


def encode(body: bytes, coding: str) -> bytes:
    """Return the body in a coding returned by ``choose``."""
    return _ENCODERS[coding](body)


def decode(body: bytes, coding: str, limit: int) -> bytes:
    """Return a decoded body; raises ``SqlError`` if that fails or exceeds ``limit`` bytes."""
    try:
        plain = _inflated(body, coding.strip().lower(), limit + 1)
    except _BROKEN as error:
        raise SqlError(354, "ZLIB_INFLATE_FAILED", f"The body is no {coding}: {error}") from error
    if len(plain) > limit:
        raise SqlError(307, "TOO_MANY_BYTES", "The body is larger than this port accepts")
    return plain


def _inflated(body: bytes, coding: str, most: int) -> bytes:
    match coding:
        case "" | "identity":
            return body
        case "gzip" | "x-gzip" | "deflate":
            inflating = zlib.decompressobj(_GZIP_OR_ZLIB)
            return _whole(inflating.decompress(body, most), most, is_over=inflating.eof)
        case "zstd":
            with zstandard.ZstdDecompressor().stream_reader(body) as reader:
                return reader.read(most)
        case "lz4":
            unpacking = lz4.frame.LZ4FrameDecompressor()
            plain = bytes(unpacking.decompress(body, max_length=most))
            return _whole(plain, most, is_over=unpacking.eof)
        case "br" if brotli:
            reading = brotli.Decompressor()
            plain = bytes(reading.process(body, output_buffer_limit=most))
            return _whole(plain, most, is_over=reading.is_finished())
        case _:
            raise SqlError(48, "NOT_IMPLEMENTED", f"Content-Encoding {coding!r} is not taken here")


def _whole(plain: bytes, most: int, *, is_over: bool) -> bytes:
    """Return the body if it is complete or over the limit; raises ``EOFError`` if truncated."""
    if not is_over and len(plain) < most:
        raise EOFError("it ends early")
    return plain


def _weighed(item: str) -> tuple[str, float]:
    name, _, parameters = item.partition(";")
    quality = parameters.strip().removeprefix("q=")
    try:
        return name.strip().lower(), float(quality or 1)
    except ValueError:
        return name.strip().lower(), 0.0
