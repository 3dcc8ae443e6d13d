from __future__ import annotations

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.frames import FRAME_BYTES, decode, encode

pytest.importorskip("clickhouse_cityhash", reason="needs pip install 'spanloom[sql]'")
LIMIT = 8 << 20


@pytest.mark.parametrize("content", [b"", b"x", b"abc" * 1000, bytes(FRAME_BYTES * 2 + 1)])
def test_content_comes_back(content: bytes) -> None:
    assert decode(encode(content), LIMIT) == content


def test_a_frame_whose_bytes_are_known() -> None:
    """The frame holds one uncompressed line and a checksum of the kind that clickhouse-go reads."""
    frame = bytes.fromhex("0f436c4fe2a5dd798d7df5529c5650a0020b00000002000000310a")
    assert decode(frame, LIMIT) == b"1\n"


@pytest.mark.parametrize("at", [0, 15, 16, 17, 21, 30])
def test_a_changed_byte_is_noticed(at: int) -> None:
    frame = bytearray(encode(b"some content, long enough"))
    frame[at] ^= 0x55
    with pytest.raises(SqlError) as error:
        decode(bytes(frame), LIMIT)
    assert error.value.name in {"CANNOT_DECOMPRESS", "TOO_MANY_BYTES"}


@pytest.mark.parametrize("kept", [1, 15, 24, 25, 30])
def test_a_frame_that_ends_early_is_refused(kept: int) -> None:
    with pytest.raises(SqlError, match="ends"):
        decode(encode(b"some content, long enough")[:kept], LIMIT)


def test_what_says_it_is_too_large_is_not_inflated() -> None:
    with pytest.raises(SqlError, match="larger"):
        decode(encode(bytes(LIMIT + 1)), LIMIT)
