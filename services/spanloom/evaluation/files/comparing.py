"""Compares two reports, B against A, on their common items: ``spanloom.compare/1``."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from spanloom.evaluation.files.bases import measures_of
from spanloom.evaluation.files.gates import differences
from spanloom.evaluation.files.measures import OK, as_number, passes, seed_of
from spanloom.evaluation.statistics.pairs import sign_flip
from spanloom.evaluation.statistics.proportions import mcnemar
from spanloom.evaluation.statistics.resampling import bootstrap_mean
from spanloom.evaluation.statistics.several import holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.evaluation.files.config.models import Stat
    from spanloom.evaluation.files.measures import Measure
    from spanloom.evaluation.files.report import ReadReport, ReadRow

FORMAT = "spanloom.compare/1"
ALPHA = 0.05
Verdict = Literal["better", "worse", "no_difference_shown"]


class ComparedScore(BaseModel):
    """A score in two reports, on the items that have it in both."""

    model_config = ConfigDict(extra="forbid")

    score: str
    n: int = Field(description="Items.")
    a: float | None = Field(description="The pass rate of A, of numbers the mean.")
    b: float | None = Field(description="The pass rate or mean of B.")
    difference: float | None = Field(description="B less A.")
    low: float | None = Field(description="Lower end of its 95 % interval.")
    high: float | None = Field(description="Its upper end.")
    p: float | None = Field(description="Exact McNemar of passes, flipped signs of numbers.")
    p_holm: float | None = Field(description="Corrected for the number of scores.")
    verdict: Verdict
    detectable: float | None = Field(
        description="The smallest difference detectable with this number of items; null: none."
    )


class Comparison(BaseModel):
    """The result of `spanloom eval compare`."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["spanloom.compare/1"]
    common: int = Field(description="Items that both reports have.")
    only_a: list[str] = Field(description="The keys of items that only one report has.")
    only_b: list[str]
    scores: list[ComparedScore]


class _Pairs(NamedTuple):
    """The values of a score on the items that both reports have."""

    score: str
    a: Sequence[float]
    b: Sequence[float]
    is_rate: bool
    is_lower_better: bool
    seed: bytes

    @property
    def differences(self) -> Sequence[float]:
        return [b - a for a, b in zip(self.a, self.b, strict=True)]


def compare(a: ReadReport, b: ReadReport) -> Comparison:
    """Return the comparison of two reports; scores in only one report are left out."""
    in_a, in_b = ({row.item for row in one.results} for one in (a, b))
    before, after = measures_of(a), measures_of(b)
    rows: defaultdict[str, list[ReadRow]] = defaultdict(list)
    for row in (*a.results, *b.results):
        if row.status == OK:
            rows[row.name].append(row)
    pairs = [
        _pairs(before[score], after[score], rows[score], _limited(score, a, b))
        for score in before
        if score in after
    ]
    p_values = [_p_of(one) for one in pairs]
    compared = [
        _row(one, p, p_holm, len(pairs))
        for one, p, p_holm in zip(pairs, p_values, holm(p_values), strict=True)
    ]
    return Comparison(
        format=FORMAT,
        common=len(in_a & in_b),
        only_a=sorted(in_a - in_b),
        only_b=sorted(in_b - in_a),
        scores=compared,
    )


def comparison_schema() -> dict[str, Any]:  # JSON values
    """Return the JSON Schema of a comparison."""
    return Comparison.model_json_schema()


def _pairs(before: Measure, after: Measure, own: Sequence[ReadRow], limited: bool | None) -> _Pairs:
    is_rate = all(isinstance(row.value, bool) or not _is_number(row.value) for row in own)
    stat: Stat = "pass_rate" if is_rate else "mean"
    common = list(differences(before, after, stat))
    first = before.passes if is_rate else before.numbers
    second = after.passes if is_rate else after.numbers
    lower = not is_rate and (_falls(own) if limited is None else limited)
    seed = seed_of(before.score, common)
    return _Pairs(
        before.score, [first[i] for i in common], [second[i] for i in common], is_rate, lower, seed
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _limited(score: str, *reports: ReadReport) -> bool | None:
    """Return whether gates set only a maximum for a score; ``None`` if they set no limit."""
    gates = [gate for one in reports for gate in one.gates if gate.score == score]
    has_min = any(gate.min is not None for gate in gates)
    has_max = any(gate.max is not None for gate in gates)
    return has_max and not has_min if has_min or has_max else None


def _falls(rows: Iterable[ReadRow]) -> bool:
    """Return whether failed results are higher on average, so that lower numbers are better."""
    found: Mapping[bool, list[float]] = {True: [], False: []}
    for row in rows:
        passed = passes(row.model_dump())
        if passed is not None and row.value is not None and not isinstance(row.value, str):
            found[passed].append(as_number(row.value))
    return bool(found[True] and found[False]) and _mean(found[True]) < _mean(found[False])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _p_of(pairs: _Pairs) -> float:
    if pairs.is_rate and all(value in (0, 1) for value in (*pairs.a, *pairs.b)):
        return mcnemar(sum(d < 0 for d in pairs.differences), sum(d > 0 for d in pairs.differences))
    return sign_flip(pairs.differences, pairs.seed)


def _row(pairs: _Pairs, p: float, p_holm: float, tests: int) -> ComparedScore:
    n = len(pairs.a)
    if not n:
        nothing = dict.fromkeys(("a", "b", "difference", "low", "high", "p", "p_holm"))
        return ComparedScore(
            score=pairs.score, n=0, verdict="no_difference_shown", detectable=None, **nothing
        )
    difference, low, high = bootstrap_mean(pairs.differences, pairs.seed)
    return ComparedScore(
        score=pairs.score,
        n=n,
        a=_mean(pairs.a),
        b=_mean(pairs.b),
        difference=difference,
        low=low,
        high=high,
        p=p,
        p_holm=p_holm,
        verdict=_verdict(pairs, difference, p_holm),
        detectable=_detectable(pairs, low, high, ALPHA / tests),
    )


def _verdict(pairs: _Pairs, difference: float, p_holm: float) -> Verdict:
    if p_holm >= ALPHA or not difference:
        return "no_difference_shown"
    return "better" if (difference > 0) != pairs.is_lower_better else "worse"


def _detectable(pairs: _Pairs, low: float, high: float, alpha: float) -> float | None:
    """Return the smallest detectable difference; ``None`` if there is none or it is unknown.

    For pass rates, the share of items that would have to change in one direction; for numbers,
    half the width of the interval.
    """
    n = len(pairs.a)
    least = next((d for d in range(1, n + 1) if mcnemar(0, d) < alpha), None)
    if least is None or (not pairs.is_rate and high == low):
        return None
    return least / n if pairs.is_rate else (high - low) / 2
