"""What is wrong with the texts of a question, told so that their reader can mend it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.core.errors import InvalidQueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_FirstT = TypeVar("_FirstT")
_SecondT = TypeVar("_SecondT")


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


class InvalidTextsError(InvalidQueryError):
    """Texts of a question ask for what cannot be answered: ``where`` and ``order``, say."""

    def __init__(self, texts: Sequence[InvalidTextError], message: str = "") -> None:
        """Keep each text with its problems."""
        self.texts = texts
        super().__init__(message or "; ".join(map(str, texts)))


class InvalidTextError(InvalidTextsError):
    """One text that asks for nothing that can be answered; it has every problem at once."""

    def __init__(self, text: str, problems: Sequence[WhereProblem], parameter: str = "") -> None:
        """Keep the text, to point into it, and the problems in the order of their positions."""
        self.text = text
        self.problems = sorted(problems)
        self.parameter = parameter or self.parameter
        super().__init__([self], "; ".join(map(_told, self.problems)))

    def __str__(self) -> str:
        """Name the parameter, then every problem."""
        return f"{self.parameter}: {self.args[0]}"


class InvalidWhereError(InvalidTextError):
    """A ``where`` that asks for nothing that can be answered."""

    parameter = "where"
    """What the text was given as; whoever asks for several says which."""


class UnreadableWhereError(InvalidWhereError):
    """A ``where`` that breaks off the grammar: what stands behind the last problem was not read."""


def both(first: Callable[[], _FirstT], second: Callable[[], _SecondT]) -> tuple[_FirstT, _SecondT]:
    """Return what two parts of a question ask for.

    Raises ``InvalidTextsError`` with what is wrong in either, so that all of it is told at once.
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
    """Return up to three of the known words that look like this one."""
    return get_close_matches(word.lower(), known, n=3, cutoff=0.6)


def _told(problem: WhereProblem) -> str:
    meant = f", did you mean {problem.did_you_mean[0]}?" if problem.did_you_mean else ""
    return f"{problem.message} (at {problem.position}){meant}"
