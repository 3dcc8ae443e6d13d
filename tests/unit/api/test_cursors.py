"""Reading cursors and instants from requests: valid text is accepted, any other is refused."""

from __future__ import annotations

import base64
import contextlib
import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.api.query import decode_cursor, encode_cursor
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.notation import parse_instant
from spanloom.core.query.lists import Cursor

hex_digits = st.text("0123456789abcdef", min_size=32, max_size=32)


@given(st.builds(Cursor, st.integers(0, 2**64 - 1), hex_digits, st.text(max_size=20)))
def test_a_cursor_survives_the_url(cursor: Cursor) -> None:
    text = encode_cursor(cursor)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", text)
    assert decode_cursor(text) == cursor


@given(st.text(max_size=60) | st.binary(max_size=60).map(bytes.hex))
def test_any_other_text_is_refused(text: str) -> None:
    try:
        cursor = decode_cursor(text)
    except InvalidQueryError:
        return
    assert decode_cursor(encode_cursor(cursor)) == cursor


@pytest.mark.parametrize(
    "position", [[1, "a" * 32], [-1, "a" * 32, ""], [True, "a" * 32, ""], [1, "A" * 32, ""], 7, {}]
)
def test_a_position_that_cannot_be_is_refused(position: object) -> None:
    with pytest.raises(InvalidQueryError, match="next_cursor"):
        decode_cursor(base64.urlsafe_b64encode(orjson.dumps(position)).decode())


@pytest.mark.parametrize(
    ("text", "instant_ns"),
    [
        ("0", 0),
        ("1769860800123", 1_769_860_800_123_000_000),
        ("2026-01-31T12:00:00Z", 1_769_860_800_000_000_000),
        ("2026-01-31 12:00:00.5Z", 1_769_860_800_500_000_000),
        ("2026-01-31T14:00:00+02:00", 1_769_860_800_000_000_000),
        ("2026-01-31T14:00:00 02:00", 1_769_860_800_000_000_000),
        ("2026-01-31T12:00:00.123456789Z", 1_769_860_800_123_456_000),
    ],
)
def test_an_instant_in_every_form(text: str, instant_ns: int) -> None:
    assert parse_instant(text) == instant_ns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "write RFC 3339"),
        ("now", "write RFC 3339"),
        ("٣", "write RFC 3339"),
        ("-5", "write RFC 3339"),
        ("2026-01-31", "an offset is missing"),
        ("1969-12-31T23:59:59Z", "from 1970 to 2554"),
        ("9999-12-31T23:59:59Z", "from 1970 to 2554"),
        ("9" * 5000, "from 1970 to 2554"),
    ],
)
def test_what_is_no_instant_is_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_instant(text)


@given(st.text(max_size=30))
def test_any_text_is_an_instant_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert 0 <= parse_instant(text) < 2**64
