"""Rows of a whole list as one answer: read page by page, so that memory holds one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from starlette.responses import Response, StreamingResponse

from spanloom.core.errors import InvalidQueryError, RetryableError
from spanloom.core.query.paging import read_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pydantic import BaseModel

    from spanloom.api.bounded import BoundedCalls
    from spanloom.api.rows.forms import Form
    from spanloom.core.query.paging import Page

PAGE_ROWS = 1_000
"""Rows of lists are a kilobyte or so each, and 25 at the most: so a page stays in a few MiB."""
VARIES = {"Vary": "Accept"}

CursorT = TypeVar("CursorT")


class Line(Protocol):
    """What a list shows."""

    @property
    def cursor(self) -> Any:  # of the list
        """The position just behind it."""


LineT = TypeVar("LineT", bound=Line)


@dataclass(frozen=True, slots=True)
class Rows(Generic[LineT, CursorT]):
    """A list to be read from a position on."""

    read: Callable[[int, CursorT | None], Sequence[LineT]]
    show: Callable[[LineT], BaseModel]
    model: type[BaseModel]
    after: CursorT | None
    most: int | None
    """The most rows to give; ``None``: all."""


async def stream_rows(
    rows: Rows[LineT, CursorT], form: Form, calls: BoundedCalls
) -> StreamingResponse:
    """Answer with rows; the first page is read before, so what is wrong is told as ever."""
    first = await _next_page(rows, calls, rows.after, rows.most)
    body = _written(rows, form, calls, first)
    return StreamingResponse(body, headers=VARIES, media_type=form.media_type)


def whole_rows(
    found: Sequence[dict[str, Any]], columns: Sequence[str], form: Form, **told: object
) -> Response:
    """Answer with rows that are all there already."""
    end = form.end({"count": len(found), **told})
    body = form.head(columns) + form.page(columns, found) + end
    return Response(body, headers=VARIES, media_type=form.media_type)


async def _next_page(
    rows: Rows[LineT, CursorT], calls: BoundedCalls, after: CursorT | None, left: int | None
) -> Page[LineT]:
    size = PAGE_ROWS if left is None else min(left, PAGE_ROWS)
    return await calls.run(read_page, lambda limit: rows.read(limit, after), size)


async def _written(
    rows: Rows[LineT, CursorT], form: Form, calls: BoundedCalls, page: Page[LineT]
) -> AsyncIterator[bytes]:
    columns, count, left = list(rows.model.model_fields), 0, rows.most
    yield form.head(columns)
    while True:
        shown = [rows.show(line).model_dump(mode="json") for line in page.lines]
        yield form.page(columns, shown)
        count += len(shown)
        left = None if rows.most is None else rows.most - count
        if not page.has_more or left == 0:
            yield form.end({"count": count})
            return
        try:
            page = await _next_page(rows, calls, page.lines[-1].cursor, left)
        except (RetryableError, InvalidQueryError) as error:
            said = form.broken(str(error), count)
            if said is None:
                raise
            yield said
            return
