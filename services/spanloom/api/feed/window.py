"""The newest announcements of the change feed in memory, read once for all clients."""

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

MOST_HELD = 10_000
"""Number of announcements in memory; clients that are further behind read from the store."""
PAGE = 1_000
"""Approximate number of announcements in one page."""
_TIME = attrgetter("changed_us")


class FeedFilters(NamedTuple):
    """The filters of one client."""

    reach: Reach
    where: Condition | None
    """Condition from the query parameters that have the name of a field."""
    with_judgements: bool = False
    """Whether to announce changes of annotations and scores too."""
    query: Condition | None = None
    """Condition from the parameter ``where``, which only the store can check."""

    def of(self, found: Iterable[Announcement]) -> list[Announcement]:
        """Return the announcements that pass the filters, each once.

        Announcements are the same if they announce the same version of a trajectory.
        """
        announced = (a for a in found if self.with_judgements or not a.is_judgement)
        passing = (a for a in announced if a.now is not None and self._passes(a.now))
        return list({(a.key, a.version): a for a in passing}.values())

    def _passes(self, now: ListedRun) -> bool:
        """Return whether the current state of a trajectory passes the filters."""
        return meets(now, self.where)


class Window:
    """Announcements after a position, up to the poller's current position."""

    def __init__(self, at: Position) -> None:
        """Start empty after this position."""
        self.at = at
        self._from_us = at.until_us
        self._announcements: list[Announcement] = []
        self._is_upgrading = False

    def take(self, page: FeedPage) -> bool:
        """Add the next page from the store; return whether it has new announcements."""
        known = {_identity(a) for a in self._announcements[self._place(self.at.until_us) :]}
        new = [a for a in page.announcements if _identity(a) not in known]
        for announcement in new:
            insort(self._announcements, announcement, key=_TIME)
        self.at, self._is_upgrading = page.next, page.is_upgrading
        if len(self._announcements) > MOST_HELD:
            self._from_us = self._announcements[-MOST_HELD - 1].changed_us
            del self._announcements[:-MOST_HELD]
        return bool(new)

    def reaches(self, after: Position) -> bool:
        """Return whether the window covers everything after a position."""
        return after.until_us >= self._from_us

    def page(self, filters: FeedFilters, after: Position) -> FeedPage:
        """Return the client's page of announcements after the position."""
        newer = self._announcements[self._place(after.until_us) :]
        own = [a for a in newer if filters.reach.covers(a.key.project)]
        found = cut(own, PAGE + after.shown)
        has_more = len(found) < len(own)
        until_us = self.at.until_us
        sight = Sight(until_us, until_us, until_us, until_us, until_us, self._is_upgrading)
        position = advance(found, after, sight, has_more=has_more)
        return FeedPage(filters.of(unseen(found, after)), position, has_more)

    def _place(self, after_us: int) -> int:
        return bisect_right(self._announcements, after_us, key=_TIME)


def _identity(announcement: Announcement) -> object:
    return announcement[:2], announcement.changed_us
