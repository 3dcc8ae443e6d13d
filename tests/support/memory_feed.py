"""In-memory change feed: announcements are visible at once, each with its own time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_lines import MemoryListing
from tests.support.memory_queues import MemoryQueues

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.ports.feed import Announcement, FeedPage, PositionGoneError
from spanloom.core.query.lists import meets
from spanloom.core.query.positions import Position, Sight, advance, cut, unseen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.query.where.tree import Condition


class MemoryFeed(MemoryListing):
    """The announcements, oldest first."""

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        self._state.announce(announcements)

    def announce_missing(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce_missing``."""
        known = {(a.key, a.version) for a in self._state.announced}
        self.announce([a for a in announcements if (a.key, a.version) not in known])

    def announced(
        self, reach: Reach, where: Condition | None, after: Position | None, limit: int
    ) -> FeedPage:
        """See ``FeedReader.announced``."""
        with self._state.lock:
            end_us, now_us = (
                self._state.newest_us,
                max(self._state.newest_us, self._state.clock_ns() // 1000),
            )
            sight = Sight(end_us, end_us, end_us, now_us, end_us)
            if after is None:
                return FeedPage((), Position(end_us))
            if after.until_us > now_us:
                raise PositionGoneError("It is of the future.", Position(end_us))
            behind = [a for a in self._state.announced if a.changed_us > after.until_us]
            own = [a for a in behind if reach.covers(a.key.project)]
            found = cut(own, limit + after.shown)
            has_more = len(found) < len(own)
            wanted = {line.key: line for line in self._lines.all() if meets(line, where)}
        withheld = withheld_from_all(MemoryQueues(self._state), reach)
        shown = ((a, wanted.get(a.key)) for a in unseen(found, after))
        new = [
            a._replace(now=None if a.is_judgement and a.key in withheld else now)
            for a, now in shown
        ]
        return FeedPage(new, advance(found, after, sight, has_more=has_more), has_more)

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``FeedReader.deleted_among``."""
        return self._state.deleted.intersection(keys)
