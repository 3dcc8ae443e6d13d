"""Logs refused requests: at once, then at most once a minute for each cause and sender."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable

AGAIN_S = 60.0
MOST_CAUSES = 200
"""Causes that are distinguished; a scan of a thousand paths neither fills memory nor the log."""
MOST_CHARS = 200
_UNTOLD = frozenset({"internal", "unavailable"})
"""Outcomes that are logged elsewhere: with a traceback, or by the part that is not available."""


class Cause(NamedTuple):
    """What was refused, and for whom."""

    reason: str
    """The outcome as in the metrics: ``unauthenticated``, ``too_large``."""
    where: str
    """Path or method of the request."""
    peer: str
    """Host of the sender."""


class _Seen:
    def __init__(self) -> None:
        self.at = float("-inf")
        self.count = 0


class RefusalLog:
    """Writes a line for each cause, with the number of requests since the line before."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Know no cause yet."""
        self._clock = clock
        self._seen: dict[Cause, _Seen] = {}
        self._lock = Lock()

    def note(self, cause: Cause, message: str) -> None:
        """Count a refused request, and write the line if it is due."""
        if cause.reason in _UNTOLD:
            return
        if requests := self._due(cause):
            get_logger("otlp").warning(
                "requests are refused",
                reason=cause.reason,
                path=cause.where[:MOST_CHARS],
                sender=cause.peer,
                requests=requests,
                why=message[:MOST_CHARS],
            )

    def _due(self, cause: Cause) -> int:
        """Return the number of requests to report; 0 if the last line is younger than a minute."""
        now = self._clock()
        with self._lock:
            if cause not in self._seen and len(self._seen) >= MOST_CAUSES:
                cause = Cause(cause.reason, "", "")
            seen = self._seen.setdefault(cause, _Seen())
            seen.count += 1
            if now - seen.at < AGAIN_S:
                return 0
            requests, seen.at, seen.count = seen.count, now, 0
            return requests
