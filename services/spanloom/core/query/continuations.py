"""Finds which run continues a paused run.

A person's answer to a paused run begins a new trace, which has no link to the first and shares only
the conversation. A run that received an answer continues the preceding run in the conversation, if
that run waits. Example: of the runs "Wire 500 EUR?", "yes", "and what is left?" the second
continues the first; the third continues none.
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
    """The run that a run continues, and the run that continues it."""

    resumes: str = ""
    """Trace id of the paused run that this run continues; empty if there is none."""
    resumed_by: str = ""
    """Trace id of the run that continues this paused run; empty if there is none."""


NO_CONTINUATION = Continuation()
TURNS = condition_of(default_filters())
"""The condition that selects the runs of a conversation: the default filters; no duplicates."""


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
        """Id of the run's conversation; empty if there is none."""

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for a person, or waited until another run continued it."""

    @property
    def is_resuming(self) -> bool:
        """Whether the run received the answer for which an earlier run waited."""


def may_continue(turn: Turn) -> bool:
    """Return whether the run may continue the run before it, or be continued by the next."""
    return bool(turn.conversation_id) and (turn.is_waiting or turn.is_resuming)


def find_continuations(turns: Iterable[Turn]) -> Mapping[TraceKey, Continuation]:
    """Return the continuation of each run by its key; runs without a continuation are left out.

    ``turns`` are all runs of conversations, or consecutive runs of them, in any order.
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
