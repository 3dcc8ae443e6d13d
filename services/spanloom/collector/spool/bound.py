"""The spool's bound: what counts to it, and what happens when it is reached.

``--spool-max-bytes`` (``config.py``) bounds all that is acknowledged and not stored: requests that
wait, dead letters, and requests whose fsync is under way. Beyond it requests are refused with a
retry hint (503, UNAVAILABLE); nothing is ever dropped to make room. Example: with 8 GiB and 2 GiB
of dead letters, 6 GiB may wait for a store that is down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from spanloom.collector.spool.file import Totals

RECORD_BYTES = 256
"""What a record takes besides its body, roughly; keeps many tiny requests bounded too."""
RETRY_S = 5.0
"""When a refused client may try again."""


class Bound:
    """Room in the spool; the caller sees to it that one thread at a time asks."""

    def __init__(self, max_bytes: int) -> None:
        """Bound the spool to so many bytes."""
        self._max_bytes = max_bytes
        self._queued_bytes = 0

    def take(self, size: int, stored: Totals) -> None:
        """Reserve room for a request of ``size`` bytes, beside what is in the file.

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
        """Return a reservation: the request is in the file now, or refused."""
        self._queued_bytes -= size
