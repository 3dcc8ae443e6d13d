"""Responses with all rows of a list, page by page, so that memory holds one page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import orjson
from starlette.responses import Response, StreamingResponse

from spanloom.api.rows.columns import Sort
from spanloom.core.errors import InvalidQueryError, RetryableError
from spanloom.core.query.lists import Page, read_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from spanloom.api.http.bounds import BoundedCalls
    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Form, Row


CursorT = TypeVar("CursorT")


class Line(Protocol):
    """An item of a list in the store."""

    @property
    def cursor(self) -> Any:  # the cursor type of the list
        """The position directly after this item."""


LineT = TypeVar("LineT", bound=Line)
_TEXTS = (Sort.MOMENT, Sort.LENGTH)
"""Types that are strings in JSON but numbers in records."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[LineT, CursorT]):
    """A list in the store, read from a position on and converted to rows."""

    read: Callable[[int, CursorT | None], Sequence[LineT]]
    show: Callable[[LineT], BaseModel]
    columns: Columns
    """The columns to return, in this order; the model may have more."""
    after: CursorT | None
    most: int | None
    """Maximum rows to return; ``None`` for all."""
    add: Callable[[Sequence[LineT]], Sequence[Row]] | None = None
    """Reads further columns from the store, for as many of the first items as fit in a page."""
    at_once: int | None = None
    """Maximum rows in a page, if reading them costs more than their size suggests."""

    def shown(self, lines: Sequence[LineT]) -> Sequence[Row]:
        """Return rows with values as in JSON; only the first rows, at least one, if they are large.

        Fields hold plain values, so ``vars`` of a model equals its dump, in a third of the time.
        """
        shown: Iterable[Row] = (vars(self.show(line)) for line in lines)
        if self.add is not None:
            shown = ({**own, **added} for own, added in zip(shown, self.add(lines), strict=False))
        return plain_rows(
            ({name: row[name] for name in self.columns} for row in shown), self.columns
        )


def plain_rows(rows: Iterable[dict[str, Any]], columns: Columns) -> list[dict[str, Any]]:
    """Return rows with their values as in JSON: times as strings, nested records as dicts."""
    plain = list(rows)
    for name in [name for name, sort in columns.items() if sort in _TEXTS]:
        for row in plain:
            if isinstance(row[name], int):
                row[name] = str(row[name])
    for name, inner in columns.items():
        if not isinstance(inner, Sort):
            nested = plain_rows(({**vars(row[name])} for row in plain), inner)
            for row, one in zip(plain, nested, strict=True):
                row[name] = one
    return plain


PAGE_ROWS = 1_000
"""Rows of the first page; their size decides the number of rows of later pages."""
PAGE_BYTES = 8 << 20
FEWEST_ROWS, MOST_ROWS = 100, 7_500
"""Minimum and maximum rows of a page, whatever their size, because each page runs the whole query
again, and the store reads 10,000 candidates at a time."""
VARIES = {"Vary": "Accept"}
NOTHING_MORE: Mapping[str, object] = {}


async def stream_rows(
    rows: Rows[LineT, CursorT], form: type[Form], calls: BoundedCalls
) -> StreamingResponse:
    """Stream rows.

    The first page is read before the response starts, so that its errors become problem documents.
    """
    walk = await calls.run(_Walk, rows, form)
    first = await calls.run(walk.next_page)
    return StreamingResponse(
        write_pages(walk, calls, first), headers=VARIES, media_type=form.media_type
    )


def whole_rows(
    found: Sequence[Row], columns: Columns, form: type[Form], **members: object
) -> Response:
    """Respond with rows that are all in memory already."""
    writer = form(columns)
    body = writer.head() + writer.page(found).body + writer.end({"count": len(found), **members})
    return Response(body, headers=VARIES, media_type=form.media_type)


def chosen_page(
    rows: Rows[LineT, CursorT],
    page: Page[LineT],
    next_cursor: Callable[[Page[LineT]], str | None],
) -> Response:
    """Respond with the selected columns as JSON; the response may have fewer rows than ``page``."""
    shown = rows.shown(page.lines)
    is_cut = len(shown) < len(page.lines)
    cut = Page(page.lines[: len(shown)], has_more=page.has_more or is_cut)
    body = orjson.dumps({"items": shown, "next_cursor": next_cursor(cut)})
    return Response(body, headers=VARIES, media_type="application/json")


class _Walk(Generic[LineT, CursorT]):
    """Reads rows and writes them, a page at a time; every method may block."""

    def __init__(self, rows: Rows[LineT, CursorT], form: type[Form]) -> None:
        """Start before the first row."""
        self._rows, self._after = rows, rows.after
        self._size = self._bounded(PAGE_ROWS if rows.add is None else FEWEST_ROWS)
        self.writer: Form = form(rows.columns)
        self.members, self.count, self.is_over = NOTHING_MORE, 0, False

    def next_page(self) -> bytes:
        """Return the next page in the format."""
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
    """Return the number of rows that make a page, for rows of ``weight`` bytes."""
    return max(FEWEST_ROWS, min(int(PAGE_BYTES / max(weight, 1)), MOST_ROWS))


class Pages(Protocol):
    """Rows that are written page by page."""

    writer: Form
    members: Mapping[str, object]
    """Members of the last line in addition to the number of rows."""
    count: int
    is_over: bool

    def next_page(self) -> bytes:
        """Return the next page in the format; it may block."""


async def write_pages(walk: Pages, calls: BoundedCalls, page: bytes) -> AsyncIterator[bytes]:
    """Yield the first page, all later pages, and an end with the number of rows."""
    yield walk.writer.head()
    while True:
        yield page
        if walk.is_over:
            yield walk.writer.end({"count": walk.count, **walk.members})
            return
        try:
            page = await calls.run(walk.next_page)
        except (RetryableError, InvalidQueryError) as error:
            broken_end = walk.writer.broken(str(error), walk.count)
            if broken_end is None:
                raise
            yield broken_end
            return


async def stream_found(
    found: Iterator[Row],
    columns: Columns,
    form: type[Form],
    calls: BoundedCalls,
    members: Mapping[str, object] = NOTHING_MORE,
) -> StreamingResponse:
    """Stream all rows; errors in the first page become problem documents.

    ``members`` has further members of the final line of NDJSON; it is read after the last row.
    """
    pages = _Pages(found, columns, form, members)
    first = await calls.run(pages.next_page)
    return StreamingResponse(
        write_pages(pages, calls, first), headers=VARIES, media_type=form.media_type
    )


class _Pages:
    """The rows of an iterator, as ``Pages``."""

    def __init__(
        self,
        found: Iterator[Row],
        columns: Columns,
        form: type[Form],
        members: Mapping[str, object],
    ) -> None:
        self._found, self._columns, self.members = found, columns, members
        self.writer: Form = form(columns)
        self.count, self.is_over = 0, False

    def next_page(self) -> bytes:
        some = [
            {name: row[name] for name in self._columns} for row in islice(self._found, PAGE_ROWS)
        ]
        self.count += len(some)
        self.is_over = len(some) < PAGE_ROWS
        return self.writer.page(some).body
