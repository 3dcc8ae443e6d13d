"""The port of the places that followers of the change feed have reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from spanloom.core.query.positions import Position


class FollowerStore(Protocol):
    """Keeps how far each follower has come; see ``following/follower.py``."""

    def place(self, follower: str) -> Position | None:
        """Return the place that was kept last; ``None`` if there is none."""

    def keep_place(self, follower: str, place: Position) -> None:
        """Keep a place, durable when this returns; the latest kept one counts."""
