"""Which run continues which: a person's answer begins a new trace, which names no other.

The two share only the conversation. A run that was given an answer continues the run just before
it in the conversation, if that one waits: of "Wire 500 EUR?", "yes", "and what is left?" the
second continues the first, the third continues none.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.query.question import condition_of
from spanloom.core.records.run_filters import default_filters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import TraceKey


class Continuation(NamedTuple):
    """The neighbours of a run in its conversation that continue it or that it continues."""

    resumes: str = ""
    """The trace of the run that waited for the answer which this one was given, or empty."""
    resumed_by: str = ""
    """The trace of the run that was given the answer for which this one waited, or empty."""


NO_CONTINUATION = Continuation()
TURNS = condition_of(default_filters())
"""Which traces of a conversation count as its runs: those that only repeat one do not."""


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
        """Whether it waits for a person, or did until another run continued it."""

    @property
    def is_resuming(self) -> bool:
        """Whether it was given the answer for which an earlier run waited."""


def may_continue(turn: Turn) -> bool:
    """Return whether the neighbours of a run need to be looked up."""
    return bool(turn.conversation_id) and (turn.is_waiting or turn.is_resuming)


def find_continuations(turns: Iterable[Turn]) -> Mapping[TraceKey, Continuation]:
    """Return how runs continue each other; those that do not are left out.

    ``turns`` are the runs of whole conversations, or neighbours in them, in any order.
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
