"""The log lines of an outage of the store: one at its beginning, one a minute, one at its end.

Every loop of a process that uses the store reports to one ``Outage``, because seven loops that each
try twice a second would fill the log. Other errors, such as data that the store refuses, are logged
where they occur.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AGAIN_S = 60.0
"""Seconds between two lines about failures, even if the store recovers in between."""
log = get_logger("store")


class Outage:
    """The store failures of one process, from all threads.

    An outage lasts from the first failure until every loop that failed has succeeded again. So a
    store that answers queries but refuses writes causes one outage, not two outages a second.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Start without failures; ``clock_s`` is monotonic."""
        self._clock_s = clock_s
        self._lock = Lock()
        self._failing: set[str] = set()
        self._since_s = 0.0
        self._failures = 0
        self._logged_s = float("-inf")
        self._is_logged = False
        """Whether the current outage has been logged; a short outage soon after another is not."""

    @contextmanager
    def watched(
        self, loop: str, kinds: tuple[type[Exception], ...] = (RetryableError,)
    ) -> Iterator[None]:
        """Run a block that uses the store, and record whether it fails because of the store.

        An error of one of the ``kinds`` ends the block and is not raised.
        """
        try:
            yield
        except kinds as error:
            self.note(loop, error)
        else:
            self.over(loop)

    def note(self, loop: str, error: Exception) -> None:
        """Record that a loop failed because of the store, and write the log line if one is due."""
        with self._lock:
            now_s = self._clock_s()
            if not self._failing:
                self._since_s, self._failures, self._is_logged = now_s, 0, False
            self._failing.add(loop)
            self._failures += 1
            if now_s - self._logged_s < AGAIN_S:
                return
            text = "the store is still not available" if self._is_logged else _FIRST
            self._logged_s, self._is_logged = now_s, True
            log.warning(
                text,
                error=str(error),
                needed_by=sorted(self._failing),
                **self._extent(now_s),
            )

    def over(self, loop: str) -> None:
        """Record that a loop succeeded; log the end of the outage if no other loop is failing."""
        if loop not in self._failing:
            return
        with self._lock:
            self._failing.discard(loop)
            if not self._failing and self._is_logged:
                log.info("the store is available again", **self._extent(self._clock_s()))

    def trouble(self) -> str:
        """Return a message if the store has been unavailable for a minute, otherwise "".

        The message contains no data from requests.
        """
        with self._lock:
            lasted_s = self._clock_s() - self._since_s
            if not self._failing or lasted_s < AGAIN_S:
                return ""
            return f"the store has not been available for {duration(lasted_s)}; the log says why"

    def _extent(self, now_s: float) -> dict[str, object]:
        return {"lasted": duration(now_s - self._since_s), "failures": self._failures}


_FIRST = "the store is not available; trying again"


def duration(seconds: float) -> str:
    """Return a duration for people: ``4 s``, ``10 min 3 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
