"""Stored runs of a service: pages of the list, and up to eight documents at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.client.calls.runs import document
from spanloom.client.calls.walks import PageWalk, read_rows
from spanloom.client.evaluating.given import Given
from spanloom.client.request import NOT_FOUND, reading_from
from spanloom.evaluation.files.judging import GivenRun, given_run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import AsyncClient
    from spanloom.core.records.run import Run

IN_FLIGHT = 8
"""Documents that are asked for at a time."""
PAGE_RUNS = 500


class RunPlace(NamedTuple):
    """Which run to read; without a project, wherever the key finds it."""

    trace_id: str
    project: str | None


def stored_runs(connect: Callable[[], AsyncClient], listing: Listing[Run]) -> Iterator[Given]:
    """Yield the runs of a list with their documents; those deleted meanwhile are left out.

    Memory holds a page of the list and ``IN_FLIGHT`` documents. Raises ``ClientError``.
    """
    return _driven(connect, lambda client: _pages(client, listing), listing.limit)


def runs_at(connect: Callable[[], AsyncClient], places: Iterable[RunPlace]) -> Iterator[Given]:
    """Yield the stored runs of these places; those that are not there are left out.

    Raises ``ClientError``.
    """
    wanted = list(places)

    async def all_places(_: AsyncClient) -> AsyncIterator[RunPlace]:
        for place in wanted:
            yield place

    return _driven(connect, all_places, len(wanted))


def _driven(
    connect: Callable[[], AsyncClient],
    places: Callable[[AsyncClient], AsyncIterator[RunPlace]],
    total: int | None,
) -> Iterator[Given]:
    """Yield what an event loop reads ahead; it runs while the next run is waited for."""
    with asyncio.Runner() as runner:
        client = connect()
        reading = _Reading(client, places(client))
        try:
            read = 0
            while True:
                found = runner.run(reading.next())
                if found is None:
                    return
                read += 1
                if found.run is not None:
                    yield Given(found.run, read / total if total else None)
        finally:
            runner.run(reading.stop())


class _Found(NamedTuple):
    run: GivenRun | None
    """``None``: it is not there any more."""


class _Reading:
    """Keeps documents on their way, and gives them in the order of their places."""

    def __init__(self, client: AsyncClient, places: AsyncIterator[RunPlace]) -> None:
        self._client, self._places = client, places
        self._waiting: deque[asyncio.Task[_Found]] = deque()
        self._has_more = True

    async def next(self) -> _Found | None:
        """Return the next document; ``None`` behind the last."""
        while self._has_more and len(self._waiting) < IN_FLIGHT:
            place = await anext(self._places, None)
            if place is None:
                self._has_more = False
            else:
                self._waiting.append(asyncio.create_task(self._read(place)))
        return await self._waiting.popleft() if self._waiting else None

    async def stop(self) -> None:
        """Cancel what is on its way, and close the connections."""
        for task in self._waiting:
            task.cancel()
        await asyncio.gather(*self._waiting, return_exceptions=True)
        await self._client.close()

    async def _read(self, place: RunPlace) -> _Found:
        request = document(place.trace_id, project=place.project).request
        request = replace(request, expected=request.expected | {NOT_FOUND})
        reply = await self._client.transport.ask(request)
        if reply.status == NOT_FOUND:
            return _Found(None)
        with reading_from(self._client.url):
            return _Found(given_run(orjson.loads(reply.body), place.project or ""))


async def _pages(client: AsyncClient, listing: Listing[Run]) -> AsyncIterator[RunPlace]:
    walk = PageWalk(listing.path, listing.filters, listing.limit, read_rows, page_items=PAGE_RUNS)
    while (request := walk.next_request()) is not None:
        reply = await client.transport.ask(request)
        with reading_from(client.url):
            rows = walk.take(reply)
        for row in rows:
            yield RunPlace(row["trace_id"], row["project"])
