"""Texts inside reprs: whole literals only, whatever they contain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.reading.python_repr import last_text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str) -> None:
    assert last_text(f"Part(text='no'), Part(text={text!r})", "text=") == text


@pytest.mark.parametrize(
    "said",
    ["", "text=", "text=5", "text='cut", "text='cut\\'", "text='\\ud800'", "text='\\N{no such}'"],
)
def test_what_is_no_whole_text_is_none(said: str) -> None:
    assert last_text(said, "text=") is None
