"""Shows traces that could not be built as failed; retries get rarer (``readiness.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.core.extraction.build import describe_unreadable
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.extractor.extract import EXTRACTOR_VERSION
from spanloom.extractor.records import make_record
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from spanloom.core.ports.building import BuildingStore
    from spanloom.extractor.readiness import PendingTrace

log = get_logger("extractor")


def show_failure(store: BuildingStore, trace: PendingTrace, arrived: int, error: Exception) -> None:
    """Store a document that shows the error, unless one built from spans is stored.

    Its span count is the larger of ``arrived`` and discovery's count, because the store's count may
    lag. Its sequence is 0, so any build from spans replaces it. If the store fails, the next
    attempt tries again. It is announced after each attempt, since a process may have died between
    storing and announcing it.
    """
    try:
        head = store.trajectories.heads([trace.key]).get(trace.key)
        if head is not None and head.seq:
            return
        span_count = max(arrived, trace.span_count)
        trajectory = describe_unreadable(
            trace.key, trace.first_accepted_ns, span_count, error, EXTRACTOR_VERSION
        )
        record = make_record(trace.key, trajectory, Status.FAILED, seq=0, head=head)
        if record is not None:
            store.trajectories.write([record])
            store.feed.announce([record.announcement])
        elif head is not None:
            stored = Announcement(trace.key, head.version, Status.FAILED, head.start_ns)
            store.feed.announce([stored])
    except SpanloomError as trouble:
        log.warning("a failure could not be shown", trace_id=trace.key.trace_id, error=str(trouble))
