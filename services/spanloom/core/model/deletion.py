"""A deletion: which traces are to go for good, who asked for it, and how many they were."""

from __future__ import annotations

from dataclasses import dataclass

from spanloom.core.model.tenancy import Reach


@dataclass(frozen=True, slots=True)
class DeletionScope:
    """Which traces to delete: those within reach that meet every condition; ``None`` is none.

    Example: ``DeletionScope(Reach.only("travel"), start_before_ns=...)`` is everything of a project
    that started before a time. A scope that is everything is refused by whoever takes it.
    """

    reach: Reach
    trace_id: str | None = None
    conversation_id: str | None = None
    start_before_ns: int | None = None
    """Any span of the trace, or its root, started before this time (ns since the epoch)."""

    @property
    def is_everything(self) -> bool:
        """Whether every trace of every project is in scope."""
        return self == DeletionScope(Reach.ALL)


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion as it is recorded, for good: who, when, what, how many."""

    id: str
    """Later deletions have greater ids."""
    scope: DeletionScope
    requested_at_ns: int
    requested_by: str
    traces: int = 0
    spans: int = 0
    """How many spans had arrived of them, repeats included."""
    step: int = 0
    """Grows with each record of the same deletion: the highest counts."""
    is_over: bool = False
    """Whether its time is over: what arrives of its traces now is stored again."""
    until_seq: int = 0
    """The newest sequence that it covers, stored or still in a spool (see ``Spool``).

    Sequences are microseconds; where a collector's clock was ahead the stored ones are later than
    the request, and the store takes the newest of them in its place.
    """


def new_deletion(scope: DeletionScope, requested_by: str, now_ns: int) -> Deletion:
    """Return a deletion that is asked for now, and not carried out yet."""
    now_us = now_ns // 1_000
    return Deletion(f"{now_us:016x}", scope, now_ns, requested_by, until_seq=now_us)
