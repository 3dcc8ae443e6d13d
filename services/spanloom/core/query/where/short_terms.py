"""Splits a line with short forms: ``type:tool -is:annotated "rate limit"`` → three terms.

The module knows the syntax, not the fields; ``short_forms.py`` translates each term.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

_STRING = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_NAME = r"[^\W\d]\w*"
_KEY = rf"(?:\.(?:{_NAME}|{_STRING}))*"
_SIGN = r"<=|>=|!=|!~|[=<>~:]"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_BLANK = _pattern(r"\s*")
_MINUS = _pattern(r"-(?=[^\s-])")
_KEYWORD = _pattern(r"(and|or|not)(?=[\s()\"'-]|$)")
_QUOTED = _pattern(_STRING)
_SHAPE = _pattern(r"(?:has|count)\s*\(")
_OPEN = _pattern(r"\(")
_STATE = _pattern(rf"is:({_NAME})")
_SCORE = _pattern(rf"score:\s*({_NAME}|{_STRING})(?=\s*(?:{_SIGN}|exists\b|in\b|not\b))")
_FIELD = _pattern(rf"({_NAME})({_KEY})")
_EXISTS = _pattern(r"\s+exists\b")
_AMONG = _pattern(r"\s+(?:not\s+)?in\s*\(")
_OPERATOR = _pattern(rf"\s*:?({_SIGN})\s*")
_COUNTED = _pattern(rf"\s*(?:{_SIGN})\s*\d+")
_VALUE = _pattern(rf"{_STRING}|[^\s()\"'][^\s()]*")
_BARE = _pattern(r"[^\s()]+")
_NEXT_BRACKET = _pattern(rf"[^()\"']*({_STRING}|[()])")


class Is(Enum):
    """The kind of a term."""

    AND = "and"
    OR = "or"
    NOT = "not"
    VERBATIM = "verbatim"
    """A string, or a ``has(…)`` or ``count(…)``, in the syntax of ``where``."""
    INSIDE = "inside"
    """Terms in parentheses."""
    BARE = "bare"
    """A single word."""
    STATE = "state"
    """The word after ``is:``."""
    COMPARE = "compare"


KEYWORDS = (Is.AND, Is.OR, Is.NOT)


class Term(NamedTuple):
    """A term in a line with short forms."""

    kind: Is
    text: str = ""
    is_denied: bool = False
    """Whether a minus precedes the term."""
    name: str = ""
    """For a comparison: the field, its key with the leading dot, the operator and the value."""
    key: str = ""
    operator: str = ""
    value: str = ""


class _NoTermError(Exception):
    """Raised if a quote or a parenthesis has no end, or a value is missing."""


def split_terms(line: str) -> list[Term] | None:
    """Return the terms; ``None`` if a quote or parenthesis has no end, or a value is missing."""
    reader, found = _Reader(line), []
    try:
        while not reader.is_at_end():
            is_denied = reader.takes(_MINUS) is not None
            term = reader.term()
            if is_denied and term.kind in KEYWORDS:
                return None
            found.append(term._replace(is_denied=is_denied))
    except _NoTermError:
        return None
    return found


class _Reader:
    """Parses the terms in a line one after the other."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def is_at_end(self) -> bool:
        self.takes(_BLANK)
        return self._at >= len(self._text)

    def takes(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def term(self) -> Term:
        """Parse the term at the current index; raises ``_NoTermError``."""
        start = self._at
        if keyword := self.takes(_KEYWORD):
            return Term(Is(keyword[1].lower()), keyword[1].lower())
        if self.takes(_QUOTED):
            return self._piece(Is.VERBATIM, start)
        if self.takes(_SHAPE):
            self._close()
            self.takes(_COUNTED)
            return self._piece(Is.VERBATIM, start)
        if self.takes(_OPEN):
            self._close()
            return Term(Is.INSIDE, self._text[start + 1 : self._at - 1])
        if state := self.takes(_STATE):
            return Term(Is.STATE, state[1])
        return self._comparison(start) or self._bare(start)

    def _bare(self, start: int) -> Term:
        if self._text[start] == '"' or not self.takes(_BARE):
            raise _NoTermError
        return self._piece(Is.BARE, start)

    def _comparison(self, start: int) -> Term | None:
        """Parse a comparison at the current index; ``None`` if there is none."""
        if scored := self.takes(_SCORE):
            name, key = "score", f".{scored[1]}"
        elif named := self.takes(_FIELD):
            name, key = named[1], named[2]
        else:
            return None
        end = self._at
        if self.takes(_EXISTS):
            return Term(Is.VERBATIM, f"{name}{key} exists")
        if self.takes(_AMONG):
            self._close()
            return Term(Is.VERBATIM, name + key + self._text[end : self._at])
        sign = self.takes(_OPERATOR)
        if sign is None:
            self._at = start
            return None
        value = self.takes(_VALUE)
        if value is None:
            raise _NoTermError
        return Term(Is.COMPARE, "", name=name, key=key, operator=sign[1], value=value[0])

    def _close(self) -> None:
        """Move past the parenthesis that closes the one just opened."""
        depth = 1
        while depth:
            found = self.takes(_NEXT_BRACKET)
            if found is None:
                raise _NoTermError
            depth += {"(": 1, ")": -1}.get(found[1], 0)

    def _piece(self, kind: Is, start: int) -> Term:
        return Term(kind, self._text[start : self._at])
