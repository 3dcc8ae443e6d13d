"""Decides whether and when to retry; clock and random numbers are passed in, nothing is sent.

Transient failures (429, 503, and connections that failed or broke) are retried if the request is
safe to repeat. ``Retry-After`` is obeyed; without it the pauses double, with jitter, so that many
clients do not retry at the same moment. ::

    1st try: 503 → 0.125 to 0.25 s → 2nd: 503 → 0.25 to 0.5 s → 3rd: 503, Retry-After: 2 → 2 s
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanloom.client.errors import UnreachableError
from spanloom.client.request import Reply

if TYPE_CHECKING:
    from spanloom.client.errors import ClientError
    from spanloom.client.request import Request

PASSING = frozenset({429, 503})
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 8.0


@dataclass(frozen=True)
class Patience:
    """The time limits and the number of tries of a request."""

    timeout_s: float = 30.0
    """Seconds for each try."""
    deadline_s: float = 60.0
    """Seconds for all tries together, including the pauses."""
    tries: int = 5


class Tries:
    """The tries of one request. The caller passes in the time and random numbers."""

    def __init__(self, patience: Patience, request: Request, now: float) -> None:
        """Start at a time of the caller's monotonic clock, in seconds."""
        self._patience = patience
        self._most = patience.tries if request.is_repeatable else 1
        self._until = now + max(patience.deadline_s, patience.timeout_s)
        self._made = 0

    def timeout_s(self, now: float) -> float:
        """Return the maximum seconds of the next try."""
        return max(0.001, min(self._patience.timeout_s, self._until - now))

    def pause_s(self, outcome: Reply | ClientError, now: float, dice: float) -> float | None:
        """Return the seconds to wait before the next try; ``None`` if this was the last try.

        ``dice`` is a number from 0 to 1.
        """
        self._made += 1
        if self._made >= self._most or not may_pass(outcome):
            return None
        pause = _requested_pause_s(outcome)
        if pause is None:
            longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (self._made - 1))
            pause = longest * (1 + dice) / 2
        return pause if now + pause < self._until else None


def may_pass(outcome: Reply | ClientError) -> bool:
    """Return whether the failure is transient, so that a retry may succeed."""
    if isinstance(outcome, Reply):
        return outcome.status in PASSING
    return isinstance(outcome, UnreachableError)


def _requested_pause_s(outcome: Reply | ClientError) -> float | None:
    return outcome.retry_after_s if isinstance(outcome, Reply) else None
