"""The positions of followers of the change feed, in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.feed_tokens import decode_token, encode_token

if TYPE_CHECKING:
    from spanloom.core.query.positions import Position
    from spanloom.storage.engine.connection import Connection


class ClickHouseFollowers:
    """Implements ``FollowerStore`` with the extractor's connection to ClickHouse."""

    def __init__(self, worker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._worker = worker

    def place(self, follower: str) -> Position | None:
        """See ``FollowerStore.place``."""
        for row in self._worker.rows("follower_place", follower=follower):
            return decode_token(row.Place)
        return None

    def keep_place(self, follower: str, place: Position) -> None:
        """See ``FollowerStore.keep_place``."""
        self._worker.insert(
            "follower_places", ("Follower", "Place"), [(follower, encode_token(place))]
        )
