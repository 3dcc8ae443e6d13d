"""What is wrong with a ``where``, told so that its reader can mend it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import InvalidQueryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class WhereProblem(NamedTuple):
    """One thing that is wrong, and where it stands."""

    position: int
    """Of its first character in the text, in code points from 0."""
    length: int
    """Code points that it takes; 0 where something is missing."""
    message: str
    did_you_mean: Sequence[str] = ()
    """What resembles the word that is wrong: ``durtion`` → ``duration``."""
    expected: Sequence[str] = ()
    """What may stand here."""


class InvalidWhereError(InvalidQueryError):
    """A ``where`` that asks for nothing that can be answered; it has every problem at once."""

    parameter = "where"
    """What the text was given as; whoever asks for several says which."""

    def __init__(self, text: str, problems: Sequence[WhereProblem]) -> None:
        """Keep the text, to point into it, and the problems in the order of their positions."""
        self.text = text
        self.problems = sorted(problems)
        super().__init__("; ".join(f"{p.message} (at {p.position})" for p in self.problems))


class UnreadableWhereError(InvalidWhereError):
    """A ``where`` that breaks off the grammar: what stands behind the last problem was not read."""


def resembling(word: str, known: Iterable[str]) -> Sequence[str]:
    """Return up to three of the known words that look like this one."""
    return get_close_matches(word.lower(), known, n=3, cutoff=0.6)
