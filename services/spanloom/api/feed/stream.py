"""The change feed as server-sent events, as a browser's ``EventSource`` reads them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from spanloom.core.errors import InvalidQueryError, RetryableError
from spanloom.core.ports.feed import PositionGoneError
from spanloom.core.query.feed_tokens import encode_token
from spanloom.core.query.positions import Recent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import Receive, Scope, Send

    from spanloom.api.feed.feed import Feed
    from spanloom.api.feed.window import FeedFilters
    from spanloom.core.ports.feed import Announcement, FeedPage
    from spanloom.core.query.positions import Position

EVENT_STREAM = "text/event-stream"
ALIVE_S = 15.0
"""Seconds without an event after which a comment is sent, to keep the connection alive."""
RECONNECT_MS = 1000
LONGEST_S = 600.0
"""Seconds after which a stream ends and the client reconnects, so that its key is checked again."""


class EventStream(StreamingResponse):
    """Sends events until the client disconnects, ``LONGEST_S`` are over or the service stops."""

    media_type = EVENT_STREAM

    def __init__(
        self,
        feed: Feed,
        filters: FeedFilters,
        after: Position,
        first: FeedPage,
        show: Callable[[Announcement], bytes],
    ) -> None:
        """Start with the first page after a position; ``show`` encodes an announcement.

        The client has entered the feed already, and leaves it at the end of the response.
        """
        self._feed = feed
        super().__init__(_events(feed, filters, after, first, show))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events, then leave the feed."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._feed.leave()


async def _events(
    feed: Feed,
    filters: FeedFilters,
    before: Position,
    page: FeedPage,
    show: Callable[[Announcement], bytes],
) -> AsyncIterator[bytes]:
    """Yield a chunk for each page; for a slow client no page is read in advance."""
    known = Recent()
    until = monotonic() + LONGEST_S
    yield b"retry: %d\n" % RECONNECT_MS
    while True:
        new = [a for a in page.announcements if a.is_judgement or known.add((a.key, a.version))]
        yield b"".join(_lines(list(map(show, new)), before, page.next))
        if feed.is_stopping or monotonic() > until:
            return
        before = page.next
        try:
            page = await feed.next_page(filters, before, ALIVE_S)
        except (RetryableError, PositionGoneError, InvalidQueryError):
            return  # the reader reconnects, and gets a problem document


def _lines(items: list[bytes], before: Position, after: Position) -> list[bytes]:
    """Return items as events; the last has ``after`` as its id, all others have ``before``.

    So a client that reconnects within a page receives the whole page again.
    """
    reached = encode_token(after).encode()
    if not items:
        return [b": nothing new\nid: %b\n\n" % reached]
    under_way = encode_token(before).encode()
    ids = [under_way] * (len(items) - 1) + [reached]
    return [b"id: %b\ndata: %b\n\n" % pair for pair in zip(ids, items, strict=True)]
