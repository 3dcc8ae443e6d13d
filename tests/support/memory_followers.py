"""In-memory positions of the followers of the change feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

if TYPE_CHECKING:
    from spanloom.core.query.positions import Position


class MemoryFollowers(MemorySubject):
    """The position of each follower."""

    def place(self, follower: str) -> Position | None:
        """See ``FollowerStore.place``."""
        return self._state.follower_places.get(follower)

    def keep_place(self, follower: str, place: Position) -> None:
        """See ``FollowerStore.keep_place``."""
        with self._state.lock:
            self._state.follower_places[follower] = place
