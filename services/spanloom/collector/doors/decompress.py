"""Decompresses request bodies chunk by chunk, within limits.

Each chunk is added to the request's reservation in the budget for bytes in flight
(``InFlightBudget``), so a request exceeds its reservation by at most one chunk.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    InvalidRequestError,
    RequestTooLargeError,
    UnsupportedEncodingError,
)

if TYPE_CHECKING:
    from spanloom.collector.intake.admission import Reservation
    from spanloom.collector.intake.limits import Limits

GZIP_MAGIC = b"\x1f\x8b"
"""The first bytes of every gzip stream."""
PIECE_BYTES = 64 * 1024
_GZIP = zlib.MAX_WBITS | 16
"""Tells zlib to expect a gzip header and to check the trailer's CRC and length."""


def decompress(body: bytes, coding: str, limits: Limits, share: Reservation) -> bytes:
    """Return the body without its HTTP content coding: none, ``identity`` or ``gzip``.

    ``share``, the request's reservation of bytes in flight, grows with each inflated chunk. Raises
    ``UnsupportedEncodingError`` for any other coding, ``InvalidRequestError`` for a broken gzip
    stream, ``RequestTooLargeError`` beyond ``limits.max_request_bytes``, and ``OverloadedError`` if
    too many bytes are in flight.
    """
    name = coding.strip().lower()
    if name in {"", "identity"}:
        return body
    if name in {"gzip", "x-gzip"}:
        return gunzip(body, limits, share)
    raise UnsupportedEncodingError(
        f"Content-Encoding {coding[:64]!r} is not supported: use gzip or none."
    )


def gunzip(body: bytes, limits: Limits, share: Reservation) -> bytes:
    """Inflate up to ``max_gzip_members`` gzip members; no other bytes may follow the last member.

    Raises the same errors as ``decompress``.
    """
    inflated = _Inflated(limits.max_request_bytes, share)
    rest = memoryview(body)
    for _ in range(limits.max_gzip_members):
        rest = _inflate_member(rest, inflated)
        if not rest:
            return b"".join(inflated.pieces)
    raise InvalidRequestError(
        f"The gzip body has more than {limits.max_gzip_members} members: send it as one."
    )


class _Inflated:
    """Collects inflated chunks within the size limit and the budget for bytes in flight."""

    def __init__(self, max_bytes: int, share: Reservation) -> None:
        self.pieces: list[bytes] = []
        self._room = max_bytes
        self._share = share

    def add(self, piece: bytes) -> None:
        self._room -= len(piece)
        if self._room < 0:
            raise RequestTooLargeError(
                "The request is larger than the limit after decompression: send smaller batches."
            )
        self._share.grow(len(piece))
        self.pieces.append(piece)


def _inflate_member(data: memoryview, inflated: _Inflated) -> memoryview:
    """Inflate the first member; return the bytes after it.

    Input is passed in chunks too, because zlib copies the input that it has not consumed.
    """
    inflater = zlib.decompressobj(_GZIP)
    at = 0
    left_over = b""
    while not inflater.eof:
        source = left_over or data[at : at + PIECE_BYTES]
        at += 0 if left_over else len(source)
        try:
            piece = inflater.decompress(source, PIECE_BYTES)
        except zlib.error as error:
            raise InvalidRequestError(f"The body is not valid gzip: {error}.") from error
        if not source and not piece and not inflater.eof:
            raise InvalidRequestError("The gzip body is truncated.")
        inflated.add(piece)
        left_over = inflater.unconsumed_tail
    return data[at - len(inflater.unused_data) :]
