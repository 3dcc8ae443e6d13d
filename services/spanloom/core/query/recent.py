"""A bounded memory of items seen recently."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

REMEMBERED = 10_000


class Recent:
    """The last items that were seen, in bounded memory.

    The change feed repeats versions at most within seconds, or after a restart; a reader that
    remembers the last 10,000 gets each once.
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        """Remember the last ``most`` items."""
        self._most = most
        self._seen: dict[Hashable, None] = {}

    def add(self, thing: Hashable) -> bool:
        """Remember an item; return whether it is new."""
        is_new = self._seen.pop(thing, self) is self
        self._seen[thing] = None
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]
        return is_new
