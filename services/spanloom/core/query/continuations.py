"""Which run goes on with which: a person's answer begins a new trace, which names no other.

What the two have in common is the conversation. A run that was given an answer goes on with the run
just before it there, if that one waits: of "Wire 500 EUR?", "yes", "and what is left?" the second
goes on with the first, the third with nothing.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.query.shorts import condition_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import TraceKey


class Continuation(NamedTuple):
    """The neighbours of a run in its conversation, as far as one goes on with the other."""

    resumes: str = ""
    """The trace of the run that waited for the answer which this one was given, or empty."""
    resumed_by: str = ""
    """The trace of the run that was given the answer for which this one waited, or empty."""


NO_CONTINUATION = Continuation()
TURNS = condition_of({"duplicate": False, "has_steps": True})
"""Which traces of a conversation are runs of it: what only repeats one comes between no two."""


class Turn(Protocol):
    """A run of a conversation."""

    @property
    def key(self) -> TraceKey:
        """Its trace."""

    @property
    def start_ns(self) -> int:
        """When it began."""

    @property
    def conversation_id(self) -> str:
        """Its conversation, or empty."""

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person, or did before another run went on."""

    @property
    def is_resuming(self) -> bool:
        """Whether it was given the answer for which an earlier run waited."""


def may_continue(turn: Turn) -> bool:
    """Return whether it is worth looking at the neighbours of a run."""
    return bool(turn.conversation_id) and (turn.is_waiting or turn.is_resuming)


def find_continuations(turns: Iterable[Turn]) -> Mapping[TraceKey, Continuation]:
    """Return how runs continue each other; those that do not are left out.

    Wanted are the runs of whole conversations, or neighbours in them, in any order.
    """
    found: dict[TraceKey, Continuation] = {}
    talking = sorted((turn for turn in turns if turn.conversation_id), key=_IN_ORDER)
    for _, talk in groupby(talking, _CONVERSATION):
        for before, after in pairwise(talk):
            if before.is_waiting and after.is_resuming:
                resumed = found.get(before.key, NO_CONTINUATION)
                found[before.key] = resumed._replace(resumed_by=after.key.trace_id)
                found[after.key] = Continuation(resumes=before.key.trace_id)
    return found


_CONVERSATION = attrgetter("key.project", "conversation_id")
_IN_ORDER = attrgetter("key.project", "conversation_id", "start_ns", "key.trace_id")
