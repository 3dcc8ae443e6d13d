"""What became of a batch of traces: told to discovery, to progress and to the metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.feed import Announcement


@dataclass(slots=True)
class BatchResult:
    """What became of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """Each built trace to the newest span version that went in; 0 if it has no spans."""
    arrived: dict[TraceKey, int] = field(default_factory=dict)
    """Each trace to how many spans had arrived before it was read."""
    statuses: dict[TraceKey, Status] = field(default_factory=dict)
    """Each built trace to what it is: discovery may not know of a root, or of a recovery."""
    written: set[TraceKey] = field(default_factory=set)
    """Those whose trajectory is new or differs."""
    kept: set[TraceKey] = field(default_factory=set)
    """Those of which spans have expired: the document that has them stays."""
    stored: dict[TraceKey, Announcement] = field(default_factory=dict)
    """Each trace whose stored trajectory stays, to what would have announced it."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: list[TraceKey] = field(default_factory=list)
    """Stored traces that repeat a call of this batch: they have to be built again."""
    span_count: int = 0
    services: set[tuple[str, str]] = field(default_factory=set)
    """Who sent the spans that were read: projects and services."""

    def add(self, other: BatchResult) -> None:
        """Add what became of other traces."""
        self.seqs |= other.seqs
        self.arrived |= other.arrived
        self.statuses |= other.statuses
        self.written |= other.written
        self.kept |= other.kept
        self.stored |= other.stored
        self.failures |= other.failures
        self.repeated_elsewhere += other.repeated_elsewhere
        self.span_count += other.span_count
        self.services |= other.services
