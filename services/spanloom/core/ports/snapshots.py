"""Holding the tables of a store as they are at one moment, for a copy that takes its time."""

from __future__ import annotations

from typing import Protocol


class SnapshotTaker(Protocol):
    """Takes snapshots of the store that a process has open."""

    def take(self) -> int:
        """Hold all tables as they are now, in place of the snapshot before; return how many.

        Every row whose INSERT has returned is in it, and of an INSERT under way everything or
        nothing. Raises ``NotEmbeddedError`` for a server, ``StoreUnavailableError`` if it fails.
        """
