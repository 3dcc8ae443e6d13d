"""Paging through lists: the next request, and the items of a reply. Nothing is sent here.

::

    walk = listing.walk()
    while (request := walk.next_request()) is not None:
        items = walk.take(reply_to(request))
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import orjson

from spanloom.client.calls.runs import document
from spanloom.client.models import ItemT, Page, Trajectory
from spanloom.client.request import JSON, NOT_FOUND, Call, Request, in_body_if_long
from spanloom.core.formats.entry import ARROW

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.client.request import Reply
    from spanloom.core.records.run import Run

PAGE_ITEMS = 1_000
"""The maximum number of items in a page of the API."""
FIELDS = "fields"
FoundT = TypeVar("FoundT")
FoundT_co = TypeVar("FoundT_co", covariant=True)
Row = dict[str, Any]  # an item as parsed JSON


class Walk(Protocol[FoundT_co]):
    """One pass over the items of a list."""

    def next_request(self) -> Request | None:
        """Return the next request; ``None`` after the end."""

    def take(self, reply: Reply) -> Sequence[FoundT_co]:
        """Return the items in the reply to the last request, possibly none."""


class Walked(Protocol[FoundT_co]):
    """A list that can be read any number of times, each time from its beginning."""

    def walk(self) -> Walk[FoundT_co]:
        """Return a new walk from the beginning."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[ItemT]):
    """A list in the API: its path, its filters, and the maximum number of items."""

    path: str
    filters: Mapping[str, str]
    limit: int | None
    item: type[ItemT]
    page_items: int = PAGE_ITEMS
    has_arrow: bool = False
    """Whether the service can also return the whole list in Arrow."""

    def walk(self) -> Walk[ItemT]:
        """Walk through typed items."""
        model = Page[self.item]  # type: ignore[name-defined]  # pydantic makes it at run time

        def read(reply: Reply) -> tuple[Sequence[ItemT], str | None]:
            page: Page[ItemT] = model.model_validate_json(reply.body)
            return page.items, page.next_cursor

        return PageWalk(self.path, self.filters, self.limit, read, page_items=self.page_items)

    def walk_rows(self) -> Walk[Row]:
        """Walk through the items as plain JSON values, in a tenth of the time."""
        return PageWalk(self.path, self.filters, self.limit, read_rows, page_items=self.page_items)

    def in_arrow(self) -> Request | None:
        """Return the request for all items at once; ``None`` if the list only has pages.

        A service without Arrow answers the request with a page of JSON.
        """
        if not self.has_arrow or (self.limit or 0) > PAGE_ITEMS:
            return None
        limit = {} if self.limit is None else {"limit": str(self.limit)}
        accept = {"accept": f"{ARROW}, {JSON};q=0.1"}
        return in_body_if_long(
            Request(
                "GET",
                self.path,
                {**self.filters, **limit},
                accept,
                media_type=ARROW,
                or_media_type=JSON,
            )
        )

    def as_table(self, media_type: str) -> Call[bytes]:
        """Return the call for all items at once, as CSV, Parquet or JSON lines."""
        limit = {} if self.limit is None else {"limit": str(self.limit)}
        params, accept = {**self.filters, **limit}, {"accept": media_type}
        request = Request("GET", self.path, params, accept, media_type=media_type)
        return Call(in_body_if_long(request), lambda reply: reply.body)

    def of(self, fields: str | None) -> Listing[ItemT]:
        """Return the same list with only some columns: enough for rows, not for typed items."""
        return self if fields is None else replace(self, filters={**self.filters, FIELDS: fields})

    def first(self, count: int) -> Listing[ItemT]:
        """Return the same list, limited to its first items."""
        return replace(self, limit=count if self.limit is None else min(count, self.limit))


@dataclass(frozen=True, slots=True)
class RowWalks(Generic[ItemT]):
    """The items of a list as plain JSON values."""

    listing: Listing[ItemT]

    def walk(self) -> Walk[Row]:
        """See ``Listing.walk_rows``."""
        return self.listing.walk_rows()


class PageWalk(Generic[FoundT]):
    """Follows ``next_cursor`` until there is none; a short page is not the end."""

    def __init__(
        self,
        path: str,
        filters: Mapping[str, str],
        limit: int | None,
        read: Callable[[Reply], tuple[Sequence[FoundT], str | None]],
        cursor: str | None = "",
        page_items: int | None = None,
    ) -> None:
        """Begin with the first page, or after a cursor that an earlier walk reached."""
        self._most = page_items or PAGE_ITEMS
        self._path, self._filters, self._left, self._read = path, filters, limit, read
        self.cursor = cursor
        """The cursor of the next page; ``None`` after the last."""

    def next_request(self) -> Request | None:
        """Return the request for the next page."""
        if self.cursor is None or self._left == 0:
            return None
        size = self._most if self._left is None else min(self._left, self._most)
        place = {"cursor": self.cursor} if self.cursor else {}
        params = {**self._filters, "limit": str(size), **place}
        return in_body_if_long(Request("GET", self._path, params))

    def take(self, reply: Reply) -> Sequence[FoundT]:
        """Return the items of a page."""
        items, self.cursor = self._read(reply)
        if self._left is not None:
            self._left -= min(self._left, len(items))
        return items


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of the runs in a list."""

    runs: Listing[Run]

    def walk(self) -> Walk[Trajectory]:
        """Walk through typed documents."""
        return DocumentWalk(self.runs.walk())


class DocumentWalk:
    """Requests a page of runs, then the document of each run, then the next page."""

    def __init__(self, runs: Walk[Run]) -> None:
        """Request the document of each run that ``runs`` yields."""
        self._runs = runs
        self._waiting: deque[Run] = deque()
        self._is_page = False

    def next_request(self) -> Request | None:
        """Return the request for the next document, or for more runs if the page is done."""
        self._is_page = not self._waiting
        if self._is_page:
            return self._runs.next_request()
        run = self._waiting.popleft()
        request = document(run.trace_id, project=run.project).request
        return replace(request, expected=request.expected | {NOT_FOUND})

    def take(self, reply: Reply) -> Sequence[Trajectory]:
        """Return the document; an empty list for a page of runs or a run that has been deleted."""
        if self._is_page:
            self._waiting.extend(self._runs.take(reply))
            return ()
        if reply.status == NOT_FOUND:
            return ()
        return (Trajectory.model_validate_json(reply.body),)


def read_rows(reply: Reply) -> tuple[Sequence[Row], str | None]:
    """Parse a page into plain JSON values."""
    page = orjson.loads(reply.body)
    return page["items"], page["next_cursor"]
