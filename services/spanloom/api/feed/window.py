"""The newest part of the change feed in memory: read from the store once, for everybody."""

from __future__ import annotations

from bisect import bisect_right, insort
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.feed import FeedPage
from spanloom.core.query.positions import Position, Sight, advance, cut, unseen
from spanloom.core.query.shorts import meets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.query.summaries import ListedRun
    from spanloom.core.query.where.tree import Condition

KEPT = 10_000
"""Who is further behind than so many announcements reads from the store."""
PAGE = 1_000
"""About so many announcements are given at one time."""
_TIME = attrgetter("changed_us")


class Wanted(NamedTuple):
    """What one reader wants of the feed."""

    reach: Reach
    where: Condition | None
    """What its filters ask for."""
    with_said: bool = False
    """Whether to tell also that annotations or scores changed."""
    asked: Condition | None = None
    """What a trajectory has to be besides, which the store knows."""

    def of(self, found: Iterable[Announcement]) -> list[Announcement]:
        """Return what the reader wants, each version once, and once that something was said."""
        seen = (a for a in found if self.with_said or not a.is_said)
        wanted = (a for a in seen if a.now is not None and self._passes(a.now))
        return list({(a.key, a.version): a for a in wanted}.values())

    def _passes(self, now: ListedRun) -> bool:
        """Whether a trajectory, as it is now, passes the filters."""
        return meets(now, self.where)


class Window:
    """Announcements behind a time, as far as a poller has come."""

    def __init__(self, at: Position) -> None:
        """Begin behind this position, with nothing."""
        self.at = at
        self._from_us = at.until_us
        self._kept: list[Announcement] = []

    def take(self, page: FeedPage) -> bool:
        """Take in what the store told next; return whether any of it is new."""
        known = {_identity(a) for a in self._kept[self._place(self.at.until_us) :]}
        new = [a for a in page.announcements if _identity(a) not in known]
        for announcement in new:
            insort(self._kept, announcement, key=_TIME)
        self.at = page.next
        if len(self._kept) > KEPT:
            self._from_us = self._kept[-KEPT - 1].changed_us
            del self._kept[:-KEPT]
        return bool(new)

    def reaches(self, after: Position) -> bool:
        """Return whether everything behind a position is here, or will be."""
        return after.until_us >= self._from_us

    def page(self, wanted: Wanted, after: Position) -> FeedPage:
        """Return what a reader wants of all that lies behind the position."""
        behind = self._kept[self._place(after.until_us) :]
        own = [a for a in behind if wanted.reach.covers(a.key.project)]
        found = cut(own, PAGE + after.shown)
        has_more = len(found) < len(own)
        until_us = self.at.until_us
        sight = Sight(until_us, until_us, until_us, until_us)
        position = advance(found, after, sight, has_more=has_more)
        return FeedPage(wanted.of(unseen(found, after)), position, has_more)

    def _place(self, after_us: int) -> int:
        return bisect_right(self._kept, after_us, key=_TIME)


def _identity(announcement: Announcement) -> object:
    return announcement[:2], announcement.changed_us
