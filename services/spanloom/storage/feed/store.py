"""The change feed in ClickHouse: a row for each version and for what is said, in order of time."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement, FeedPage, PositionGoneError
from spanloom.core.query.positions import Position, advance, unseen
from spanloom.storage.annotations.queues import ClickHouseAnnotationQueues
from spanloom.storage.engine.conditions import passing, within
from spanloom.storage.feed.clocks import TABLE, US
from spanloom.storage.runs.continuations import with_continuations
from spanloom.storage.runs.current import SUMMARY, read_current
from spanloom.storage.upkeep.retention import DAY_S, retained_days

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.fields import TrajectoryFilter
    from spanloom.core.query.positions import Sight
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.feed.clocks import FeedClock

EVERY = 1 << 20
"""More announcements than there are within the horizon."""


class ClickHouseFeed:
    """``FeedWriter`` over the extractor's lane and ``FeedReader`` over that of readers."""

    def __init__(self, worker: Lane, reader: Lane, feed_clock: FeedClock) -> None:
        """Take the lanes, which whoever opened them closes, and what gives rows their time."""
        self._worker = worker
        self._reader = reader
        self._feed_clock = feed_clock

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        with self.announcing(announcements):
            pass

    def announcing(self, announcements: Sequence[Announcement]) -> AbstractContextManager[None]:
        """Return a context in which to store what is announced: readers are told behind it."""
        rows = [[*a.key, a.version, a.status.value, a.start_ns, a.is_said] for a in announcements]
        return self._feed_clock.around(self._worker, rows) if rows else nullcontext()

    def announced(
        self, reach: Reach, where: TrajectoryFilter, after: Position | None, limit: int
    ) -> FeedPage:
        """See ``FeedReader.announced``."""
        sight = self._feed_clock.look(self._reader)
        if after is None:
            return FeedPage((), self._feed_end(reach, sight))
        if self._is_gone(after, sight):
            raise PositionGoneError(
                "The change feed is not kept as far back as that; list all trajectories, then go "
                "on from the position given here.",
                self._feed_end(reach, sight),
            )
        most = limit + after.shown
        found = self._behind(reach, after, sight, most)
        has_more = len(found) >= most
        new = list(self._as_they_are(unseen(found, after), reach, where))
        return FeedPage(new, advance(found, after, sight, has_more=has_more), has_more)

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``FeedReader.deleted_among``; while nothing is deleted nothing is asked."""
        found = self._reader.hiding.deleted_among(self._reader, keys)
        return {TraceKey(*key) for key in found}

    def _feed_end(self, reach: Reach, sight: Sight) -> Position:
        """Return the position behind all that is visible."""
        quiet = Position(sight.quiet_us)
        return advance(self._behind(reach, quiet, sight, EVERY), quiet, sight)

    def _is_gone(self, after: Position, sight: Sight) -> bool:
        """Whether the position is older than what is kept, or not of this store."""
        if after.seen_us > sight.now_us:
            return True
        if not 0 < after.until_us < sight.now_us - DAY_S * US:
            return False
        days = retained_days(self._reader, TABLE)
        return days > 0 and after.until_us < sight.now_us - days * DAY_S * US

    def _behind(
        self, reach: Reach, after: Position, sight: Sight, most: int
    ) -> Sequence[Announcement]:
        if after.until_us >= sight.shown_us:
            return ()
        rows = self._reader.rows(
            "announcements",
            reach=within(reach),
            after_us=after.until_us,
            until_us=sight.shown_us,
            most=most,
        )
        return list(map(_announcement_of, rows))

    def _as_they_are(
        self, found: Sequence[Announcement], reach: Reach, where: TrajectoryFilter
    ) -> Iterator[Announcement]:
        """Yield announcements with what their trajectories are now: here filters are applied."""
        lines = read_current(self._reader, passing(where), (a.key for a in found), SUMMARY)
        current = {line.key: line for line in with_continuations(self._reader, lines)}
        withheld = self._withheld(reach) if any(a.is_said for a in found) else frozenset()
        shown = ((a, current.get(a.key)) for a in found)
        return (
            a._replace(now=None if a.is_said and a.key in withheld else now) for a, now in shown
        )

    def _withheld(self, reach: Reach) -> AbstractSet[TraceKey]:
        queues = ClickHouseAnnotationQueues(self._reader, self._reader)
        return withheld_from_all(queues, reach)


def _announcement_of(row: Row) -> Announcement:
    """Return a row of ``announcements.sql`` as an announcement."""
    return Announcement(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        status=Status(row.Status),
        start_ns=row.StartTimeUnixNano,
        changed_us=row.changed,
        is_said=row.IsSaid,
    )
