"""Streams rows from an iterator, which is read once to its end, without cursors."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from spanloom.api.rows.stream import NOTHING_MORE, PAGE_ROWS, VARIES, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.api.http.bounds import BoundedCalls
    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Form, Row


async def stream_found(
    found: Iterator[Row],
    columns: Columns,
    form: type[Form],
    calls: BoundedCalls,
    told: Mapping[str, object] = NOTHING_MORE,
) -> StreamingResponse:
    """Stream all rows; the first page is read before the answer starts, so errors are problems.

    ``told`` has further members of the final line of NDJSON; it is read after the last row.
    """
    pages = _Pages(found, columns, form, told)
    first = await calls.run(pages.next_page)
    return StreamingResponse(
        written(pages, calls, first), headers=VARIES, media_type=form.media_type
    )


class _Pages:
    """See ``stream.Pages``."""

    def __init__(
        self,
        found: Iterator[Row],
        columns: Columns,
        form: type[Form],
        told: Mapping[str, object],
    ) -> None:
        self._found, self._columns, self.told = found, columns, told
        self.writer: Form = form(columns)
        self.count, self.is_over = 0, False

    def next_page(self) -> bytes:
        some = [
            {name: row[name] for name in self._columns} for row in islice(self._found, PAGE_ROWS)
        ]
        self.count += len(some)
        self.is_over = len(some) < PAGE_ROWS
        return self.writer.page(some).body
