"""Answers that hold until the next write, and the count of writes of this process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class Writes:
    """A context that each write of a kind is made in; one that fails counts: some may be stored.

    It tells something where no other process writes. Example: the extractor looks for new spans
    while ``ended`` is another number than it was before the last look.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._begun = self._ended = 0

    def __enter__(self) -> None:
        """Note that one is under way."""
        with self._lock:
            self._begun += 1

    def __exit__(self, *_: object) -> None:
        """Note that one has ended, however it did."""
        with self._lock:
            self._ended += 1

    @property
    def ended(self) -> int | None:
        """How many have ended; ``None`` while one is under way."""
        with self._lock:
            return self._ended if self._ended == self._begun else None


T = TypeVar("T")

MOST = 256
"""Answers that are kept."""


class Remembered(Generic[T]):
    """Answers about what is seldom written, until this process writes it.

    Where other processes write it too, every answer is read. Example: each mark asks for its
    scheme twice, and a scheme is put once in a while.
    """

    def __init__(self, *, is_alone: bool) -> None:
        """Say whether no other process writes what is asked for."""
        self.writes = Writes()
        """The context in which it is written, always."""
        self._is_alone = is_alone
        self._told: dict[tuple[int, Hashable], T] = {}

    def get(self, asked: Hashable, read: Callable[[], T]) -> T:
        """Return what was told when this was asked, else what is read now.

        An answer is of the number of writes before it was read: after another it is not found.
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
