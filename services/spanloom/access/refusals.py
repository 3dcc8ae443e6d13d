"""Logs refused requests: at once, then at most once a minute for each cause and sender.

Other modules limit their warnings with ``OncePerMinute``, too.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable

AGAIN_S = 60.0
MOST_CAUSES = 200
"""Maximum number of causes, so that a scan of a thousand paths fills neither memory nor the log."""
MOST_CHARS = 200
_UNTOLD = frozenset({"internal", "unavailable"})
"""Outcomes that are logged elsewhere: with a traceback, or by the unavailable component."""


class Cause(NamedTuple):
    """The reason for a refusal, the endpoint, and the sender."""

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


KeyT = TypeVar("KeyT")


class OncePerMinute(Generic[KeyT]):
    """Counts events per key, and limits the log lines about each key to one a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without keys."""
        self._clock = clock
        self._seen: dict[KeyT, _Seen] = {}
        self._lock = Lock()

    def due(self, key: KeyT, rest: KeyT | None = None) -> int:
        """Count an event; return the count since the last line, 0 if none is due yet.

        Beyond ``MOST_CAUSES`` keys, events with a new key are counted with the key ``rest``, if
        given.
        """
        now = self._clock()
        with self._lock:
            if rest is not None and key not in self._seen and len(self._seen) >= MOST_CAUSES:
                key = rest
            seen = self._seen.setdefault(key, _Seen())
            seen.count += 1
            if now - seen.at < AGAIN_S:
                return 0
            events, seen.at, seen.count = seen.count, now, 0
            return events


class RefusalLog:
    """Logs each cause at most once a minute, with the number of requests since the last line."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without counted causes."""
        self._lines = OncePerMinute[Cause](clock)

    def note(self, cause: Cause, message: str) -> None:
        """Count a refused request, and write the line if it is due."""
        if cause.reason in _UNTOLD:
            return
        if requests := self._lines.due(cause, rest=Cause(cause.reason, "", "")):
            get_logger("otlp").warning(
                "requests are refused",
                reason=cause.reason,
                path=cause.where[:MOST_CHARS],
                sender=cause.peer,
                requests=requests,
                why=message[:MOST_CHARS],
            )
