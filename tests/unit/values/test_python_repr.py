"""String literals are read from Python reprs if they are complete, whatever they contain."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spanloom.core.values.python_repr import as_json, last_text, objects_as_json


@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("text=")
@example("say text='no'")
def test_any_text_survives(text: str) -> None:
    assert last_text(f"Part(text='no'), Part(text={text!r})", "text=") == text


@pytest.mark.parametrize(
    "said",
    ["", "text=", "text=5", "text='cut", "text='cut\\'", "text='\\ud800'", "text='\\N{no such}'"],
)
def test_what_is_no_whole_text_is_none(said: str) -> None:
    assert last_text(said, "text=") is None


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_literal_that_never_ends_is_read_once(quote: str) -> None:
    """Searching for the literal's end from each of its quotes would take hours."""
    endless = f"[{quote}" + f"\\{quote}" * 500_000
    assert as_json(endless) == objects_as_json(endless) == endless
    assert last_text(endless, "text=") is None
