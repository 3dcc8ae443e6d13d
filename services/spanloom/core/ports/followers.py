"""The port for storing how far each follower has read the change feed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from spanloom.core.query.positions import Position


class FollowerStore(Protocol):
    """Stores the position of each follower; see ``following/follower.py``."""

    def place(self, follower: str) -> Position | None:
        """Return the last stored position; ``None`` if there is none."""

    def keep_place(self, follower: str, place: Position) -> None:
        """Store a position, durable on return; the latest stored position counts."""
