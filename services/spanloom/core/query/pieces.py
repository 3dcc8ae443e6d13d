"""Comma-separated texts split into pieces with their positions, to point at problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.core.query.where.problems import InvalidTextError, WhereProblem, resembling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ReadT = TypeVar("ReadT")


class Piece(NamedTuple):
    """The text between two commas, without surrounding blanks."""

    text: str
    position: int
    """Of its first character, in code points from 0."""

    def wrong(
        self, message: str, known: Iterable[str] = (), expected: Sequence[str] = ()
    ) -> WhereProblem:
        """Return the problem of a piece, with known names that resemble it, else all of them."""
        alike, may_stand = tuple(resembling(self.text, known)), tuple(expected or known)
        hint = (
            "" if alike or expected or not may_stand else f"; it is one of {', '.join(may_stand)}"
        )
        return WhereProblem(self.position, len(self.text), message + hint, alike, may_stand)


def pieces_of(text: str) -> Iterator[Piece]:
    """Yield the pieces between commas, empty ones too."""
    at = 0
    for written in text.split(","):
        begins = at + len(written) - len(written.lstrip())
        yield Piece(written.strip(), begins)
        at += len(written) + 1


def too_many(text: str, pieces: Sequence[Piece], most: int, message: str) -> WhereProblem | None:
    """Return the problem that there are too many pieces, from the first excess one on."""
    if len(pieces) <= most:
        return None
    begins = pieces[most].position
    return WhereProblem(begins, len(text) - begins, message)


def whole(text: str, read: Iterable[ReadT | WhereProblem], parameter: str) -> Sequence[ReadT]:
    """Return the values of all pieces; raises ``InvalidTextError`` with every problem."""
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
