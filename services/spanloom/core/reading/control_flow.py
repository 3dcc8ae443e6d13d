"""How frameworks pause and hand over: by raising what is no failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Sequence


class ControlFlow(NamedTuple):
    """What a framework raises without having failed; a dialect declares its framework's."""

    types: Collection[str] = ()
    """Exception types without their package: ``GraphInterrupt`` of ``langgraph.errors``."""
    texts: Collection[re.Pattern[str]] = ()
    """Searched in the error's message, where the type is lost: ``interrupt signal: ID=``."""
    pauses: Collection[str] = ()
    """Those of the types by which a run waits for a person."""
    questions: Sequence[Callable[[str], str]] = ()
    """Each reads what a person is asked out of a pause's message; empty if it tells nothing."""

    def is_raised_by(self, exception_type: str) -> bool:
        """Return whether the type is one of these: ``langgraph.errors.GraphInterrupt`` is."""
        return exception_type.rpartition(".")[2] in self.types

    def is_told_by(self, message: str) -> bool:
        """Return whether the message has one of the texts."""
        return any(text.search(message) for text in self.texts)

    def read_question(self, message: str) -> str:
        """Return what a person is asked; empty if the message does not tell."""
        return next((asked for read in self.questions if (asked := read(message))), "")


def join_control_flow(declared: Iterable[ControlFlow]) -> ControlFlow:
    """Return all of them together, each once."""
    every = list(declared)
    return ControlFlow(
        frozenset(name for one in every for name in one.types),
        frozenset(text for one in every for text in one.texts),
        frozenset(name for one in every for name in one.pauses),
        tuple(dict.fromkeys(read for one in every for read in one.questions)),
    )
