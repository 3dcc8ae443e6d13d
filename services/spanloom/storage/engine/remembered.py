"""A cache that is valid until the next write, and the count of writes of this process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class Writes:
    """A context for every write of one kind; a failed write counts: it may have stored rows.

    Only meaningful where no other process writes. Example: the extractor looks for new spans
    when ``ended`` differs from its value before the last look.
    """

    def __init__(self) -> None:
        """Begin without any write."""
        self._lock = threading.Lock()
        self._begun = self._ended = 0

    def __enter__(self) -> None:
        """Count a write under way."""
        with self._lock:
            self._begun += 1

    def __exit__(self, *_: object) -> None:
        """Count a write as ended, whether it failed or not."""
        with self._lock:
            self._ended += 1

    @property
    def ended(self) -> int | None:
        """The number of writes that have ended; ``None`` while one is under way."""
        with self._lock:
            return self._ended if self._ended == self._begun else None


T = TypeVar("T")

MOST = 256
"""The most cached answers."""


class Remembered(Generic[T]):
    """A cache for rows that are seldom written, valid until this process writes them.

    Where other processes write them too, nothing is cached. Example: each mark reads its scheme
    twice, and a scheme is written once in a while.
    """

    def __init__(self, *, is_alone: bool) -> None:
        """Set whether no other process writes these rows."""
        self.writes = Writes()
        """The context that every write of these rows must use."""
        self._is_alone = is_alone
        self._told: dict[tuple[int, Hashable], T] = {}

    def get(self, asked: Hashable, read: Callable[[], T]) -> T:
        """Return the cached answer for this key, else the result of ``read``.

        An answer is cached under the number of writes before it was read: it is not found after
        another write.
        """
        if not self._is_alone or (ended := self.writes.ended) is None:
            return read()
        place = (ended, asked)
        told = self._told.get(place)
        return self._keep(place, read()) if told is None else told

    def _keep(self, place: tuple[int, Hashable], told: T) -> T:
        if len(self._told) >= MOST:
            self._told.clear()
        self._told[place] = told
        return told
