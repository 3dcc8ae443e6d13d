"""Locks by name: who works on one trace waits for nobody who works on others."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet


class NamedLocks:
    """Any number of locks, which exist while they are held.

    All names are taken at once or waited for, so that two holders cannot wait for each other.
    """

    def __init__(self) -> None:
        """Begin with none held."""
        self._held: set[bytes] = set()
        self._released = Condition()

    @contextmanager
    def hold(self, names: AbstractSet[bytes]) -> Iterator[None]:
        """Wait until nobody holds any of the names, then hold them all."""
        with self._released:
            self._released.wait_for(lambda: self._held.isdisjoint(names))
            self._held |= names
        try:
            yield
        finally:
            with self._released:
                self._held -= names
                self._released.notify_all()
