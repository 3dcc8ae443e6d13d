"""Summarises the results of a score: counts, and statistics over items with their intervals.

Repeats of an item are averaged first. Statistics use results of status ``ok`` only; the other
results are counted.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.evaluation.files.config.models import WITH_INTERVAL
from spanloom.evaluation.statistics.proportions import wilson
from spanloom.evaluation.statistics.resampling import bootstrap_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.evaluation.files.config.models import Stat

OK = "ok"
_SEED = "spanloom.eval.v1"
_MOST = 1e300
"""Numbers are clamped to this size, so that the sums of millions of them are finite."""


class Estimate(NamedTuple):
    """A statistic, with its 95 % interval if it has one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(slots=True)
class Measure:
    """All results of one score."""

    score: str
    statuses: Counter[str] = field(default_factory=Counter)
    passed: int = 0
    judged: set[str] = field(default_factory=set)
    """Items with a result of status ``ok``."""
    _passes: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _numbers: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _estimates: dict[Stat, Estimate | None] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:  # JSON values
        """Add a result with its item."""
        self._estimates.clear()
        self.statuses[row["status"]] += 1
        if row["status"] != OK:
            return
        item, value = row["item"], row["value"]
        self.judged.add(item)
        if (passed := passes(row)) is not None:
            self.passed += passed
            self._passes[item].append(float(passed))
        if isinstance(value, bool | int | float):
            self._numbers[item].append(as_number(value))

    @property
    def passes(self) -> Mapping[str, float]:
        """The share of passed results, keyed by item.

        Items without passed or failed results are absent.
        """
        return {item: _average(self._passes[item]) for item in sorted(self._passes)}

    @property
    def numbers(self) -> Mapping[str, float]:
        """Averages, keyed by item; a boolean counts as 0 or 1, items without numbers are absent."""
        return {item: _average(self._numbers[item]) for item in sorted(self._numbers)}

    def usual_stat(self) -> Stat:
        """Return ``pass_rate`` if any result passed or failed, otherwise ``mean``."""
        return "pass_rate" if self._passes or not self._numbers else "mean"

    @property
    def mean(self) -> float | None:
        """The mean over the items, without its interval; ``None`` if no item has a number."""
        return _average([*self.numbers.values()]) if self._numbers else None

    def estimate(self, stat: Stat) -> Estimate | None:
        """Return a statistic over the items; ``None`` if no result has the needed value."""
        if stat not in self._estimates:
            self._estimates[stat] = self._estimated(stat)
        return self._estimates[stat]

    def usual(self) -> Estimate | None:
        """Return the pass rate, or the mean if there are only numbers."""
        return self.estimate(self.usual_stat())

    def _estimated(self, stat: Stat) -> Estimate | None:
        if stat == "count":
            return Estimate(float(len(self.judged))) if self.judged else None
        found = self.passes if stat == "pass_rate" else self.numbers
        if not found:
            return None
        values = list(found.values())
        if stat == "pass_rate":
            share = math.fsum(values)
            return Estimate(share / len(values), *wilson(share, len(values)))
        if stat in WITH_INTERVAL:
            return Estimate(*bootstrap_mean(values, seed_of(self.score, found)))
        return Estimate(_PLACES[stat](sorted(values)))


def passes(row: Mapping[str, Any]) -> bool | None:  # JSON values
    """Return ``passed`` of a result, or else its boolean value; ``None`` if it has neither."""
    if row["passed"] is not None:
        return bool(row["passed"])
    return row["value"] if isinstance(row["value"], bool) else None


def as_number(value: float) -> float:
    """Return a boolean or number as a float, clamped to ±``_MOST``."""
    return float(min(max(value, -_MOST), _MOST))


def measure(rows: Iterable[Mapping[str, Any]], scores: Sequence[str]) -> dict[str, Measure]:
    """Return the measures of rows, keyed by score: ``scores``, then others as they appear."""
    found = {score: Measure(score) for score in scores}
    for row in rows:
        name = row["name"]
        if name not in found:
            found[name] = Measure(name)
        found[name].add(row)
    return found


def seed_of(score: str, items: Iterable[str]) -> bytes:
    """Return the random seed of a score: a hash of its name and the keys of its items."""
    digest = hashlib.sha256(_SEED.encode())
    for part in (score, *sorted(items)):
        digest.update(b"\0" + part.encode(errors="replace"))
    return digest.digest()


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return a percentile of sorted numbers, linearly interpolated; ``share`` is 0 to 1."""
    at = (len(ordered) - 1) * share
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


_PLACES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "min": lambda ordered: ordered[0],
    "max": lambda ordered: ordered[-1],
    "p50": lambda ordered: percentile(ordered, 0.5),
    "p95": lambda ordered: percentile(ordered, 0.95),
}


def _average(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
