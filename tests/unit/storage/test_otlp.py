"""Stored rows are converted back to OTLP messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.storage.spans.otlp import KINDS, STATUS_CODES, encode_traces, number_of


def test_no_rows_are_no_bytes() -> None:
    assert encode_traces([]) == b""


@pytest.mark.parametrize("names", [KINDS, STATUS_CODES])
def test_enum_names_are_numbered_as_in_otlp(names: tuple[str, ...]) -> None:
    assert [number_of(name, names) for name in names] == list(range(len(names)))


@given(st.integers(-(2**31), 2**31 - 1))
def test_an_unknown_enum_number_is_itself(number: int) -> None:
    assert number_of(str(number), KINDS) == number
