"""Rate limits: token buckets for the requests and tokens per minute.

Evaluators with the same model, base URL and limits share buckets within a process.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.evaluation.judge.provider import address_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.evaluation.judge.config import Limits, ModelConfig

_MINUTE_S = 60.0


@dataclass
class _Bucket:
    """A token bucket with a capacity of one minute; its level may become negative."""

    per_minute: float
    now: Callable[[], float]
    level: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.at = self.per_minute, self.now()

    def take(self, amount: float) -> float:
        """Take an amount, and return the seconds to wait until the bucket has refilled."""
        now = self.now()
        filled = self.level + (now - self.at) * self.per_minute / _MINUTE_S
        self.level, self.at = min(self.per_minute, filled) - amount, now
        return max(0.0, -self.level) * _MINUTE_S / self.per_minute


class Pace:
    """The buckets of one model; safe to share between threads."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        """Start with full buckets; ``now`` returns seconds."""
        requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = None if requests is None else _Bucket(requests, now)
        self._tokens = None if tokens is None else _Bucket(tokens, now)
        self._lock = Lock()

    def begin(self, tokens: int) -> float:
        """Count a request of at most ``tokens`` tokens; return the seconds that it has to wait."""
        with self._lock:
            return max(
                self._requests.take(1) if self._requests else 0.0,
                self._tokens.take(tokens) if self._tokens else 0.0,
            )

    def end(self, counted: int, used: int) -> None:
        """Put the unused tokens of a request back into the bucket."""
        if self._tokens is not None:
            with self._lock:
                self._tokens.take(used - counted)


_paces: dict[tuple[str, str, Limits], Pace] = {}
_creating = Lock()


def pace_of(config: ModelConfig) -> Pace:
    """Return the rate limiter of a model, shared by all evaluators with the same limits."""
    key = config.model, address_of(config.model), config.limits
    with _creating:
        return _paces.setdefault(key, Pace(config.limits))
