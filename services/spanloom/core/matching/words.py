"""Compiles a word search to a function over the new texts of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.text_query import has_text, parse_text_query
from spanloom.core.query.words import folded, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.messages.new_texts import NewTexts
    from spanloom.core.records.hit import Part


def find_words(text: str, parts: Sequence[Part]) -> Callable[[NewTexts | None], bool]:
    """Return a function that tests whether one of a step's ``parts`` has all words of ``text``."""
    query = parse_text_query(text)
    needed = {word for term in query.terms for word in term.words}

    def has_words(new: NewTexts | None) -> bool:
        return any(has_all(content) for part in parts if (content := getattr(new, part, "")))

    def has_all(content: str) -> bool:
        plain = folded(content)  # texts without a word need not be split
        return all(word in plain for word in needed) and has_text(query, tokenize(content))

    return has_words
