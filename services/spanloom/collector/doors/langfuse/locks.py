"""Locks by name: who works on one trace waits for nobody who works on others."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet


class NamedLocks:
    """Any number of locks, which exist while they are held.

    All names are taken at once or waited for, so that two holders cannot wait for each other.
    """

    def __init__(self, max_waiting: int) -> None:
        """Let up to ``max_waiting`` threads wait, so that others stay for who need not wait."""
        self._max_waiting = max_waiting
        self._waiting = 0
        self._held: set[bytes] = set()
        self._released = Condition()

    @contextmanager
    def hold(self, names: AbstractSet[bytes]) -> Iterator[None]:
        """Wait until nobody holds any of the names, then hold them all.

        Raises ``OverloadedError`` if too many are waiting.
        """
        with self._released:
            if not self._held.isdisjoint(names):
                self._wait(names)
            self._held |= names
        try:
            yield
        finally:
            with self._released:
                self._held -= names
                self._released.notify_all()

    def _wait(self, names: AbstractSet[bytes]) -> None:
        if self._waiting >= self._max_waiting:
            raise OverloadedError("Too many requests write to one trace: try again.")
        self._waiting += 1
        try:
            self._released.wait_for(lambda: self._held.isdisjoint(names))
        finally:
            self._waiting -= 1
