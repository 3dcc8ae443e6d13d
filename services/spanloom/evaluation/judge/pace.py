"""Token buckets for the requests and tokens of a minute: how long a request has to wait.

Evaluators with the same model, address and limits share their buckets within a process.
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
    """Holds what a minute allows, and fills all the time; what is taken too early is owed."""

    per_minute: float
    now: Callable[[], float]
    level: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.at = self.per_minute, self.now()

    def take(self, amount: float) -> float:
        """Take an amount, and return the seconds until it is there."""
        now = self.now()
        filled = self.level + (now - self.at) * self.per_minute / _MINUTE_S
        self.level, self.at = min(self.per_minute, filled) - amount, now
        return max(0.0, -self.level) * _MINUTE_S / self.per_minute


class Pace:
    """The buckets of one model; threads share them."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        """Start with full buckets; ``now`` tells seconds."""
        requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = None if requests is None else _Bucket(requests, now)
        self._tokens = None if tokens is None else _Bucket(tokens, now)
        self._lock = Lock()

    def begin(self, tokens: int) -> float:
        """Count a request that may take so many tokens; return the seconds that it has to wait."""
        with self._lock:
            return max(
                self._requests.take(1) if self._requests else 0.0,
                self._tokens.take(tokens) if self._tokens else 0.0,
            )

    def end(self, counted: int, used: int) -> None:
        """Give back the tokens that a request did not take."""
        if self._tokens is not None:
            with self._lock:
                self._tokens.take(used - counted)


_paces: dict[tuple[str, str, Limits], Pace] = {}
_making = Lock()


def pace_of(config: ModelConfig) -> Pace:
    """Return the pace of a model, the same for all who ask it within the same limits."""
    key = config.model, address_of(config.model), config.limits
    with _making:
        return _paces.setdefault(key, Pace(config.limits))
