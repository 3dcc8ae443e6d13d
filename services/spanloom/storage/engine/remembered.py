"""What the store told, for as long as nobody has written: it need not be asked for again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from spanloom.storage.engine.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

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
