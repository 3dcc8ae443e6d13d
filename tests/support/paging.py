"""Reads a whole list page by page, as an API client does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from spanloom.core.query.lists import read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Placed(Protocol):
    """An item of a list that has a position."""

    @property
    def cursor(self) -> object: ...


LineT = TypeVar("LineT", bound=Placed)
Position = Any  # each list has positions of its own type


def read_pages(read: Callable[[int, Position], Sequence[LineT]], limit: int) -> Iterator[LineT]:
    """Yield every item, page by page; ``read`` accepts a limit and a position."""
    after: Position = None
    while True:
        page = read_page(partial(_read_behind, read, after), limit)
        yield from page.lines
        if not page.has_more:
            return
        after = page.lines[-1].cursor


def _read_behind(
    read: Callable[[int, Position], Sequence[LineT]], after: Position, limit: int
) -> Sequence[LineT]:
    return read(limit, after)
