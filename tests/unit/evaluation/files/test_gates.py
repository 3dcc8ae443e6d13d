"""Gates: statistics over items, limits and intervals, comparison with a report, required proof."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.evaluations import GOOD, RAW, config_of, judged

from spanloom.evaluation.files.config.models import Gate
from spanloom.evaluation.files.gates import Decision, decide
from spanloom.evaluation.files.measures import Measure, measure, percentile
from spanloom.evaluation.files.outcome import Outcome, Strictness, conclude


def row(item: str, value: object, passed: bool | None = None, status: str = "ok") -> dict[str, Any]:
    return {"name": "s", "item": item, "status": status, "value": value, "passed": passed}


def of(*rows: dict[str, Any]) -> Measure:
    return measure(rows, ["s"])["s"]


def numbers(*values: float) -> Measure:
    return of(*(row(str(at), value) for at, value in enumerate(values)))


def booleans(passed: int, failed: int) -> Measure:
    return of(*(row(str(n), n < passed) for n in range(passed + failed)))


def verdict(measure_: Measure, needs_proof: bool = False, **gate: Any) -> Decision:
    return decide(Gate(score="s", **gate), measure_, needs_proof=needs_proof)


@pytest.mark.parametrize(
    ("stat", "value"),
    [("mean", 4.0), ("min", 1.0), ("max", 10.0), ("p50", 3.0), ("p95", 8.8), ("count", 5.0)],
)
def test_statistics(stat: str, value: float) -> None:
    found = verdict(numbers(1, 2, 10, 3, 4), stat=stat, min=0)
    assert found.value == pytest.approx(value)
    assert found.verdict == "passed"


def test_percentiles_lie_between_numbers() -> None:
    assert percentile([1.0], 0.95) == 1.0
    assert percentile([1.0, 2.0], 0.5) == 1.5


def test_the_interval_of_a_pass_rate_is_that_of_wilson() -> None:
    found = verdict(booleans(8, 2), min=0.8)
    assert (found.stat, found.value, found.verdict) == ("pass_rate", 0.8, "passed")
    assert found.low == pytest.approx(0.4902, abs=1e-4)
    assert found.high == pytest.approx(0.9433, abs=1e-4)


def test_repeats_of_an_item_are_averaged_first() -> None:
    measured = of(*(row("a", n == 0) for n in range(4)), row("b", True))
    found = verdict(measured, min=0.6)
    assert (found.value, found.verdict) == (0.625, "passed")
    assert (measured.passed, measured.statuses["ok"]) == (2, 5)


def test_other_statuses_are_in_no_denominator() -> None:
    measured = of(row("a", True), *(row(s, None, None, s) for s in ("error", "na", "skipped")))
    assert verdict(measured, min=1).verdict == "passed"


def test_a_bound_takes_the_end_of_the_interval() -> None:
    assert verdict(booleans(10, 0), min=0.7, bound="lower").verdict == "passed"
    failed = verdict(booleans(10, 0), min=0.8, bound="lower")
    assert (failed.verdict, failed.reason) == (
        "failed",
        "the lower bound of pass_rate 0.7225 is below 0.8",
    )
    assert verdict(numbers(1, 2, 3), stat="mean", max=2.1, bound="upper").verdict == "failed"
    assert verdict(numbers(1, 2, 3), stat="mean", max=2.1).verdict == "passed"


@pytest.mark.parametrize(
    ("passed", "limits", "said"),
    [
        (10, {"min": 0.7}, "passed"),
        (10, {"min": 0.8}, "undecided"),
        (5, {"min": 0.8}, "failed"),
        (5, {"min": 0.6}, "undecided"),
        (0, {"max": 0.3}, "passed"),
        (0, {"max": 0.2}, "undecided"),
        (10, {"max": 0.5}, "failed"),
    ],
)
def test_proof_is_an_interval_that_does_not_hold_the_limit(
    passed: int, limits: dict[str, float], said: str
) -> None:
    assert verdict(booleans(passed, 10 - passed), needs_proof=True, **limits).verdict == said


def test_one_item_proves_nothing_and_what_has_no_interval_needs_no_proof() -> None:
    assert verdict(numbers(1), True, stat="mean", min=0).verdict == "undecided"
    assert verdict(numbers(1), True, stat="max", min=0).verdict == "passed"


@pytest.mark.parametrize(
    "rows",
    [[], [row("a", None, None, "error")], [row("a", "polite")]],
    ids=["nothing", "errors alone", "no number"],
)
def test_without_a_result_nothing_is_decided(rows: list[dict[str, Any]]) -> None:
    found = verdict(of(*rows), stat="mean", min=0)
    assert (found.verdict, found.value) == ("undecided", None)


def test_categories_pass_as_they_say() -> None:
    measured = of(row("a", "polite", True), row("b", "rude", False))
    assert verdict(measured, min=0.5).value == 0.5


def against(base: Measure | None, now: Measure, **more: Any) -> Decision:
    needs_proof = more.pop("needs_proof", False)
    gate = Gate(score="s", no_worse_than="base.json", **more)
    return decide(gate, now, base, needs_proof=needs_proof)


def test_no_worse_than_takes_the_interval_of_the_paired_difference() -> None:
    same = booleans(7, 3)
    assert against(same, same).verdict == "passed"
    worse = against(booleans(10, 0), booleans(6, 4), margin=0.05)
    assert worse.verdict == "failed"
    assert worse.value == pytest.approx(-0.4)
    assert against(booleans(10, 0), booleans(6, 4), margin=0.9).verdict == "passed"
    unsure = {"margin": 0.3, "needs_proof": True}
    assert against(booleans(10, 0), booleans(6, 4), **unsure).verdict == "undecided"
    assert against(booleans(10, 0), booleans(0, 10), **unsure).verdict == "failed"
    assert against(None, same).verdict == "undecided"
    other = of(row("elsewhere", True))
    assert against(other, same).verdict == "undecided"


def test_what_only_warns_fails_no_gate() -> None:
    gate = Gate(score="s", min=1)
    found = decide(gate, booleans(0, 3), only_warns=True)
    assert (found.verdict, found.reason.endswith("only warns")) == ("passed", True)
    assert decide(gate, of(), only_warns=True).verdict == "undecided"


GATE = Strictness(is_gate=True)


def concluded(values: list[object], asked: Strictness = GATE, **members: Any) -> Outcome:
    config = config_of(members.pop("evaluator", GOOD), **members)
    return conclude(config, judged(config, values), {}, asked)


BOTH = [{"score": "good", "min": 0.9}, {"score": "good", "stat": "p50", "min": 0.9}]


@pytest.mark.parametrize(
    ("values", "members", "status", "code"),
    [
        ([0.9, 0.8], {}, "passed", 0),
        ([0.9, 0.8], {"gates": BOTH[:1]}, "passed", 0),
        ([0.9, 0.1], {"gates": BOTH[:1]}, "failed", 1),
        ([{"na": 1}], {"gates": BOTH[:1]}, "undecided", 3),
        ([0.9, {"error": 1}], {"gates": BOTH[:1]}, "undecided", 3),
        ([0.9, {"error": 1}], {"gates": BOTH[:1], "max_errors": 1}, "passed", 0),
        ([0.1, {"error": 1}], {"gates": BOTH[:1]}, "undecided", 3),  # 3 overrides 1
        ([0.9, 0.9], {"gates": BOTH[:1], "min_items": 3}, "undecided", 3),
        ([0.9, 0.9, {"na": 1}], {"gates": BOTH[:1], "min_items": 3}, "undecided", 3),
        ([], {}, "passed", 0),
        ([], {"min_items": 1}, "undecided", 3),
        ([0.1], {"evaluator": {**GOOD, "warns": True}, "gates": BOTH[:1]}, "passed", 0),
    ],
)
def test_exit_statuses(
    values: list[object], members: dict[str, Any], status: str, code: int
) -> None:
    found = concluded(values, **members)
    assert (found.status, found.exit_code) == (status, code)


def test_without_a_gate_the_scores_do_not_matter() -> None:
    several: list[list[object]] = [[0.1], [{"error": 1}], []]
    for values in several:
        assert concluded(values, Strictness(), gates=BOTH).exit_code == 0


def test_what_is_broken_off_or_interrupted_decides_nothing() -> None:
    config = config_of(RAW)
    for is_gate in (True, False):
        asked = Strictness(is_gate)
        broken = conclude(config, judged(config, [1.0]), {}, asked, broken_off="nobody answers")
        assert (broken.status, broken.exit_code) == ("undecided", 3)
        ended = conclude(config, judged(config, [1.0]), {}, asked, is_interrupted=True)
        assert (ended.status, ended.exit_code) == ("undecided", 130)
