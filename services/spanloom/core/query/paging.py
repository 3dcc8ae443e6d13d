"""The one rule of paging: a list continues if and only if a line beyond the page was found.

A page of 50 lines is read with a limit of 51: 51 lines mean that there is more, 50 or fewer
that this was the last page. So a store may stop short of a limit only at the end of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LineT = TypeVar("LineT")
PlaceT = TypeVar("PlaceT")


class Page(NamedTuple, Generic[LineT]):
    """A page of a list."""

    lines: Sequence[LineT]
    has_more: bool
    """Whether another page follows; it begins after the last of these lines."""


def read_page(read: Callable[[int], Sequence[LineT]], limit: int) -> Page[LineT]:
    """Return a page of up to ``limit`` lines; ``read`` takes the most lines to return."""
    found = read(limit + 1)
    return Page(found[:limit], has_more=len(found) > limit)


def every_line(
    read: Callable[[int, PlaceT | None], Sequence[LineT]],
    place: Callable[[LineT], PlaceT],
    at_once: int,
) -> Iterator[LineT]:
    """Yield the lines of a list, lazily, reading ``at_once`` lines at a time.

    ``read`` takes the most lines to return and the place after which they begin, at first
    ``None``; ``place`` returns the place of a line.
    """
    after: PlaceT | None = None
    while lines := read(at_once, after):
        yield from lines
        if len(lines) < at_once:
            return
        after = place(lines[-1])
