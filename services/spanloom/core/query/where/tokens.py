"""The words of a ``where``: names, strings, numbers, signs, each with its position in the text."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.problems import UnreadableWhereError, WhereProblem

if TYPE_CHECKING:
    from collections.abc import Iterator


class TokenKind(Enum):
    """The kind of a word."""

    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    SIGN = "sign"
    END = "end"


class Token(NamedTuple):
    """One word of the text."""

    kind: TokenKind
    text: str
    """As written; for a string its value, without quotes and escapes."""
    position: int
    length: int

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of the keywords, in any case: ``AND``, ``and``."""
        return self.kind is TokenKind.NAME and self.text.lower() in words

    def is_sign(self, *signs: str) -> bool:
        """Return whether this is one of the signs: ``(``, ``<=``."""
        return self.kind is TokenKind.SIGN and self.text in signs


_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
  | (?P<name>[^\W\d]\w*)
  | (?P<number>-?\d+(?:\.\d+)?(?:[A-Za-z]+)?)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<sign><=|>=|!=|!~|[=<>~:(),.])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"\\": "\\", '"': '"', "'": "'", "n": "\n"}


_ESCAPES = [r"\\", r"\"", r"\'", r"\n", r"\uXXXX"]


def read_tokens(text: str) -> list[Token]:
    """Return the words of a text, the last one its end.

    Raises ``UnreadableWhereError`` at a character that begins no word, and at a string that does
    not end.
    """
    return [*_tokens(text), Token(TokenKind.END, "", len(text), 0)]


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise UnreadableWhereError(text, [_unreadable(text, at)])
        kind = found.lastgroup or ""
        if kind != "blank":
            written = found.group()
            meant = _unquoted(text, found) if kind == "string" else written
            yield Token(TokenKind(kind), meant, at, len(written))
        at = found.end()


def _unreadable(text: str, at: int) -> WhereProblem:
    if text[at] in "\"'":
        return WhereProblem(at, len(text) - at, "this string has no end", expected=[text[at]])
    return WhereProblem(at, 1, f"{text[at]!r} means nothing here; texts stand in quotes")


def _unquoted(text: str, found: re.Match[str]) -> str:
    def meant(escape: re.Match[str]) -> str:
        what = escape.group(1)
        if what in _ESCAPED:
            return _ESCAPED[what]
        if len(what) > 1 and not _is_half(number := int(what[1:], 16)):
            return chr(number)
        at, length = found.start() + 1 + escape.start(), len(escape.group())
        problem = WhereProblem(at, length, f"{escape.group()} is no escape", expected=_ESCAPES)
        raise UnreadableWhereError(text, [problem])

    return _ESCAPE.sub(meant, found.group()[1:-1])


def _is_half(code_point: int) -> bool:
    """Return whether it is a UTF-16 surrogate, which no valid text has alone."""
    return 0xD800 <= code_point <= 0xDFFF
