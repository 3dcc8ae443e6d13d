"""Decides gates: compares a statistic with its limits, or with another report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.evaluation.files.measures import seed_of
from spanloom.evaluation.statistics.resampling import bootstrap_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.evaluation.files.config.models import Gate, Stat
    from spanloom.evaluation.files.measures import Estimate, Measure

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
_PROOF_NEEDS = 2
"""Minimum number of items from which an interval can prove anything."""


class Decision(NamedTuple):
    """A gate, the values that decided it, and whether it passed."""

    gate: Gate
    stat: Stat
    value: float | None
    low: float | None
    high: float | None
    verdict: str
    reason: str

    def to_json(self) -> dict[str, Any]:  # JSON values
        """Return the decision as a member of ``gates`` in a report."""
        set_ = self.gate.model_dump(exclude_none=True, exclude={"score", "stat"})
        decided = {"value": self.value, "low": self.low, "high": self.high}
        outcome = {"verdict": self.verdict, "reason": self.reason}
        return {"score": self.gate.score, "stat": self.stat, **set_, **decided, **outcome}


def decide(
    gate: Gate,
    measure: Measure,
    base: Measure | None = None,
    *,
    needs_proof: bool = False,
    only_warns: bool = False,
) -> Decision:
    """Decide a gate; ``base`` is the score's measure in the report that ``no_worse_than`` names.

    With ``needs_proof`` the gate is undecided if the interval contains the limit. With
    ``only_warns`` it never fails.
    """
    if gate.is_relative:
        decision = _against(gate, measure, base, needs_proof=needs_proof)
    else:
        decision = _within(gate, measure, needs_proof=needs_proof)
    if only_warns and decision.verdict == FAILED:
        reason = f"{decision.reason}; the score only warns"
        return decision._replace(verdict=PASSED, reason=reason)
    return decision


def _within(gate: Gate, measure: Measure, *, needs_proof: bool) -> Decision:
    stat = gate.stat or measure.usual_stat()
    found = measure.estimate(stat)
    if found is None:
        return _nothing(gate, stat, _without(measure, stat))
    verdict, reason = _compared(gate, found, stat)
    unproven = needs_proof and _unproven(gate, found, len(measure.judged))
    if unproven:
        verdict, reason = UNDECIDED, unproven
    return Decision(gate, stat, *found, verdict, reason)


def _compared(gate: Gate, found: Estimate, stat: Stat) -> tuple[str, str]:
    ends = {"lower": found.low, "upper": found.high, None: found.value}
    value = ends[gate.bound]
    assert value is not None  # noqa: S101  # `Gate` allows a bound only with an interval
    named = f"the {gate.bound} bound of {stat}" if gate.bound else stat
    if gate.min is not None and value < gate.min:
        return FAILED, f"{named} {number(value)} is below {number(gate.min)}"
    if gate.max is not None and value > gate.max:
        return FAILED, f"{named} {number(value)} is above {number(gate.max)}"
    return PASSED, f"{named} {number(value)} is {_limits(gate)}"


def _limits(gate: Gate) -> str:
    least = f"at least {number(gate.min)}" if gate.min is not None else ""
    most = f"at most {number(gate.max)}" if gate.max is not None else ""
    return " and ".join(filter(None, (least, most)))


def _unproven(gate: Gate, found: Estimate, items: int) -> str:
    """Return why the interval proves nothing; empty if it proves the result or does not exist."""
    low, high = found.low, found.high
    if low is None or high is None:
        return ""
    if items < _PROOF_NEEDS:
        return "one item proves nothing"
    held = [
        limit
        for limit, is_inside in (
            (gate.min, gate.min is not None and low < gate.min <= high),
            (gate.max, gate.max is not None and low <= gate.max < high),
        )
        if is_inside
    ]
    if not held or held[0] is None:
        return ""
    return f"the interval {interval(low, high)} holds the limit {number(held[0])}"


def _against(gate: Gate, measure: Measure, base: Measure | None, *, needs_proof: bool) -> Decision:
    stat = gate.stat or measure.usual_stat()
    if base is None:
        return _nothing(gate, stat, f"{gate.no_worse_than} has no score {gate.score}")
    pairs = differences(base, measure, stat)
    if not pairs:
        return _nothing(gate, stat, f"no item has this score here and in {gate.no_worse_than}")
    value, low, high = bootstrap_mean(list(pairs.values()), seed_of(gate.score, pairs))
    floor = -(gate.margin or 0.0)
    summary = f"{stat} differs by {number(value)} {interval(low, high)} on {len(pairs)} items"
    if low >= floor:
        verdict, reason = PASSED, f"{summary}: not below {number(floor)}"
    elif needs_proof and high >= floor:
        verdict, reason = UNDECIDED, f"{summary}: the interval holds {number(floor)}"
    else:
        verdict, reason = FAILED, f"{summary}: it reaches below {number(floor)}"
    return Decision(gate, stat, value, low, high, verdict, reason)


def differences(base: Measure, other: Measure, stat: Stat) -> Mapping[str, float]:
    """Return ``other`` minus ``base`` for each common item, keyed by item key."""
    is_rate = stat == "pass_rate"
    before = base.passes if is_rate else base.numbers
    after = other.passes if is_rate else other.numbers
    return {item: after[item] - before[item] for item in after if item in before}


def _nothing(gate: Gate, stat: Stat, reason: str) -> Decision:
    return Decision(gate, stat, None, None, None, UNDECIDED, reason)


def _without(measure: Measure, stat: Stat) -> str:
    if not measure.judged:
        return f"no result of status ok among {measure.statuses.total()}"
    return f"no result has what {stat} needs"


def number(value: float) -> str:
    """Format a number: without decimals from 1,000 on, otherwise with four significant digits."""
    return f"{value:,.0f}" if 1_000 <= abs(value) < 1e15 else f"{value:.4g}"


def interval(low: float | None, high: float | None) -> str:
    """Format an interval; empty if there is none."""
    if low is None or high is None:
        return ""
    return f"[{number(low)}, {number(high)}]"
