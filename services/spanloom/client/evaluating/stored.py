"""Reads runs stored in a service: all runs of a query page by page, or single runs by id."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.client.calls.runs import document
from spanloom.client.calls.walks import RowWalks
from spanloom.client.evaluating.given import Given
from spanloom.client.found import Found
from spanloom.client.request import NOT_FOUND, reading_from
from spanloom.evaluation.files.judging import run_to_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from spanloom.client.async_client import AsyncClient
    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.core.records.run import Run
    from spanloom.evaluation.files.judging import RunToJudge

IN_FLIGHT = 8
"""Documents requested at a time, if they are not in pages."""
PAGE_RUNS = 200
"""Runs requested in a page; the service may return fewer."""
_COLUMNS = "project,document"


class RunPlace(NamedTuple):
    """The id of a run and its project; ``None`` is any project that the key may read."""

    trace_id: str
    project: str | None


def stored_runs(client: Client, listing: Listing[Run]) -> Iterator[Given]:
    """Yield the runs of a list with their documents; runs deleted since are left out.

    Memory holds one page, whose size the service limits. Raises ``ClientError``.
    """
    total = listing.limit
    rows = Found(client, RowWalks(replace(listing.of(_COLUMNS), page_items=PAGE_RUNS)))
    for read, row in enumerate(rows, 1):
        if row["document"] is not None:
            run = run_to_judge(row["document"], row["project"])
            yield Given(run, read / total if total else None)


def runs_at(connect: Callable[[], AsyncClient], places: Iterable[RunPlace]) -> Generator[Given]:
    """Yield the stored runs with these ids and projects; runs that are not stored are left out.

    Up to ``IN_FLIGHT`` documents are requested at a time. Raises ``ClientError``.
    """
    wanted = list(places)
    with asyncio.Runner() as runner:
        reading = _Reading(connect(), iter(wanted))
        try:
            for read in range(1, len(wanted) + 1):
                run = runner.run(reading.next())
                if run is not None:
                    yield Given(run, read / len(wanted))
        finally:
            runner.run(reading.stop())


class _Reading:
    """Requests documents ahead, and returns them in the given order."""

    def __init__(self, client: AsyncClient, places: Iterator[RunPlace]) -> None:
        self._client, self._places = client, places
        self._waiting: deque[asyncio.Task[RunToJudge | None]] = deque()

    async def next(self) -> RunToJudge | None:
        """Return the next run; ``None`` if it is not stored."""
        for place in islice(self._places, IN_FLIGHT - len(self._waiting)):
            self._waiting.append(asyncio.create_task(self._read(place)))
        return await self._waiting.popleft()

    async def stop(self) -> None:
        """Cancel the pending requests, and close the connections."""
        for task in self._waiting:
            task.cancel()
        await asyncio.gather(*self._waiting, return_exceptions=True)
        await self._client.close()

    async def _read(self, place: RunPlace) -> RunToJudge | None:
        request = document(place.trace_id, project=place.project).request
        request = replace(request, expected=request.expected | {NOT_FOUND})
        reply = await self._client.transport.ask(request)
        if reply.status == NOT_FOUND:
            return None
        with reading_from(self._client.url):
            return run_to_judge(orjson.loads(reply.body), place.project or "")
