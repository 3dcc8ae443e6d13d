"""Splits a ``where`` into tokens within size limits, and provides them to the parser."""

from __future__ import annotations

import re
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.query.where.problems import UnreadableWhereError, WhereProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Size limits, so that no ``where`` overloads the store by its size alone.
MAX_DEPTH = 32
"""Maximum depth of nested parentheses, including ``not``, ``has`` and ``count``."""
MAX_COMPARISONS = 64
MAX_STEPS_IN_SHAPE = 6
"""Maximum number of steps in one ``has``."""
MAX_WITHIN = 1000
"""Maximum number after ``within``, because RE2 allows no more repetitions."""
MAX_VALUES = 200
"""Maximum number of values after ``in``."""
MAX_REGEX_CHARS = 256
MAX_WORDS = 8
"""Maximum number of words in one full-text condition."""


class TokenKind(Enum):
    """The kind of a token."""

    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    SIGN = "sign"
    END = "end"


class Token(NamedTuple):
    """One token of the text."""

    kind: TokenKind
    text: str
    """The text as written; for a string, its value without quotes and escapes."""
    position: int
    length: int

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of the keywords, ignoring case: ``AND``, ``and``."""
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
  | (?P<sign><=|>=|!=|!~|[=<>~:(),.+\-*/])
    """,
    re.VERBOSE | re.DOTALL,
)
KEYWORDS = frozenset(
    ("and", "child", "count", "exists", "has", "in", "next", "not", "of", "or", "then", "under")
) | {"within"}
JOINING = ("+", "-", "*", "/")
"""Arithmetic signs, which combine two numbers."""
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"\\": "\\", '"': '"', "'": "'", "n": "\n"}
_ESCAPES = [r"\\", r"\"", r"\'", r"\n", r"\uXXXX"]


def read_tokens(text: str) -> list[Token]:
    """Split a text into tokens; the last token marks the end.

    Raises ``UnreadableWhereError`` at a character that begins no token, and at a string that does
    not end.
    """
    return [*_tokens(text), Token(TokenKind.END, "", len(text), 0)]


def _tokens(text: str) -> Iterator[Token]:
    at, before = 0, _NOTHING
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise UnreadableWhereError(text, [_unreadable(text, at)])
        kind, written = found.lastgroup or "", found.group()
        if kind == "number" and written.startswith("-") and _is_operand(before):
            kind, written = "sign", "-"
        if kind != "blank":
            value = _unquoted(text, found) if kind == "string" else written
            yield (before := Token(TokenKind(kind), value, at, len(written)))
        at += len(written)


def _is_operand(token: Token) -> bool:
    """Return whether a minus after this token subtracts: ``steps -1``, not ``within -1``."""
    if token.kind is TokenKind.NAME:
        return token.text.lower() not in KEYWORDS
    return token.kind is TokenKind.NUMBER or token.is_sign(")")


_NOTHING = Token(TokenKind.END, "", 0, 0)


def _unreadable(text: str, at: int) -> WhereProblem:
    if text[at] in "\"'":
        return WhereProblem(at, len(text) - at, "this string has no end", expected=[text[at]])
    return WhereProblem(at, 1, f"{text[at]!r} means nothing here; put texts in quotes")


def _unquoted(text: str, found: re.Match[str]) -> str:
    def unescape(escape: re.Match[str]) -> str:
        what = escape.group(1)
        if what in _ESCAPED:
            return _ESCAPED[what]
        if len(what) > 1 and not _is_half(number := int(what[1:], 16)):
            return chr(number)
        at, length = found.start() + 1 + escape.start(), len(escape.group())
        problem = WhereProblem(at, length, f"{escape.group()} is no escape", expected=_ESCAPES)
        raise UnreadableWhereError(text, [problem])

    return _ESCAPE.sub(unescape, found.group()[1:-1])


def _is_half(code_point: int) -> bool:
    """Return whether a code point is a UTF-16 surrogate, which no valid text has alone."""
    return 0xD800 <= code_point <= 0xDFFF


class TokenReader:
    """The tokens of one text, consumed one after the other.

    A syntax error ends parsing (``fail``); a problem with a field or its value does not
    (``report``), so that all problems are reported at once.
    """

    def __init__(self, text: str) -> None:
        """Split the text into tokens; raises ``UnreadableWhereError`` as ``read_tokens`` does."""
        self.text = text
        self.problems: list[WhereProblem] = []
        if len(text.encode("utf-8", "replace")) > MAX_WHERE_BYTES:
            raise UnreadableWhereError(
                text, [WhereProblem(0, len(text), f"longer than {MAX_WHERE_BYTES} bytes")]
            )
        self._tokens = read_tokens(text)
        self._at = 0
        self._depth = 0
        self._comparisons = 0

    @property
    def here(self) -> Token:
        """The next token, without consuming it."""
        return self._tokens[self._at]

    def ahead(self, count: int) -> Token:
        """Return the token ``count`` places after the next token, at most the end token."""
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Consume the next token and return it; the end token is never consumed."""
        token = self.here
        if token.kind is not TokenKind.END:
            self._at += 1
        return token

    def takes_word(self, *words: str) -> bool:
        """Consume the next token if it is one of the keywords; return whether it was consumed."""
        return self._takes(self.here.is_word(*words))

    def takes_sign(self, *signs: str) -> bool:
        """Consume the next token if it is one of the signs; return whether it was consumed."""
        return self._takes(self.here.is_sign(*signs))

    def demand_sign(self, sign: str) -> None:
        """Consume the sign; fail if the next token is a different one."""
        if not self.takes_sign(sign):
            self.fail(f"{sign} is missing", expected=[sign])

    @contextmanager
    def one_deeper(self) -> Iterator[None]:
        """Return a context manager for parsing nested content; fail if it is nested too deeply."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH}")
        yield
        self._depth -= 1

    def count_comparison(self) -> None:
        """Count a comparison that begins here; fail if there are too many."""
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            self.fail(f"more than {MAX_COMPARISONS} comparisons")

    def fail(self, message: str, expected: Sequence[str] = ()) -> NoReturn:
        """Raise ``UnreadableWhereError`` with all problems so far and one at the next token."""
        at = self.here
        if at.is_sign(*JOINING):
            message = f"{at.text!r} joins numbers here; put texts in quotes"
        self.report(at, at, message, expected=expected)
        raise UnreadableWhereError(self.text, self.problems)

    def report(
        self,
        first: Token,
        last: Token,
        message: str,
        did_you_mean: Sequence[str] = (),
        expected: Sequence[str] = (),
    ) -> None:
        """Record a problem with the tokens from ``first`` to ``last``, and continue."""
        length = last.position + last.length - first.position
        problem = WhereProblem(
            first.position, length, message, tuple(did_you_mean), tuple(expected)
        )
        self.problems.append(problem)

    def _takes(self, is_it: bool) -> bool:
        if is_it:
            self._at += 1
        return is_it
