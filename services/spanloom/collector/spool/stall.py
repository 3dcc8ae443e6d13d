"""Tells of a store that takes nothing for long, whatever the reason: it cannot, or it refuses all.

Requests are acknowledged all the same, and the process is ready: what the spool is for. But
somebody has to look before the spool is full.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STALL_S = 60.0
"""For how long nothing has to succeed until it is told: the restart of a server passes."""


class Stall:
    """What became of the attempts to store something new."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing tried."""
        self._clock_s = clock_s
        self._since_s: float | None = None
        """The first failure after the last success."""
        self._last_s = 0.0
        self._kind = ""

    def note_failure(self, kind: str) -> None:
        """Remember that the store did not take something, and what the metrics call that."""
        self._last_s, self._kind = self._clock_s(), kind
        if self._since_s is None:
            self._since_s = self._last_s

    def note_success(self) -> None:
        """Remember that the store took something new."""
        self._since_s = None

    def trouble(self, oldest_waits_s: Callable[[], float]) -> str:
        """Return what is wrong, in words that tell nothing of any project; empty if nothing is.

        A failure that was long ago is none while nothing waits: one bad request on a quiet day
        became a dead letter.
        """
        since_s, now_s = self._since_s, self._clock_s()
        if since_s is None or now_s - since_s < STALL_S:
            return ""
        if now_s - self._last_s >= STALL_S and oldest_waits_s() < STALL_S:
            return ""
        return (
            f"the store has taken nothing for {(now_s - since_s) / 60:.0f} min ({self._kind}; the "
            "log says why): what is accepted waits in the spool or is set aside"
        )
