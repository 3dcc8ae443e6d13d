"""Finds which run continues a paused one; the person's answer begins a new trace without a link.

The two share only the conversation. A run that received an answer continues the preceding run of
the conversation, if that run waits: of "Wire 500 EUR?", "yes", "and what is left?" the second
continues the first, the third continues none.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.query.selection import condition_of
from spanloom.core.records.run_filters import default_filters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import TraceKey


class Continuation(NamedTuple):
    """The runs of a conversation that a run continues and that continue it."""

    resumes: str = ""
    """Trace id of the paused run that this run continues, or empty."""
    resumed_by: str = ""
    """Trace id of the run that continues this paused run, or empty."""


NO_CONTINUATION = Continuation()
TURNS = condition_of(default_filters())
"""The condition for the runs of a conversation: the default filters, which exclude duplicates."""


class Turn(Protocol):
    """A run of a conversation."""

    @property
    def key(self) -> TraceKey:
        """The key of the run's trace."""

    @property
    def start_ns(self) -> int:
        """Start of the run, in nanoseconds since the epoch."""

    @property
    def conversation_id(self) -> str:
        """Id of the run's conversation, or empty."""

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for a person, or waited until another run continued it."""

    @property
    def is_resuming(self) -> bool:
        """Whether the run received the answer for which an earlier run waited."""


def may_continue(turn: Turn) -> bool:
    """Return whether the preceding and following runs of a run need to be looked up."""
    return bool(turn.conversation_id) and (turn.is_waiting or turn.is_resuming)


def find_continuations(turns: Iterable[Turn]) -> Mapping[TraceKey, Continuation]:
    """Return how runs continue each other; runs without a continuation are left out.

    ``turns`` are the runs of whole conversations, or consecutive runs of them, in any order.
    """
    found: dict[TraceKey, Continuation] = {}
    in_conversations = sorted((turn for turn in turns if turn.conversation_id), key=_IN_ORDER)
    for _, conversation in groupby(in_conversations, _CONVERSATION):
        for before, after in pairwise(conversation):
            if before.is_waiting and after.is_resuming:
                resumed = found.get(before.key, NO_CONTINUATION)
                found[before.key] = resumed._replace(resumed_by=after.key.trace_id)
                found[after.key] = Continuation(resumes=before.key.trace_id)
    return found


_CONVERSATION = attrgetter("key.project", "conversation_id")
_IN_ORDER = attrgetter("key.project", "conversation_id", "start_ns", "key.trace_id")
