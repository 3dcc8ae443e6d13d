"""The port for the positions of followers of the change feed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from spanloom.core.query.positions import Position


class FollowerStore(Protocol):
    """Keeps the position of each follower; see ``following/follower.py``."""

    def place(self, follower: str) -> Position | None:
        """Return the place that was kept last; ``None`` if there is none."""

    def keep_place(self, follower: str, place: Position) -> None:
        """Keep a place, durable when this returns; the latest kept one counts."""
