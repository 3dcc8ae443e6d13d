"""Steps through the words of a ``where``, and collects its problems."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from spanloom.core.query.where.limits import MAX_BYTES, MAX_COMPARISONS, MAX_DEPTH
from spanloom.core.query.where.problems import UnreadableWhereError, WhereProblem
from spanloom.core.query.where.tokens import TokenKind, read_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.where.tokens import Token


class TokenReader:
    """The words of one text, read one after the other.

    A syntax error ends the reading (``fail``); a problem of a field or its value does not
    (``report``), so that all of them are reported at once.
    """

    def __init__(self, text: str) -> None:
        """Split the text into words; raises ``UnreadableWhereError`` where that is not possible."""
        self.text = text
        self.problems: list[WhereProblem] = []
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            raise UnreadableWhereError(
                text, [WhereProblem(0, len(text), f"longer than {MAX_BYTES} bytes")]
            )
        self._tokens = read_tokens(text)
        self._at = 0
        self._depth = 0
        self._comparisons = 0

    @property
    def here(self) -> Token:
        """The next word, without consuming it."""
        return self._tokens[self._at]

    def take(self) -> Token:
        """Consume the next word and return it; the end is never consumed."""
        token = self.here
        if token.kind is not TokenKind.END:
            self._at += 1
        return token

    def takes_word(self, *words: str) -> bool:
        """Consume the next word if it is one of the keywords; return whether it was."""
        return self._takes(self.here.is_word(*words))

    def takes_sign(self, *signs: str) -> bool:
        """Consume the next word if it is one of the signs; return whether it was."""
        return self._takes(self.here.is_sign(*signs))

    def demand_sign(self, sign: str) -> None:
        """Consume a required sign, or fail."""
        if not self.takes_sign(sign):
            self.fail(f"{sign} is missing", expected=[sign])

    @contextmanager
    def one_deeper(self) -> Iterator[None]:
        """Return a context for reading nested content; fails where it is too deep."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH}")
        yield
        self._depth -= 1

    def count_comparison(self) -> None:
        """Count a comparison that begins here; fails where it is one too many."""
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            self.fail(f"more than {MAX_COMPARISONS} comparisons")

    def fail(self, message: str, expected: Sequence[str] = ()) -> NoReturn:
        """Raise ``UnreadableWhereError`` with the problem here and all earlier ones."""
        at = self.here
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
        """Record a problem of some words, and continue."""
        length = last.position + last.length - first.position
        problem = WhereProblem(
            first.position, length, message, tuple(did_you_mean), tuple(expected)
        )
        self.problems.append(problem)

    def _takes(self, is_it: bool) -> bool:
        if is_it:
            self._at += 1
        return is_it
