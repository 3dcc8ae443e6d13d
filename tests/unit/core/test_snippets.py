"""Snippets of text around the matches of a search, and the positions of the matches."""

from __future__ import annotations

from spanloom.core.query.where.text_query import (
    SNIPPET_CHARS,
    Snippet,
    make_snippet,
    parse_text_query,
)


def snippet(text: str, query: str) -> Snippet:
    return make_snippet(text, parse_text_query(query))


def marked(found: Snippet) -> list[str]:
    return [found.text[mark.start : mark.end] for mark in found.marks]


def test_a_short_text_is_shown_whole_with_every_place() -> None:
    found = snippet("Refund, then refund ORD-1234", "refund ord-1234")
    assert found.text == "Refund, then refund ORD-1234"
    assert marked(found) == ["Refund", "refund", "ORD-1234"]


def test_a_long_text_is_cut_around_the_first_place() -> None:
    found = snippet("a " * 200 + "the rate  limit was hit" + " b" * 200, '"rate limit"')
    assert marked(found) == ["rate  limit"]
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert len(found.text) == SNIPPET_CHARS + 2


def test_places_that_overlap_are_one() -> None:
    assert marked(snippet("退款失败", "退款 款失")) == ["退款失"]


def test_offsets_count_characters_not_bytes_nor_halves_of_pairs() -> None:
    [mark] = snippet("😀 北京 alpha", "alp*").marks
    assert (mark.start, mark.end) == (5, 10)


def test_a_phrase_longer_than_a_snippet_is_shown_whole() -> None:
    phrase = " ".join(f"word{n}" for n in range(60))
    assert marked(snippet(f"x {phrase} y", f'"{phrase}"')) == [phrase]


def test_of_a_text_without_a_place_the_beginning_is_shown() -> None:
    assert snippet("nothing here", "other") == Snippet("nothing here", [])
