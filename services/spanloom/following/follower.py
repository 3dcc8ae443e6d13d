"""Reads the change feed from a stored position, which survives restarts and crashes.

A follower stores its position only after the page has been processed, so that after a crash a page
is repeated and none is lost. Processing must therefore be idempotent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.access import Reach
from spanloom.core.ports.feed import PositionGoneError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.feed import Announcement, FeedReader
    from spanloom.core.ports.followers import FollowerStore
    from spanloom.core.query.positions import Position

PAGE = 1_000
"""Approximate number of announcements in one page."""
log = get_logger("following")


class FeedFollower:
    """A follower of the feed of all projects; not thread-safe.

    Example: ``while changed := follower.read(): process(changed); follower.keep()``.
    """

    def __init__(self, feed: FeedReader, places: FollowerStore, name: str) -> None:
        """Follow the feed as the follower called ``name``; the position is stored by this name."""
        self._feed = feed
        self._places = places
        self._name = name
        self._stored: Position | None = None
        self._read: Position | None = None
        self.has_more = False
        """Whether the feed had more than the last page."""

    def read(self) -> Sequence[Announcement]:
        """Return the next page, oldest first; empty if there is nothing new.

        If no position is stored, reading begins at the end of the feed, and this position is
        stored. The same page is returned until ``keep`` is called. If announcements after the
        position have been removed, the gap is logged.

        Raises ``RetryableError``.
        """
        if self._stored is None:
            self._stored = self._places.place(self._name) or self._begin()
        try:
            page = self._feed.announced(Reach.ALL, None, self._stored, PAGE)
        except PositionGoneError as error:
            log.error(
                "changes are missed: the feed does not reach back that far", follower=self._name
            )
            self._read, self.has_more = error.end, True
            return ()
        self._read, self.has_more = page.next, page.has_more
        return page.announcements

    def keep(self) -> None:
        """Store the position after the last page, which has been processed."""
        if self._read is None or self._read == self._stored:
            return
        self._places.keep_place(self._name, self._read)
        self._stored = self._read

    def forget(self) -> None:
        """Forget the position in memory; call this when this process stops following the feed."""
        self._stored = self._read = None
        self.has_more = False

    def _begin(self) -> Position:
        return begin_at_end(self._feed, self._places, self._name)


def begin_at_end(feed: FeedReader, places: FollowerStore, name: str) -> Position:
    """Store the current end of the feed as the position of a follower, and return it.

    Call it before the first rule or alert is stored, so that the follower misses no later change,
    however late it starts.
    """
    end = feed.announced(Reach.ALL, None, None, 1).next
    places.keep_place(name, end)
    return end
