"""Deletions: which traces to delete permanently, who requested it, how many were deleted."""

from __future__ import annotations

from dataclasses import dataclass

from spanloom.core.model.tenancy import Reach


@dataclass(frozen=True, slots=True)
class DeletionScope:
    """Which traces to delete: those within reach that meet every condition that is not ``None``.

    Example: ``DeletionScope(Reach.only("travel"), start_before_ns=...)`` is everything of a project
    that started before a time. Callers must refuse a scope that is everything.
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
    """The permanent record of a deletion: who, when, what, how many."""

    id: str
    """Later deletions have greater ids."""
    scope: DeletionScope
    requested_at_ns: int
    requested_by: str
    traces: int = 0
    spans: int = 0
    """How many spans of them had arrived, repeats included."""
    step: int = 0
    """Grows with each record of the same deletion: the highest counts."""
    is_over: bool = False
    """Whether it has expired: new spans of its traces are stored again."""
    until_seq: int = 0
    """The newest sequence that it covers, stored or still in a spool (see ``Spool``).

    Sequences are microseconds. If a collector's clock was ahead, stored sequences are later than
    the time of the request; then the store uses the newest of them instead.
    """


def new_deletion(scope: DeletionScope, requested_by: str, now_ns: int) -> Deletion:
    """Return a deletion that is requested now and not carried out yet."""
    now_us = now_ns // 1_000
    return Deletion(f"{now_us:016x}", scope, now_ns, requested_by, until_seq=now_us)
