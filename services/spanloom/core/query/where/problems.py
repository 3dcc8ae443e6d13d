"""Problems in the texts of a query, with positions and hints so that a user can fix them.

Comma-separated texts are split here, and the problems of all their items collected.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.core.errors import InvalidQueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_FirstT = TypeVar("_FirstT")
_SecondT = TypeVar("_SecondT")


class WhereProblem(NamedTuple):
    """One problem and its position."""

    position: int
    """The index of its first character in the text, in code points from 0."""
    length: int
    """Its length in code points; 0 if something is missing."""
    message: str
    did_you_mean: Sequence[str] = ()
    """Known names that resemble the wrong one: ``durtion`` → ``duration``."""
    expected: Sequence[str] = ()
    """The tokens that are allowed at this position."""


class InvalidTextsError(InvalidQueryError):
    """Invalid texts of a query, such as ``where`` and ``order``."""

    def __init__(self, texts: Sequence[InvalidTextError], message: str = "") -> None:
        """Store each text with its problems."""
        self.texts = texts
        super().__init__(message or "; ".join(map(str, texts)))


class InvalidTextError(InvalidTextsError):
    """One invalid text, with all its problems."""

    def __init__(self, text: str, problems: Sequence[WhereProblem], parameter: str = "") -> None:
        """Store the text, for display with the problems, and the problems ordered by position."""
        self.text = text
        self.problems = sorted(problems)
        self.parameter = parameter or self.parameter
        super().__init__([self], "; ".join(map(_as_text, self.problems)))

    def __str__(self) -> str:
        """Return the name of the parameter, then every problem."""
        return f"{self.parameter}: {self.args[0]}"


class InvalidWhereError(InvalidTextError):
    """An invalid ``where``."""

    parameter = "where"
    """The name of the parameter; callers with several parameters pass it."""


class UnreadableWhereError(InvalidWhereError):
    """A ``where`` with a syntax error: the text after the last problem was not parsed."""


def both(first: Callable[[], _FirstT], second: Callable[[], _SecondT]) -> tuple[_FirstT, _SecondT]:
    """Return two parsed components of a query.

    Raises ``InvalidTextsError`` with the problems of both, so that all are reported at once.
    """
    try:
        read = first()
    except InvalidTextsError as error:
        try:
            second()
        except InvalidTextsError as other:
            raise InvalidTextsError([*error.texts, *other.texts]) from other
        raise
    return read, second()


def resembling(word: str, known: Iterable[str]) -> Sequence[str]:
    """Return up to three of the known names that resemble this one."""
    return get_close_matches(word.lower(), known, n=3, cutoff=0.6)


def _as_text(problem: WhereProblem) -> str:
    hint = f", did you mean {problem.did_you_mean[0]}?" if problem.did_you_mean else ""
    return f"{problem.message} (at {problem.position}){hint}"


ReadT = TypeVar("ReadT")


class Piece(NamedTuple):
    """The text between two commas, without surrounding blanks."""

    text: str
    position: int
    """Index of its first character, in code points from 0."""

    def wrong(
        self, message: str, known: Iterable[str] = (), expected: Sequence[str] = ()
    ) -> WhereProblem:
        """Return the problem of an item, with the known names that resemble it, or all names."""
        alike, allowed = tuple(resembling(self.text, known)), tuple(expected or known)
        hint = "" if alike or expected or not allowed else f"; it is one of {', '.join(allowed)}"
        return WhereProblem(self.position, len(self.text), message + hint, alike, allowed)


def pieces_of(text: str) -> Iterator[Piece]:
    """Yield the items between commas, including empty items."""
    at = 0
    for written in text.split(","):
        begins = at + len(written) - len(written.lstrip())
        yield Piece(written.strip(), begins)
        at += len(written) + 1


def too_many(text: str, pieces: Sequence[Piece], most: int, message: str) -> WhereProblem | None:
    """Return the problem that there are too many items, at the first excess item."""
    if len(pieces) <= most:
        return None
    begins = pieces[most].position
    return WhereProblem(begins, len(text) - begins, message)


def whole(text: str, read: Iterable[ReadT | WhereProblem], parameter: str) -> Sequence[ReadT]:
    """Return the values of all items; raises ``InvalidTextError`` with every problem."""
    found: list[ReadT] = []
    problems: list[WhereProblem] = []
    for one in read:
        if isinstance(one, WhereProblem):
            problems.append(one)
        else:
            found.append(one)
    if problems:
        raise InvalidTextError(text, problems, parameter)
    return found
