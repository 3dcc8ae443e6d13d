"""The change feed in ClickHouse: rows for versions, annotations and scores, in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement, FeedPage, PositionGoneError
from spanloom.core.query.positions import Position, advance, unseen
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.feed.clocks import TABLE, US, was_enough
from spanloom.storage.runs.current import SUMMARY, read_current, with_continuations
from spanloom.storage.upkeep.retention import DAY_S, retained_days
from spanloom.storage.where.compile import passing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.annotations import QueueReader
    from spanloom.core.query.positions import Sight
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.feed.clocks import Announcer, FeedClock

EVERY = 1 << 20
"""A limit above any number of announcements within ``HORIZON_S``."""
TWICE_WITHIN_S = 6 * 3600
"""Seconds within which equal announcements by two processes are recognised as duplicates."""


class ClickHouseFeed:
    """The change feed: writes with an ``Announcer``, and reads with the readers' connection."""

    def __init__(
        self, reader: Connection, feed_clock: FeedClock, announcer: Announcer, queues: QueueReader
    ) -> None:
        """Use the connection, which the caller closes, and the queues that may withhold changes."""
        self._reader = reader
        self._feed_clock = feed_clock
        self._announcer = announcer
        self._queues = queues

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        self._announcer.announce(announcements)

    def announce_missing(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce_missing``."""
        self._announcer.announce_missing(announcements)

    def announced(
        self, reach: Reach, where: tree.Condition | None, after: Position | None, limit: int
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
        found = self._after(reach, after, sight, most)
        has_more = len(found) >= most
        first = self._first_of_each(unseen(found, after), after)
        new = list(self._as_they_are(first, reach, where))
        position = advance(found, after, sight, has_more=has_more)
        return FeedPage(new, position, has_more, sight.is_upgrading)

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``FeedReader.deleted_among``; runs no query while nothing is deleted."""
        found = self._reader.hiding.deleted_among(self._reader, keys)
        return {TraceKey(*key) for key in found}

    def _feed_end(self, reach: Reach, sight: Sight) -> Position:
        """Return the position after all visible rows."""
        quiet = Position(sight.quiet_us)
        return advance(self._after(reach, quiet, sight, EVERY), quiet, sight)

    def _is_gone(self, after: Position, sight: Sight) -> bool:
        """Return whether the position is older than the stored rows, or not from this store."""
        if after.until_us > sight.now_us:
            return True
        if not 0 < after.until_us < sight.now_us - DAY_S * US:
            return False
        days = retained_days(self._reader, TABLE)
        return days > 0 and after.until_us < sight.now_us - days * DAY_S * US

    def _after(
        self, reach: Reach, after: Position, sight: Sight, most: int
    ) -> Sequence[Announcement]:
        if after.until_us >= sight.shown_us:
            return ()
        rows = self._reader.rows(
            "announcements",
            reach=within(reach),
            after_us=after.until_us,
            until_us=sight.shown_us,
            numberless_us=sight.numberless_us,
            most=most,
        )
        return list(map(_announcement_of, rows))

    def _first_of_each(
        self, new: Sequence[Announcement], after: Position
    ) -> Sequence[Announcement]:
        """Leave out versions that were announced twice and that the reader has seen before.

        A process that was suspended between storing and announcing a version announces it when it
        resumes, and the process that has replaced it announces it too. A single writer announces no
        version twice.
        """
        if not any(a.writer for a in new):
            return new
        shown: dict[tuple[TraceKey, int], list[Announcement]] = {}
        since_us = max(min(a.changed_us for a in new) - TWICE_WITHIN_S * US, 0)
        for some in batched([a.key for a in new if not a.is_judgement]):
            rows = self._reader.rows("announcements_of", keys=some, since_us=since_us)
            for stored in map(_announcement_of, rows):
                if after.has_shown(stored):
                    shown.setdefault((stored.key, stored.version), []).append(stored)
        kept: dict[object, Announcement] = {}
        for announcement in new:
            version = (announcement.key, announcement.version)
            if announcement.is_judgement:
                kept[announcement.writer, announcement.number] = announcement
            elif not any(was_enough(other, announcement) for other in shown.get(version, ())):
                kept.setdefault(version, announcement)
        return list(kept.values())

    def _as_they_are(
        self, found: Sequence[Announcement], reach: Reach, where: tree.Condition | None
    ) -> Iterator[Announcement]:
        """Yield announcements with their current trajectories, if these pass the filter."""
        lines = read_current(self._reader, passing(where), (a.key for a in found), SUMMARY)
        current = {line.key: line for line in with_continuations(self._reader, lines)}
        is_any_said = any(a.is_judgement for a in found)
        withheld = withheld_from_all(self._queues, reach) if is_any_said else frozenset()
        shown = ((a, current.get(a.key)) for a in found)
        return (
            a._replace(now=None if a.is_judgement and a.key in withheld else now)
            for a, now in shown
        )


def _announcement_of(row: Row) -> Announcement:
    """Return a row of ``announcements.sql`` as an announcement."""
    return Announcement(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        status=Status(row.Status),
        start_ns=row.StartTimeUnixNano,
        changed_us=row.changed,
        is_judgement=row.IsSaid,
        writer=row.Writer,
        number=row.Number,
        is_repeated=row.IsAgain,
    )
