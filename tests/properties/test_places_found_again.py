"""An annotated passage is found again only at exactly its quoted words, in any changed text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from spanloom.core.annotation.places import Bounds, find_place

LETTERS = st.text(st.sampled_from("ab 中文😀👩‍💻é\n"), max_size=12)
QUOTES = st.text(st.sampled_from("ab 中文😀👩‍💻é\n"), min_size=1, max_size=4)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def letters(text: str, found: Bounds) -> str:
    return text.encode("utf-16-le")[2 * found.start : 2 * found.end].decode("utf-16-le")


@given(LETTERS, QUOTES, st.integers(-3, 30), st.integers(-3, 30))
@example("😀中", "中", 1, 2)
@example("aaa", "aa", 7, 9)
def test_never_at_wrong_letters(text: str, quote: str, start: int, end: int) -> None:
    found = find_place(text, start, end, quote)
    if found is not None:
        assert letters(text, found) == quote
    else:
        places = sum(text.startswith(quote, at) for at in range(len(text)))
        assert places != 1


@given(LETTERS, QUOTES, LETTERS, LETTERS)
def test_what_comes_before_only_moves_it(before: str, quote: str, after: str, new: str) -> None:
    start, end = units(before), units(before) + units(quote)
    assert find_place(before + quote + after, start, end, quote) == Bounds(start, end)
    text = new + before + quote + after
    found = find_place(text, start, end, quote)
    if text.count(quote) == 1 and text.rfind(quote) == text.find(quote):
        assert found is not None
        assert letters(text, found) == quote


@given(LETTERS, LETTERS)
def test_a_quote_that_stands_twice_stands_only_where_it_was(before: str, between: str) -> None:
    text = f"{before}x😀{between}x😀"
    at = units(before)
    assert find_place(text, at, at + 3, "x😀") == Bounds(at, at + 3)
    assert find_place(f"y{text}", at, at + 3, "x😀") is None


@given(LETTERS)
def test_nothing_quoted_is_found_nowhere(text: str) -> None:
    assert find_place(text, 0, 0, "") is None
