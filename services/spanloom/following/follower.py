"""Reads the change feed from a place that outlasts restarts and crashes.

Reading and taking in are apart: a follower keeps its place only after what it read is stored, so
that a crash repeats a page and loses none. Whoever follows must bear a repeated page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.access import Reach
from spanloom.core.ports.feed import PositionGoneError
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.feed import Announcement, FeedReader
    from spanloom.core.ports.followers import FollowerStore
    from spanloom.core.query.positions import Position

PAGE = 1_000
"""Approximate number of announcements in one page."""
log = get_logger("following")


class FeedFollower:
    """One follower of the feed of all projects; not thread-safe.

    Example: ``while changed := follower.read(): take_in(changed); follower.keep()``.
    """

    def __init__(self, feed: FeedReader, places: FollowerStore, name: str) -> None:
        """Follow under a name, under which the place is kept."""
        self._feed = feed
        self._places = places
        self._name = name
        self._kept: Position | None = None
        self._read: Position | None = None
        self.has_more = False
        """Whether the feed had more than the last page."""

    def read(self) -> Sequence[Announcement]:
        """Return the next page, oldest first; empty if there is nothing new.

        Without a kept place it begins at the end of the feed, which is then kept. The same page
        comes again until ``keep`` is called. What the feed no longer has is logged, and left out.

        Raises ``RetryableError``.
        """
        if self._kept is None:
            self._kept = self._places.place(self._name) or self._begin()
        try:
            page = self._feed.announced(Reach.ALL, None, self._kept, PAGE)
        except PositionGoneError as error:
            log.error("changes are missed: the feed is not kept for so long", follower=self._name)
            self._read, self.has_more = error.end, True
            return ()
        self._read, self.has_more = page.next, page.has_more
        return page.announcements

    def keep(self) -> None:
        """Keep the place after the page that was read last: all of it is taken in."""
        if self._read is None or self._read == self._kept:
            return
        self._places.keep_place(self._name, self._read)
        self._kept = self._read

    def forget(self) -> None:
        """Forget the place in memory: another process follows now, or there is nothing to do."""
        self._kept = self._read = None
        self.has_more = False

    def _begin(self) -> Position:
        return begin_at_end(self._feed, self._places, self._name)


def begin_at_end(feed: FeedReader, places: FollowerStore, name: str) -> Position:
    """Let a follower begin at the present end of the feed, and return that place.

    To be called before the first work of a follower that had none is stored: what comes after that
    is not missed, however late the follower notices.
    """
    end = feed.announced(Reach.ALL, None, None, 1).next
    places.keep_place(name, end)
    return end
