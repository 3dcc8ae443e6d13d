"""The size limit of the spool.

``--spool-max-bytes`` (``config.py``) limits the sum of waiting requests, dead letters, and requests
that are being fsynced. Beyond it requests are refused with a retry hint (503, UNAVAILABLE); nothing
is ever dropped to make room. Example: with 8 GiB and 2 GiB of dead letters, 6 GiB may wait for a
store that is down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from spanloom.collector.spool.file import Totals

RECORD_BYTES = 256
"""Approximate size of a record besides its body, so that tiny requests are limited too."""
RETRY_S = 5.0
"""Retry hint to refused clients."""


class Bound:
    """Reservations of room in the spool; not thread-safe, the caller must hold a lock."""

    def __init__(self, max_bytes: int) -> None:
        """Limit the spool to ``max_bytes``."""
        self._max_bytes = max_bytes
        self._queued_bytes = 0

    def take(self, size: int, stored: Totals) -> None:
        """Reserve room for a request of ``size`` bytes; ``stored`` are the totals of the file.

        Raises ``OverloadedError`` if there is none.
        """
        if stored.bytes + stored.dead_bytes + self._queued_bytes + size > self._max_bytes:
            dead = stored.dead_bytes > self._max_bytes // 2
            raise OverloadedError(
                "The spool is full of dead letters: see `spanloom dead-letters list`."
                if dead
                else "The spool is full: the store does not keep up.",
                RETRY_S,
            )
        self._queued_bytes += size

    def give(self, size: int) -> None:
        """Release a reservation: the request is in the file now, or refused."""
        self._queued_bytes -= size
