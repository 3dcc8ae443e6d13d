"""Parses full-text queries (words, phrases, prefixes), and finds matches and snippets.

``rate limit`` are two words, anywhere in one text. ``"rate limit"`` is a phrase of two
consecutive words. A word that the index splits is a phrase too: ``ORD-1234`` is ``ord``,
then ``1234``; ``退款`` is ``退``, then ``款``. ``kubern*`` matches any word with this prefix,
``"rate lim*"`` a phrase whose last word has the prefix.

Case, and whether accents are composed, make no difference. ``words.py`` defines what a word is.
Example: ``Order ORD-1234: 退款`` has ``order``, ``ord``, ``1234``, ``退`` and ``款``.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.problems import InvalidTextError, WhereProblem
from spanloom.core.query.words import composed, place_tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.words import Token

MAX_CHARS = 512
MAX_TERMS = 8
"""Maximum number of words and phrases in a query."""
_TERM = re.compile(r'"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|(?P<open>")')


class Term(NamedTuple):
    """A word or a phrase."""

    words: tuple[str, ...]
    is_prefix: bool = False
    """Whether the last word is a prefix."""

    @property
    def whole_words(self) -> tuple[str, ...]:
        """The words that a text must contain as whole words, not as prefixes."""
        return self.words[:-1] if self.is_prefix else self.words


class TextQuery(NamedTuple):
    """A query: words and phrases, all of which one text must contain."""

    terms: tuple[Term, ...]


def parse_text_query(text: str) -> TextQuery:
    """Parse a user's query; raises ``InvalidTextError`` with a message and its position."""
    if len(text) > MAX_CHARS:
        message = f"a text to look for has at most {MAX_CHARS} characters"
        raise _wrong(text, MAX_CHARS, message)
    terms: dict[Term, int] = {}
    for found in _TERM.finditer(text):
        if found["open"]:
            message = f'the quote at {found.start()} is not closed: end it with "'
            raise _wrong(text, found.start(), message)
        if term := _term(found):
            terms.setdefault(term, found.start())
    if not terms:
        message = f"{text!r} has no letter or digit to search for: write a word, such as refund"
        raise _wrong(text, 0, message)
    if len(terms) > MAX_TERMS:
        message = f"at most {MAX_TERMS} words and phrases can be searched for at once"
        raise _wrong(text, list(terms.values())[MAX_TERMS], message)
    return TextQuery(tuple(terms))


def has_text(query: TextQuery, words: Sequence[str]) -> bool:
    """Return whether a text with these words matches; the store must return the same result."""
    return all(
        any(matches_at(term, words, at) for at in range(len(words) - len(term.words) + 1))
        for term in query.terms
    )


def matches_at(term: Term, words: Sequence[str], at: int) -> bool:
    """Return whether the term matches the words from this index on."""
    found = words[at : at + len(term.words)]
    if not term.is_prefix:
        return tuple(found) == term.words
    return tuple(found[:-1]) == term.whole_words and found[-1].startswith(term.words[-1])


def _term(found: re.Match[str]) -> Term | None:
    """Return the word or phrase; ``None`` if it has no letter or digit."""
    text = (found["phrase"] if found["word"] is None else found["word"]).strip()
    words = tuple(tokenize(text))
    return Term(words, text.endswith("*")) if words else None


def _wrong(text: str, begins: int, message: str) -> InvalidTextError:
    """Return an error with a message about the rest of a query from index ``begins`` on."""
    return InvalidTextError(text, [WhereProblem(begins, len(text) - begins, message)], "q")


SNIPPET_CHARS = 200
BEFORE_CHARS = 60
"""Maximum number of characters in a snippet before the first match."""
CUT = "…"


class Mark(NamedTuple):
    """The position of a match: the index of its first character, and the index after its last."""

    start: int
    end: int


class Snippet(NamedTuple):
    """An excerpt of a text, and the matches in it."""

    text: str
    marks: Sequence[Mark]


def make_snippet(text: str, query: TextQuery) -> Snippet:
    """Return the text around the first match; if there is none, the beginning of the text.

    A long text is scanned only as far as the snippet reaches. Accents are composed in the snippet.
    """
    text = composed(text)
    marks = _marks(text, query)
    first = next(marks, Mark(0, 0))
    begin = max(first.start - BEFORE_CHARS, 0)
    end = min(begin + max(SNIPPET_CHARS, first.end - begin), len(text))
    near = [first] if first.end else []
    near += _until(marks, end)
    head, tail = CUT if begin else "", CUT if end < len(text) else ""
    shift = len(head) - begin
    shown = [Mark(mark.start + shift, mark.end + shift) for mark in near]
    return Snippet(head + text[begin:end] + tail, _apart(shown))


def _until(marks: Iterator[Mark], end: int) -> Iterator[Mark]:
    for mark in marks:
        if mark.end > end:
            return
        yield mark


def _marks(text: str, query: TextQuery) -> Iterator[Mark]:
    """Yield the matches of all terms in the order of their ends."""
    longest = max(len(term.words) for term in query.terms)
    last: deque[Token] = deque(maxlen=longest)
    for token in place_tokens(text):
        last.append(token)
        words = [each.word for each in last]
        for term in query.terms:
            at = len(words) - len(term.words)
            if at >= 0 and matches_at(term, words, at):
                yield Mark(last[at].start, token.end)


def _apart(marks: Sequence[Mark]) -> Sequence[Mark]:
    """Sort matches, and merge overlapping matches."""
    apart: list[Mark] = []
    for mark in sorted(marks):
        if apart and mark.start < apart[-1].end:
            apart[-1] = Mark(apart[-1].start, max(apart[-1].end, mark.end))
        else:
            apart.append(mark)
    return apart
