"""Delivers changes to many clients: one poller reads the store for all of them.

A client whose position is older than the window in memory reads from the store until the window
reaches its position. From then on it causes no further reads of the store, and reads the window
with its own filters at its own pace.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from spanloom.api.feed.window import PAGE, FeedFilters, Window
from spanloom.core.errors import OverloadedError, RetryableError
from spanloom.core.model.access import Reach
from spanloom.core.ports.feed import FeedPage, PositionGoneError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from spanloom.api.http.bounds import BoundedCalls
    from spanloom.core.ports.feed import FeedReader
    from spanloom.core.ports.reading import RunReader
    from spanloom.core.query.positions import Position
    from spanloom.metrics import Metrics

MOST_READERS = 100
POLL_S = 0.25
LINGER_S = 10.0
"""Seconds that the poller continues without clients: polling clients leave between requests."""
LOOK_UP_S = 1.0
"""Seconds between checks of a waiting client's connection."""
FULL_RETRY_S = 5.0
EVERYTHING = (Reach.ALL, None)
log = get_logger("api")


class Feed:
    """The change feed of one process; call all methods except ``stop`` from its event loop."""

    def __init__(
        self,
        feed: FeedReader,
        runs: RunReader,
        calls: BoundedCalls,
        metrics: Metrics,
        most_readers: int = MOST_READERS,
    ) -> None:
        """Set the store to read from; nothing is read before the first client."""
        self._feed = feed
        self._runs = runs
        self._calls = calls
        self._metrics = metrics
        self._most_readers = most_readers
        self._readers = 0
        self._window: Window | None = None
        self._news = asyncio.Event()
        self._poller: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_stopping = False

    def enter(self) -> None:
        """Add a client and start the poller; raises ``OverloadedError`` if there are too many."""
        if self._readers >= self._most_readers:
            raise OverloadedError(
                f"{self._readers} readers follow the change feed already, and no more may; close "
                "some, or try again later.",
                FULL_RETRY_S,
            )
        self._readers += 1
        self._metrics.feed_readers.set(self._readers)
        self._loop = asyncio.get_running_loop()
        if self._poller is None or self._poller.done():
            self._poller = self._loop.create_task(self._poll())

    def leave(self) -> None:
        """Remove a client."""
        self._readers -= 1
        self._metrics.feed_readers.set(self._readers)

    def stop(self) -> None:
        """End every wait at once; may be called from any thread."""
        self.is_stopping = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the event loop is closed, so no client waits
                self._loop.call_soon_threadsafe(self._news.set)

    async def close(self) -> None:
        """End the poller."""
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.wait([self._poller])

    async def end(self, filters: FeedFilters) -> Position:
        """Return the position after the newest stored announcement."""
        page = await self._calls.run(self._feed.announced, *filters[:2], None, PAGE)
        return page.next

    async def next_page(
        self,
        filters: FeedFilters,
        after: Position,
        wait_s: float,
        is_gone: Callable[[], Awaitable[bool]] | None = None,
    ) -> FeedPage:
        """Return the client's announcements after a position as soon as there are any.

        After ``wait_s`` seconds, when the service stops, or when the client ``is_gone``, the page
        has only a position. Raises ``PositionGoneError`` or ``RetryableError``.
        """
        until = asyncio.get_running_loop().time() + wait_s
        news, page = self._news, await self._read_now(filters, after)
        while True:
            after = page.next
            left_s = until - asyncio.get_running_loop().time()
            if page.announcements or left_s <= 0 or self.is_stopping:
                return page
            if not page.has_more and await _passes(news, left_s, is_gone):
                return page
            news, page = self._news, await self._read(filters, after)

    async def _read_now(self, filters: FeedFilters, after: Position) -> FeedPage:
        """Read the window; if it has nothing, read the store, which may be one poll ahead of it."""
        if self._window is not None and self._window.reaches(after):
            page = await self._read_window(self._window, filters, after)
            if page.announcements:
                return page
        return await self._read_store(filters, after)

    async def _read(self, filters: FeedFilters, after: Position) -> FeedPage:
        if self._window is not None and self._window.reaches(after):
            return await self._read_window(self._window, filters, after)
        return await self._read_store(filters, after)

    async def _read_window(self, window: Window, filters: FeedFilters, after: Position) -> FeedPage:
        """Return announcements from the window, except for runs that have been deleted since."""
        page = window.page(filters, after)
        if not page.announcements:
            return page
        keys = [one.key for one in page.announcements]
        deleted = await self._calls.run(self._feed.deleted_among, keys)
        left = [one for one in page.announcements if one.key not in deleted]
        return await self._matching(filters, page._replace(announcements=left))

    async def _read_store(self, filters: FeedFilters, after: Position) -> FeedPage:
        found = await self._calls.run(self._feed.announced, *filters[:2], after, PAGE)
        page = found._replace(announcements=filters.of(found.announcements))
        return await self._matching(filters, page)

    async def _matching(self, filters: FeedFilters, page: FeedPage) -> FeedPage:
        """Return the page with only the announcements whose trajectories meet ``filters.query``."""
        if filters.query is None or not page.announcements:
            return page
        keys = list({one.key for one in page.announcements})
        found = await self._calls.run(self._runs.matching_among, keys, filters.reach, filters.query)
        left = [one for one in page.announcements if one.key in found]
        return page._replace(announcements=left)

    async def _poll(self) -> None:
        """Keep the window up to date while there are clients, and ``LINGER_S`` longer."""
        unread_s = 0.0
        try:
            while unread_s < LINGER_S:
                rest_s = await self._look()
                await asyncio.sleep(rest_s)
                unread_s = 0.0 if self._readers else unread_s + rest_s
        except Exception:
            log.exception("the change feed is not read ahead until the next request for it")
        finally:
            self._window = None
            self._wake()

    async def _look(self) -> float:
        """Read the next page; wake clients if it has announcements. Return the seconds to sleep."""
        try:
            if self._window is None:
                self._window = Window(await self.end(FeedFilters(*EVERYTHING)))
                self._wake()  # waiting readers may lack announcements before the window
                return 0.0
            page = await self._calls.run(self._feed.announced, *EVERYTHING, self._window.at, PAGE)
        except RetryableError as error:
            return max(POLL_S, error.retry_after_s)
        except PositionGoneError:
            self._window = None
            return POLL_S
        if self._window.take(page):
            self._wake()
        return 0.0 if page.has_more else POLL_S

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


async def _passes(
    news: asyncio.Event, seconds: float, is_gone: Callable[[], Awaitable[bool]] | None
) -> bool:
    """Wait for announcements; return whether none came in time, or the client disconnected."""
    until = asyncio.get_running_loop().time() + seconds
    while (left_s := until - asyncio.get_running_loop().time()) > 0:
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), min(left_s, LOOK_UP_S))
            return False
        if is_gone is not None and await is_gone():
            return True
    return True
