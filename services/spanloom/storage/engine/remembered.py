"""A cache that is valid until the next write, and the count of writes of this process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class Writes:
    """A context that counts writes of one kind, including failed writes, which may store rows.

    Only meaningful if no other process writes. Example: the extractor looks for new spans when
    ``ended`` differs from its value before the last look.
    """

    def __init__(self) -> None:
        """Start without any write."""
        self._lock = threading.Lock()
        self._begun = self._ended = 0

    def __enter__(self) -> None:
        """Count a write as started."""
        with self._lock:
            self._begun += 1

    def __exit__(self, *_: object) -> None:
        """Count a write as ended, whether it failed or not."""
        with self._lock:
            self._ended += 1

    @property
    def ended(self) -> int | None:
        """The number of writes that have ended; ``None`` while a write is in progress."""
        with self._lock:
            return self._ended if self._ended == self._begun else None


T = TypeVar("T")

MOST = 256
"""The maximum number of cached results."""


class Remembered(Generic[T]):
    """A cache for rows that are seldom written, valid until this process writes them.

    If other processes write them too, nothing is cached. Example: each annotation reads its scheme
    twice, and schemes are seldom written.
    """

    def __init__(self, *, is_alone: bool) -> None:
        """Cache only if ``is_alone``, which means that no other process writes the rows."""
        self.writes = Writes()
        """The context that every write of these rows must use."""
        self._is_alone = is_alone
        self._cached: dict[tuple[int, Hashable], T] = {}

    def get(self, key: Hashable, read: Callable[[], T]) -> T:
        """Return the cached result for this key; if there is none, call ``read`` and cache it.

        The number of writes before the call is part of the cache key, so no lookup after another
        write finds the result.
        """
        if not self._is_alone or (ended := self.writes.ended) is None:
            return read()
        place = (ended, key)
        cached = self._cached.get(place)
        return self._keep(place, read()) if cached is None else cached

    def _keep(self, place: tuple[int, Hashable], cached: T) -> T:
        if len(self._cached) >= MOST:
            self._cached.clear()
        self._cached[place] = cached
        return cached
