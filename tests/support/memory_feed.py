"""The change feed in memory: what is announced is visible at once, at a time of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.support.memory_trajectories import MemoryTrajectories

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.ports.feed import Announcement, FeedPage, PositionGoneError
from spanloom.core.query.fields import matches
from spanloom.core.query.positions import Position, Sight, advance, cut, unseen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from tests.support.memory_annotations import MemoryAnnotations

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.fields import TrajectoryFilter


class MemoryFeed(MemoryTrajectories):
    """What was announced, oldest first."""

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        with self._lock:
            at_us = max(self.clock_ns() // 1000, self._newest_us + 1)
            told = [a._replace(changed_us=at_us) for a in announcements]
            self._announced += [a for a in told if a.key not in self._deleted]

    def announced(
        self, reach: Reach, where: TrajectoryFilter, after: Position | None, limit: int
    ) -> FeedPage:
        """See ``FeedReader.announced``."""
        with self._lock:
            end_us, now_us = self._newest_us, max(self._newest_us, self.clock_ns() // 1000)
            sight = Sight(end_us, end_us, end_us, now_us)
            if after is None:
                return FeedPage((), Position(end_us))
            if after.seen_us > now_us:
                raise PositionGoneError("It is of the future.", Position(end_us))
            behind = [a for a in self._announced if a.changed_us > after.until_us]
            own = [a for a in behind if reach.covers(a.key.project)]
            found = cut(own, limit + after.shown)
            has_more = len(found) < len(own)
            wanted = {line.key: line for line in self._lines() if matches(where, line)}
        withheld = withheld_from_all(cast("MemoryAnnotations", self), reach)
        shown = ((a, wanted.get(a.key)) for a in unseen(found, after))
        new = [a._replace(now=None if a.is_said and a.key in withheld else now) for a, now in shown]
        return FeedPage(new, advance(found, after, sight, has_more=has_more), has_more)

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``FeedReader.deleted_among``."""
        return self._deleted.intersection(keys)

    @property
    def _newest_us(self) -> int:
        return self._announced[-1].changed_us if self._announced else 1
