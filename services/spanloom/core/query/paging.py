"""The one rule of paging: a list goes on if and only if one line more than the page was found.

A page of 50 lines is read with a limit of 51: 51 lines mean that there is more, 50 or fewer
that this was the last page. So a store may stop short of a limit only at the end of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LineT = TypeVar("LineT")


class Page(NamedTuple, Generic[LineT]):
    """A page of a list."""

    lines: Sequence[LineT]
    has_more: bool
    """Whether another page follows; it begins behind the last of these lines."""


def read_page(read: Callable[[int], Sequence[LineT]], limit: int) -> Page[LineT]:
    """Return a page of up to ``limit`` lines; ``read`` takes the most lines to return."""
    found = read(limit + 1)
    return Page(found[:limit], has_more=len(found) > limit)
