from __future__ import annotations

import gzip

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.codings import choose, decode, encode


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "lz4", "br"])
def test_a_body_comes_back(coding: str) -> None:
    body = b"SELECT 1 " * 100
    assert decode(encode(body, coding), coding, len(body)) == body


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip;q=0.5, lz4", "lz4"),
        ("gzip;q=0, deflate", "deflate"),
        ("br", "br"),
        ("snappy", ""),
        ("gzip;q=x", ""),
        ("", ""),
    ],
)
def test_the_best_that_is_accepted(accepted: str, chosen: str) -> None:
    assert choose(accepted) == chosen


@pytest.mark.parametrize("coding", ["gzip", "zstd", "lz4", "br"])
def test_a_bomb_is_refused_within_its_bound(coding: str) -> None:
    with pytest.raises(SqlError, match="larger"):
        decode(encode(bytes(50 << 20), coding), coding, 1000)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "lz4", "br"])
def test_what_is_no_such_coding_is_refused(coding: str) -> None:
    with pytest.raises(SqlError, match=f"no {coding}"):
        decode(b"SELECT 1", coding, 1000)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "lz4", "br"])
def test_a_body_that_is_cut_off_is_no_shorter_statement(coding: str) -> None:
    """A statement that ends early, such as before its ``WHERE``, would return other rows."""
    body = "".join(f"SELECT {number} " for number in range(2000)).encode()
    with pytest.raises(SqlError, match="it ends early"):
        decode(encode(body, coding)[:-20], coding, len(body))


def test_an_unknown_coding_is_named() -> None:
    with pytest.raises(SqlError, match="snappy"):
        decode(gzip.compress(b""), "snappy", 1000)
