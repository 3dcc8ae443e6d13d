"""Full-text queries: words, phrases, and prefixes of words.

``rate limit`` are two words, anywhere in one text. ``"rate limit"`` is a phrase: they follow each
other. A word that the index splits is a phrase too: ``ORD-1234`` is ``ord``, then ``1234``;
``退款`` is ``退``, then ``款``. ``kubern*`` is any word that begins so, ``"rate lim*"`` a phrase
that ends in one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.tokens import tokenize
from spanloom.core.query.where.problems import InvalidTextError, WhereProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CHARS = 512
MAX_TERMS = 8
"""Words and phrases of one query."""
_TERM = re.compile(r'"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|(?P<open>")')


class Term(NamedTuple):
    """A word or a phrase."""

    words: tuple[str, ...]
    is_prefix: bool = False
    """Whether the last word is a prefix."""

    @property
    def whole_words(self) -> tuple[str, ...]:
        """The words that a text must have exactly."""
        return self.words[:-1] if self.is_prefix else self.words


class TextQuery(NamedTuple):
    """Words and phrases that one text must have, all of them."""

    terms: tuple[Term, ...]


def parse_text_query(text: str) -> TextQuery:
    """Parse a user's query; raises ``InvalidTextError`` with a message that says what to do."""
    if len(text) > MAX_CHARS:
        said = f"a text to look for has at most {MAX_CHARS} characters"
        raise _wrong(text, MAX_CHARS, said)
    terms: dict[Term, int] = {}
    for found in _TERM.finditer(text):
        if found["open"]:
            said = f'the quote at {found.start()} is not closed: end it with "'
            raise _wrong(text, found.start(), said)
        if term := _term(found):
            terms.setdefault(term, found.start())
    if not terms:
        said = f"{text!r} has no letter or digit to look for: write a word, such as refund"
        raise _wrong(text, 0, said)
    if len(terms) > MAX_TERMS:
        said = f"at most {MAX_TERMS} words and phrases are looked for at once"
        raise _wrong(text, list(terms.values())[MAX_TERMS], said)
    return TextQuery(tuple(terms))


def has_text(query: TextQuery, words: Sequence[str]) -> bool:
    """Return whether a text of these words matches: the definition for the store's answer."""
    return all(
        any(stands_at(term, words, at) for at in range(len(words) - len(term.words) + 1))
        for term in query.terms
    )


def stands_at(term: Term, words: Sequence[str], at: int) -> bool:
    """Return whether the term matches the words from this index on."""
    found = words[at : at + len(term.words)]
    if not term.is_prefix:
        return tuple(found) == term.words
    return tuple(found[:-1]) == term.whole_words and found[-1].startswith(term.words[-1])


def _term(found: re.Match[str]) -> Term | None:
    """Return the word or phrase; ``None`` where it has no letter or digit."""
    text = (found["phrase"] if found["word"] is None else found["word"]).strip()
    words = tuple(tokenize(text))
    return Term(words, text.endswith("*")) if words else None


def _wrong(text: str, begins: int, said: str) -> InvalidTextError:
    """Return the error for a problem that begins at this position."""
    return InvalidTextError(text, [WhereProblem(begins, len(text) - begins, said)], "q")
