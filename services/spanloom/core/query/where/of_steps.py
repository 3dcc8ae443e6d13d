"""Extracts, from a ``where`` on runs, the condition on the first step in it.

``has_error and has(tool = "search" then tool = "refund")`` → ``tool = "search"``. The first ``has``
or ``count`` that is not after ``not`` counts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spanloom.core.query.where.reader import TokenKind, read_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.where.reader import Token

_SHAPES = ("has", "count")
_GO_ON = ("then", "next", "within", "under", "child")


def first_step_condition(where: str) -> str:
    """Return the condition on the first step in a ``where``; empty if there is none.

    ``parse_where`` must accept the text.
    """
    tokens = read_tokens(where)
    for at in _shapes(tokens):
        end = _end_of_step(tokens, at + 2)
        begins, ends = tokens[at + 2].position, tokens[end].position
        return where[begins:ends].strip()
    return ""


def _shapes(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the indexes of ``has (`` and ``count (``, except after ``not``."""
    denied = 0
    for at, (token, after) in enumerate(pairwise(tokens)):
        if token.is_word("not") and after.is_sign("("):
            denied = max(denied, _closing(tokens, at + 2))
        is_denied = at < denied or (at > 0 and tokens[at - 1].is_word("not"))
        if token.is_word(*_SHAPES) and after.is_sign("(") and not is_denied:
            yield at


def _closing(tokens: Sequence[Token], at: int) -> int:
    """Return the index of the bracket that closes the bracket before the token at ``at``."""
    depth = 1
    while depth and tokens[at].kind is not TokenKind.END:
        depth += tokens[at].is_sign("(") - tokens[at].is_sign(")")
        at += 1
    return at - 1


def _end_of_step(tokens: Sequence[Token], at: int) -> int:
    """Return the index of the token after the first step: ``then`` …, or the closing bracket."""
    end, depth = _closing(tokens, at), 0
    for place in range(at, end):
        depth += tokens[place].is_sign("(") - tokens[place].is_sign(")")
        if not depth and tokens[place].is_word(*_GO_ON) and _is_link(tokens[place - 1]):
            return place
    return end


def _is_link(before: Token) -> bool:
    """Return whether a word such as ``then`` is a keyword, given the token before it."""
    return not before.is_sign("=", "!=", "<", "<=", ">", ">=", "~", "!~", ":", ",", ".", "(")
