"""Reads a whole list as a caller of the API does: until a page says that it was the last."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spanloom.core.query.paging import read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.ports.reading import Cursor, TrajectorySummary

    Read = Callable[[int, Cursor | None], Sequence[TrajectorySummary]]


def read_pages(read: Read, limit: int) -> Iterator[TrajectorySummary]:
    """Yield every line, page by page."""
    after: Cursor | None = None
    while True:
        page = read_page(partial(_read_behind, read, after), limit)
        yield from page.lines
        if not page.has_more:
            return
        after = page.lines[-1].cursor


def _read_behind(read: Read, after: Cursor | None, limit: int) -> Sequence[TrajectorySummary]:
    return read(limit, after)
