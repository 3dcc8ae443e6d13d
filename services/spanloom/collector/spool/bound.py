"""Limits the spool by its size.

``--spool-max-bytes`` (``config/receiving.py``) limits the sum of waiting requests, dead letters,
and requests that are being fsynced. Requests beyond the limit are refused with a retry hint (503,
UNAVAILABLE); nothing is ever dropped to make room. Example: if the limit is 8 GiB and dead letters
take 2 GiB, 6 GiB of requests may wait for a store that is down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from spanloom.collector.spool.file import Totals

RECORD_BYTES = 256
"""Approximate bytes of a record in addition to its body; matters for tiny requests."""
RETRY_S = 5.0
"""Retry hint for refused clients, in seconds."""
FULL_PART = 2
"""A spool of which 1 / ``FULL_PART`` is free is not full, even if a large request was refused."""


class Bound:
    """Tracks the space reserved in the spool; not thread-safe, so the caller must hold a lock."""

    def __init__(self, max_bytes: int) -> None:
        """Limit the spool to ``max_bytes``."""
        self._max_bytes = max_bytes
        self._queued_bytes = 0
        self._refused_bytes = 0

    def is_full(self, stored: Totals) -> bool:
        """Return whether a request as large as the last refused request would be refused again.

        A half-empty spool is not full, even if a larger request was refused.
        """
        used = stored.bytes + stored.dead_bytes + self._queued_bytes
        is_full = self._refused_bytes > 0 and used + self._refused_bytes > self._max_bytes
        if not is_full:
            self._refused_bytes = 0
        return is_full

    def take(self, size: int, stored: Totals) -> None:
        """Reserve space for a request of ``size`` bytes; ``stored`` has the totals of the file.

        Raises ``OverloadedError`` if there is not enough space.
        """
        if stored.bytes + stored.dead_bytes + self._queued_bytes + size > self._max_bytes:
            self._refused_bytes = min(size, self._max_bytes // FULL_PART)
            dead = stored.dead_bytes > self._max_bytes // 2
            raise OverloadedError(
                "The spool is full of dead letters: see `spanloom dead-letters list`."
                if dead
                else "The spool is full: the store does not keep up.",
                RETRY_S,
            )
        self._queued_bytes += size

    def give(self, size: int) -> None:
        """Release a reservation, once the request is in the file or refused."""
        self._queued_bytes -= size
