"""The items of a list in the API: an iterable that can be converted to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol

from spanloom.client.calls.walks import FoundT, Row, RowWalks
from spanloom.client.frames import Frames
from spanloom.client.models import ItemT
from spanloom.client.request import reading_from
from spanloom.core.formats.entry import ARROW
from spanloom.core.records.run import Run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from spanloom.client.calls.walks import Listing, Walk, Walked
    from spanloom.client.transport import AsyncTransport, Transport

SHOWN_RUNS = 200
"""The maximum number of runs that a notebook shows."""


class Sender(Protocol):
    """The attributes of a ``Client`` that ``Found`` uses."""

    url: str
    transport: Transport


class AsyncSender(Protocol):
    """The attributes of an ``AsyncClient`` that ``AsyncFound`` uses."""

    url: str
    transport: AsyncTransport


class RunList(list[Run]):
    """Runs that have been read; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        from spanloom.client.html import runs_html  # noqa: PLC0415  # for notebooks only

        return runs_html(self[:SHOWN_RUNS], has_more=len(self) > SHOWN_RUNS)


class Found(Generic[FoundT]):
    """The items of a list; each loop over it requests them again, page by page."""

    def __init__(self, client: Sender, walked: Walked[FoundT]) -> None:
        """Store the list; its pages are requested when it is iterated."""
        self._client, self._walked = client, walked

    def __iter__(self) -> Iterator[FoundT]:
        """Yield the items; pages are requested as they are needed."""
        for items in walk_through(self._client, self._walked.walk()):
            yield from items


class Table(Found[ItemT]):
    """Items of one type, which can also be read as a table."""

    def __init__(self, client: Sender, listing: Listing[ItemT]) -> None:
        """Store the list; its pages are requested when it is iterated."""
        super().__init__(client, listing)
        self._listing = listing

    def to_arrow(self, fields: str | None = None) -> pa.Table:
        """Return all items as a table of PyArrow (``pip install 'spanloom[arrow]'``).

        ``fields``, also in ``to_polars`` and ``to_pandas``, names the columns: ``"core,cost"``. By
        default the result has all.
        """
        frames: Frames[pa.Table] = Frames("arrow", self._listing.item, has_all=fields is None)
        return self._filled(frames, self._listing.of(fields))

    def to_polars(self, fields: str | None = None) -> pl.DataFrame:
        """Return all items as a frame of polars (``pip install 'spanloom[polars]'``)."""
        frames: Frames[pl.DataFrame] = Frames("polars", self._listing.item, has_all=fields is None)
        return self._filled(frames, self._listing.of(fields))

    def to_pandas(self, fields: str | None = None) -> pd.DataFrame:
        """Return all items as a frame of pandas (``pip install 'spanloom[pandas]'``)."""
        frames: Frames[pd.DataFrame] = Frames("pandas", self._listing.item, has_all=fields is None)
        return self._filled(frames, self._listing.of(fields))

    def rows(self, fields: str | None = None) -> Found[Row]:
        """Return the items as plain JSON values.

        ``fields`` names the fields to include, separated by commas (``"core,cost"``).
        """
        return Found(self._client, RowWalks(self._listing.of(fields)))

    def _filled(self, frames: Frames[FoundT], listing: Listing[ItemT]) -> FoundT:
        request = listing.in_arrow() if frames.reads_arrow else None
        if request is not None:
            reply = self._client.transport.ask(request)
            with reading_from(self._client.url):
                if reply.media_type == ARROW:
                    return frames.read(reply.body)
        for rows in walk_through(self._client, listing.walk_rows()):
            frames.add(rows)
        return frames.whole()


class Runs(Table[Run]):
    """The runs in a list; a notebook shows the first runs."""

    def first(self, count: int = 20) -> RunList:
        """Return the first runs as a list."""
        return RunList(Found(self._client, self._listing.first(count)))

    def _repr_html_(self) -> str:
        return self.first(SHOWN_RUNS + 1)._repr_html_()


class AsyncFound(Generic[FoundT]):
    """``Found`` for ``async for``."""

    def __init__(self, client: AsyncSender, walked: Walked[FoundT]) -> None:
        """Store the list; its pages are requested when it is iterated."""
        self._client, self._walked = client, walked

    async def __aiter__(self) -> AsyncIterator[FoundT]:
        """Yield the items; pages are requested as they are needed."""
        async for items in walk_through_async(self._client, self._walked.walk()):
            for item in items:
                yield item


class AsyncTable(AsyncFound[ItemT]):
    """Items of one type, which can also be read as a table."""

    def __init__(self, client: AsyncSender, listing: Listing[ItemT]) -> None:
        """Store the list; its pages are requested when it is iterated."""
        super().__init__(client, listing)
        self._listing = listing

    async def to_arrow(self, fields: str | None = None) -> pa.Table:
        """Return all items as a table of PyArrow (``pip install 'spanloom[arrow]'``).

        ``fields``, also in ``to_polars`` and ``to_pandas``, names the columns: ``"core,cost"``. By
        default the result has all.
        """
        frames: Frames[pa.Table] = Frames("arrow", self._listing.item, has_all=fields is None)
        return await self._filled(frames, self._listing.of(fields))

    async def to_polars(self, fields: str | None = None) -> pl.DataFrame:
        """Return all items as a frame of polars (``pip install 'spanloom[polars]'``)."""
        frames: Frames[pl.DataFrame] = Frames("polars", self._listing.item, has_all=fields is None)
        return await self._filled(frames, self._listing.of(fields))

    async def to_pandas(self, fields: str | None = None) -> pd.DataFrame:
        """Return all items as a frame of pandas (``pip install 'spanloom[pandas]'``)."""
        frames: Frames[pd.DataFrame] = Frames("pandas", self._listing.item, has_all=fields is None)
        return await self._filled(frames, self._listing.of(fields))

    def rows(self, fields: str | None = None) -> AsyncFound[Row]:
        """Return the items as plain JSON values.

        ``fields`` names the fields to include, separated by commas (``"core,cost"``).
        """
        return AsyncFound(self._client, RowWalks(self._listing.of(fields)))

    async def _filled(self, frames: Frames[FoundT], listing: Listing[ItemT]) -> FoundT:
        request = listing.in_arrow() if frames.reads_arrow else None
        if request is not None:
            reply = await self._client.transport.ask(request)
            with reading_from(self._client.url):
                if reply.media_type == ARROW:
                    return frames.read(reply.body)
        async for rows in walk_through_async(self._client, listing.walk_rows()):
            frames.add(rows)
        return frames.whole()


class AsyncRuns(AsyncTable[Run]):
    """The runs in a list; a notebook can show ``await runs.first(20)``."""

    async def first(self, count: int = 20) -> RunList:
        """Return the first runs as a list."""
        items = AsyncFound(self._client, self._listing.first(count))
        return RunList([run async for run in items])


def walk_through(client: Sender, walk: Walk[FoundT]) -> Iterator[Sequence[FoundT]]:
    """Yield the items of each reply, until there is no next request."""
    while (request := walk.next_request()) is not None:
        reply = client.transport.ask(request)
        with reading_from(client.url):
            items = walk.take(reply)
        yield items


async def walk_through_async(
    client: AsyncSender, walk: Walk[FoundT]
) -> AsyncIterator[Sequence[FoundT]]:
    """Yield the items of each reply to an asynchronous client, until there is no next request."""
    while (request := walk.next_request()) is not None:
        reply = await client.transport.ask(request)
        with reading_from(client.url):
            items = walk.take(reply)
        yield items
