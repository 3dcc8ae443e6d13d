"""Describes problems in query texts, with positions and hints, so that a user can fix them.

The module also splits comma-separated texts, and collects the problems in all items.
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
    """The index of the first wrong character in the text, in code points from 0."""
    length: int
    """The length of the wrong text in code points; 0 if something is missing."""
    message: str
    did_you_mean: Sequence[str] = ()
    """Known names that resemble the wrong name: ``durtion`` → ``duration``."""
    expected: Sequence[str] = ()
    """The tokens that are allowed at this position."""


class InvalidTextsError(InvalidQueryError):
    """Raised for one or more invalid texts in a query, such as ``where`` and ``order``."""

    def __init__(self, texts: Sequence[InvalidTextError], message: str = "") -> None:
        """Store each text with its problems."""
        self.texts = texts
        super().__init__(message or "; ".join(map(str, texts)))


class InvalidTextError(InvalidTextsError):
    """Raised for one invalid text, with all its problems."""

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
    """Raised for an invalid ``where``."""

    parameter = "where"
    """The name of the parameter; callers with several such parameters set it."""


class UnreadableWhereError(InvalidWhereError):
    """Raised for a syntax error in a ``where``; the text after it was not parsed."""


def both(first: Callable[[], _FirstT], second: Callable[[], _SecondT]) -> tuple[_FirstT, _SecondT]:
    """Call two functions that parse texts of a query, and return both results.

    Raises ``InvalidTextsError`` with the problems in both texts, so that all are reported at once.
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
    """Return up to three names in ``known`` that resemble ``word``."""
    return get_close_matches(word.lower(), known, n=3, cutoff=0.6)


def _as_text(problem: WhereProblem) -> str:
    hint = f", did you mean {problem.did_you_mean[0]}?" if problem.did_you_mean else ""
    return f"{problem.message} (at {problem.position}){hint}"


ReadT = TypeVar("ReadT")


class Piece(NamedTuple):
    """The text between two commas, without surrounding blanks."""

    text: str
    position: int
    """Index of the item's first character in the text, in code points from 0."""

    def wrong(
        self, message: str, known: Iterable[str] = (), expected: Sequence[str] = ()
    ) -> WhereProblem:
        """Return a problem with this item; suggests names in ``known`` that resemble it, or all."""
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
    """Return a problem at the first excess item if there are too many items."""
    if len(pieces) <= most:
        return None
    begins = pieces[most].position
    return WhereProblem(begins, len(text) - begins, message)


def whole(text: str, read: Iterable[ReadT | WhereProblem], parameter: str) -> Sequence[ReadT]:
    """Return the values in ``read``; raises ``InvalidTextError`` if it contains problems."""
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
