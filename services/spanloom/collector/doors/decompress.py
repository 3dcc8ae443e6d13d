"""Content codings, inflated within bounds: never a byte more than the limit is held."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    InvalidRequestError,
    RequestTooLargeError,
    UnsupportedEncodingError,
)

if TYPE_CHECKING:
    from spanloom.collector.intake.limits import Limits

_GZIP = zlib.MAX_WBITS | 16
"""Tells zlib to expect a gzip header and to check the trailer's CRC and length."""


def decompress(body: bytes, coding: str, limits: Limits) -> bytes:
    """Give the body without its HTTP content coding: none, ``identity`` or ``gzip``.

    Raises ``UnsupportedEncodingError`` for any other coding, ``InvalidRequestError`` for a
    broken gzip stream, ``RequestTooLargeError`` beyond ``limits.max_request_bytes``.
    """
    name = coding.strip().lower()
    if name in {"", "identity"}:
        return body
    if name in {"gzip", "x-gzip"}:
        return _gunzip(body, limits)
    raise UnsupportedEncodingError(
        f"Content-Encoding {coding[:64]!r} is not supported: use gzip or none."
    )


def _gunzip(body: bytes, limits: Limits) -> bytes:
    """Inflate up to ``max_gzip_members`` members; nothing but members may follow each other."""
    parts: list[bytes] = []
    room = limits.max_request_bytes
    rest = body
    for _ in range(limits.max_gzip_members):
        part, rest = _member(rest, room)
        room -= len(part)
        parts.append(part)
        if not rest:
            return parts[0] if len(parts) == 1 else b"".join(parts)
    raise InvalidRequestError(
        f"The gzip body has more than {limits.max_gzip_members} members: send it as one."
    )


def _member(data: bytes, room: int) -> tuple[bytes, bytes]:
    """Give one inflated member and what follows it."""
    inflater = zlib.decompressobj(_GZIP)
    try:
        part = inflater.decompress(data, room + 1)
    except zlib.error as error:
        raise InvalidRequestError(f"The body is not valid gzip: {error}.") from error
    if len(part) > room:
        raise RequestTooLargeError(
            "The request is larger than the limit after decompression: send smaller batches."
        )
    if not inflater.eof:
        raise InvalidRequestError("The gzip body is truncated.")
    return part, inflater.unused_data
