"""Answers with the rows of a whole list: read page by page, so that memory holds one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol

import orjson
from starlette.responses import Response, StreamingResponse

from spanloom.api.rows.listed import CursorT, LineT
from spanloom.core.errors import InvalidQueryError, RetryableError
from spanloom.core.query.lists import Page, read_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from spanloom.api.http.bounds import BoundedCalls
    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Form, Row
    from spanloom.api.rows.listed import Rows

PAGE_ROWS = 1_000
"""Rows of the first page; by their size that of the next pages is chosen."""
PAGE_BYTES = 8 << 20
FEWEST_ROWS, MOST_ROWS = 100, 7_500
"""Limits of a page, whatever the size of its rows: each page runs the whole query again, and the
store reads 10,000 candidates at a time."""
VARIES = {"Vary": "Accept"}
NOTHING_MORE: Mapping[str, object] = {}


async def stream_rows(
    rows: Rows[LineT, CursorT], form: type[Form], calls: BoundedCalls
) -> StreamingResponse:
    """Stream rows; the first page is read before the answer starts, so errors are problems."""
    walk = await calls.run(_Walk, rows, form)
    first = await calls.run(walk.next_page)
    return StreamingResponse(
        written(walk, calls, first), headers=VARIES, media_type=form.media_type
    )


def whole_rows(
    found: Sequence[Row], columns: Columns, form: type[Form], **told: object
) -> Response:
    """Answer with rows that are all in memory already."""
    writer = form(columns)
    body = writer.head() + writer.page(found).body + writer.end({"count": len(found), **told})
    return Response(body, headers=VARIES, media_type=form.media_type)


def chosen_page(
    rows: Rows[LineT, CursorT],
    page: Page[LineT],
    next_cursor: Callable[[Page[LineT]], str | None],
) -> Response:
    """Answer with a JSON page of the selected columns; it may have fewer rows than the page."""
    shown = rows.shown(page.lines)
    is_cut = len(shown) < len(page.lines)
    told = Page(page.lines[: len(shown)], has_more=page.has_more or is_cut)
    body = orjson.dumps({"items": shown, "next_cursor": next_cursor(told)})
    return Response(body, headers=VARIES, media_type="application/json")


class _Walk(Generic[LineT, CursorT]):
    """Reads rows and writes them, a page at a time; every method may block."""

    def __init__(self, rows: Rows[LineT, CursorT], form: type[Form]) -> None:
        """Start before the first row."""
        self._rows, self._after = rows, rows.after
        self._size = self._bounded(PAGE_ROWS if rows.add is None else FEWEST_ROWS)
        self.writer: Form = form(rows.columns)
        self.told, self.count, self.is_over = NOTHING_MORE, 0, False

    def next_page(self) -> bytes:
        """Return the next page, written."""
        most, after = self._rows.most, self._after
        size = self._size if most is None else min(self._size, most - self.count)
        page = read_page(lambda limit: self._rows.read(limit, after), size)
        shown = self._rows.shown(page.lines)
        written = self.writer.page(shown)
        self.count += len(shown)
        is_cut = len(shown) < len(page.lines)
        self.is_over = not (page.has_more or is_cut) or self.count == most
        if shown:
            self._after = page.lines[len(shown) - 1].cursor
            self._size = self._bounded(fitting(written.weight / len(shown)))
        return written.body

    def _bounded(self, size: int) -> int:
        return size if self._rows.at_once is None else min(size, self._rows.at_once)


def fitting(weight: float) -> int:
    """Return how many rows of this size, in bytes, make a page."""
    return max(FEWEST_ROWS, min(int(PAGE_BYTES / max(weight, 1)), MOST_ROWS))


class Pages(Protocol):
    """Rows that are written page by page."""

    writer: Form
    told: Mapping[str, object]
    """Further members of the end of the answer, in addition to the number of rows."""
    count: int
    is_over: bool

    def next_page(self) -> bytes:
        """Return the next page, written; it may block."""


async def written(walk: Pages, calls: BoundedCalls, page: bytes) -> AsyncIterator[bytes]:
    """Yield the first page and all after it, and at the end the number of rows."""
    yield walk.writer.head()
    while True:
        yield page
        if walk.is_over:
            yield walk.writer.end({"count": walk.count, **walk.told})
            return
        try:
            page = await calls.run(walk.next_page)
        except (RetryableError, InvalidQueryError) as error:
            said = walk.writer.broken(str(error), walk.count)
            if said is None:
                raise
            yield said
            return
