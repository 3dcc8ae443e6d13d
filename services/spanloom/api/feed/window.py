"""The newest part of the change feed in memory: read from the store once, for all readers."""

from __future__ import annotations

from bisect import bisect_right, insort
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.feed import FeedPage
from spanloom.core.query.lists import meets
from spanloom.core.query.positions import Position, Sight, advance, cut, unseen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition

KEPT = 10_000
"""Number of announcements in memory; readers that are further behind read from the store."""
PAGE = 1_000
"""Approximate number of announcements in one page."""
_TIME = attrgetter("changed_us")


class Wanted(NamedTuple):
    """The filters of one reader."""

    reach: Reach
    where: Condition | None
    """Condition of the short filters."""
    with_judgements: bool = False
    """Whether to announce changes of annotations and scores too."""
    asked: Condition | None = None
    """Condition of the parameter ``where``, which only the store can check."""

    def of(self, found: Iterable[Announcement]) -> list[Announcement]:
        """Return the announcements that pass the filters, without duplicates.

        One for each version of a trajectory, and one for changed annotations or scores.
        """
        seen = (a for a in found if self.with_judgements or not a.is_judgement)
        wanted = (a for a in seen if a.now is not None and self._passes(a.now))
        return list({(a.key, a.version): a for a in wanted}.values())

    def _passes(self, now: ListedRun) -> bool:
        """Return whether the current state of a trajectory passes the filters."""
        return meets(now, self.where)


class Window:
    """Announcements after a position, up to the poller's current one."""

    def __init__(self, at: Position) -> None:
        """Start empty after this position."""
        self.at = at
        self._from_us = at.until_us
        self._kept: list[Announcement] = []
        self._is_upgrading = False

    def take(self, page: FeedPage) -> bool:
        """Add the next page from the store; return whether any of it is new."""
        known = {_identity(a) for a in self._kept[self._place(self.at.until_us) :]}
        new = [a for a in page.announcements if _identity(a) not in known]
        for announcement in new:
            insort(self._kept, announcement, key=_TIME)
        self.at, self._is_upgrading = page.next, page.is_upgrading
        if len(self._kept) > KEPT:
            self._from_us = self._kept[-KEPT - 1].changed_us
            del self._kept[:-KEPT]
        return bool(new)

    def reaches(self, after: Position) -> bool:
        """Return whether the window covers everything after a position."""
        return after.until_us >= self._from_us

    def page(self, wanted: Wanted, after: Position) -> FeedPage:
        """Return the reader's page of announcements after the position."""
        behind = self._kept[self._place(after.until_us) :]
        own = [a for a in behind if wanted.reach.covers(a.key.project)]
        found = cut(own, PAGE + after.shown)
        has_more = len(found) < len(own)
        until_us = self.at.until_us
        sight = Sight(until_us, until_us, until_us, until_us, until_us, self._is_upgrading)
        position = advance(found, after, sight, has_more=has_more)
        return FeedPage(wanted.of(unseen(found, after)), position, has_more)

    def _place(self, after_us: int) -> int:
        return bisect_right(self._kept, after_us, key=_TIME)


def _identity(announcement: Announcement) -> object:
    return announcement[:2], announcement.changed_us
