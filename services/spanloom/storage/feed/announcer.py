"""Writes the change feed."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from spanloom.core.ports.feed import Announcement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.feed.clocks import FeedClock


class Announcer:
    """Writes rows of the feed over the extractor's lane."""

    def __init__(self, worker: Lane, feed_clock: FeedClock) -> None:
        """Use the lane, which the caller closes, and the clock that sets the time of rows."""
        self._worker = worker
        self._feed_clock = feed_clock

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        with self.announcing(announcements):
            pass

    def telling(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.telling``."""
        return self.announcing(
            [Announcement.of_said(key) for key in dict.fromkeys(keys) if key.trace_id]
        )

    def announcing(self, announcements: Sequence[Announcement]) -> AbstractContextManager[None]:
        """Return a context for storing what is announced: readers see the rows after it."""
        rows = [[*a.key, a.version, a.status.value, a.start_ns, a.is_said] for a in announcements]
        return self._feed_clock.around(self._worker, rows) if rows else nullcontext()
