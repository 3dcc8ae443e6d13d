"""Which of many things were seen lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

REMEMBERED = 10_000


class Recent:
    """The last things that were seen, in a memory that does not grow for ever.

    The change feed repeats versions at most within seconds, or behind a restart; a reader who
    remembers the last 10,000 is told of each once.
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        """Remember so many."""
        self._most = most
        self._seen: dict[Hashable, None] = {}

    def add(self, thing: Hashable) -> bool:
        """Remember a thing; return whether it is new."""
        is_new = self._seen.pop(thing, self) is self
        self._seen[thing] = None
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]
        return is_new
