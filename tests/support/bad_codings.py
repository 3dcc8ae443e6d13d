"""Table rows of badly compressed bodies; gRPC decompresses gzip bodies as HTTP does."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

from tests.support.bad_inputs import (
    INVALID,
    TOO_LARGE,
    UNSUPPORTED,
    BadInput,
    always,
    field,
    made_once,
    one,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.bad_inputs import Build

MIB = 2**20
ZSTD = bytes.fromhex("28b52ffd")
"""The first bytes of every zstd frame."""


def gzip_rows() -> Iterator[BadInput]:
    """Yield the rows with gzip bodies."""
    rows = {
        "B32 cut": (lambda trace: gzip.compress(one()(trace))[:-6], INVALID),
        "B32 wrong checksum": (_with_wrong_checksum, INVALID),
        "B32 trailing garbage": (lambda trace: gzip.compress(one()(trace)) + b"x", INVALID),
        "B33 bomb of 1 GiB": (made_once(lambda: bomb(1024)), TOO_LARGE),
        "B34 100,000 members": (made_once(lambda: gzip.compress(b"") * 100_000), INVALID),
        "B37 64 MiB of empty spans": (made_once(_empty_spans), TOO_LARGE),
    }
    for name, (body, expected) in rows.items():
        yield BadInput(name, body, expected, headers={"Content-Encoding": "gzip"})


def other_rows() -> Iterator[BadInput]:
    """Yield the rows that only HTTP can express: an unsupported or false content encoding.

    zstd is not supported at all, so its bombs and windows (B33, B35) never reach a decoder.
    """
    for coding in ("br", "gzip, gzip", "junk"):
        yield _coded(f"B31 {coding}", one(), coding)._replace(expected=UNSUPPORTED)
    yield _coded("B32 plain body called gzip", one(), "gzip")._replace(expected=INVALID)
    wide_window = ZSTD + b"\x00\x88" + bytes(20)
    forged_size = ZSTD + b"\xe0" + (4 << 30).to_bytes(8, "little") + bytes(20)
    frames = {"B33 bomb": ZSTD * 100, "B35 window": wide_window, "B35 size": forged_size}
    for name, body in frames.items():
        yield _coded(f"{name} in zstd", always(body), "zstd")._replace(expected=UNSUPPORTED)


def _coded(name: str, body: Build, coding: str) -> BadInput:
    return BadInput(name, body, INVALID, headers={"Content-Encoding": coding})


def bomb(size_mib: int) -> bytes:
    """Return gzipped zeros without a checksum: no decoder may read that far."""
    packer = zlib.compressobj(9, wbits=31)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    one_mib = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + one_mib * size_mib


def _with_wrong_checksum(trace_id: bytes) -> bytes:
    packed = bytearray(gzip.compress(one()(trace_id)))
    packed[-8] ^= 1
    return bytes(packed)


def _empty_spans() -> bytes:
    return gzip.compress(field(1, field(2, b"\x12\x00" * (32 * MIB - 16))), 1)
