"""Varints: one encoder and one decoder for protobuf and ClickHouse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.wire.varint import decode_varint, encode_varint


@pytest.mark.parametrize(("number", "written"), [(0, b"\0"), (127, b"\x7f"), (300, b"\xac\x02")])
def test_sizes(number: int, written: bytes) -> None:
    assert encode_varint(number) == written


@given(number=st.integers(0, 2**64 - 1), before=st.binary(max_size=3), after=st.binary(max_size=3))
def test_a_number_is_read_as_written(number: int, before: bytes, after: bytes) -> None:
    encoded = encode_varint(number)
    end = len(before) + len(encoded)
    assert decode_varint(before + encoded + after, len(before)) == (number, end)


def test_what_is_cut_or_too_long_is_refused() -> None:
    with pytest.raises(IndexError):
        decode_varint(b"\x80\x80", 0)
    with pytest.raises(ValueError, match="more than ten bytes"):
        decode_varint(b"\x80" * 10 + b"\1", 0)
    assert decode_varint(b"\xff" * 9 + b"\1", 0) == (2**64 - 1, 10)
