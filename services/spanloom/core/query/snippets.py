"""The piece of a text around the matches, with their positions: plain text, no markup."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.text_query import stands_at
from spanloom.core.query.tokens import place_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.text_query import TextQuery
    from spanloom.core.query.tokens import Token

SNIPPET_CHARS = 200
BEFORE_CHARS = 60
"""How much of the text comes before the first match."""
CUT = "…"


class Mark(NamedTuple):
    """The position of a match: the index of its first character, and of the one after it."""

    start: int
    end: int


class Snippet(NamedTuple):
    """A piece of a text, and the matches in it."""

    text: str
    marks: Sequence[Mark]


def make_snippet(text: str, query: TextQuery) -> Snippet:
    """Return the text around the first match; without a match the beginning of the text.

    A long text is read only as far as the snippet reaches.
    """
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
            if at >= 0 and stands_at(term, words, at):
                yield Mark(last[at].start, token.end)


def _apart(marks: Sequence[Mark]) -> Sequence[Mark]:
    """Return the same matches in order, overlapping ones merged."""
    apart: list[Mark] = []
    for mark in sorted(marks):
        if apart and mark.start < apart[-1].end:
            apart[-1] = Mark(apart[-1].start, max(apart[-1].end, mark.end))
        else:
            apart.append(mark)
    return apart
