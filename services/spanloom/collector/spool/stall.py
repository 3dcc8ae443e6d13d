"""Detects that nothing was stored for long: the store is unavailable, or refuses everything.

Requests are still acknowledged and the process stays ready, thanks to the spool. But the operator
has to act before the spool is full.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STALL_S = 60.0
"""Time without success before a stall is reported; longer than the restart of a server."""


class Stall:
    """Outcome of the recent attempts to store something new."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Begin without attempts."""
        self._clock_s = clock_s
        self._since_s: float | None = None
        """Time of the first failure after the last success."""
        self._last_s = 0.0
        self._kind = ""

    def note_failure(self, kind: str) -> None:
        """Record a failed attempt and its kind in the metrics."""
        self._last_s, self._kind = self._clock_s(), kind
        if self._since_s is None:
            self._since_s = self._last_s

    def note_success(self) -> None:
        """Record that something new was stored."""
        self._since_s = None

    def trouble(self, oldest_waits_s: Callable[[], float]) -> str:
        """Return a description of the stall that reveals nothing of any project, empty if none.

        An old failure does not count while nothing waits: one bad request on a quiet day has
        become a dead letter.
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
