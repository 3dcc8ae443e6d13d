"""Agreement metrics equal published values; an undefined metric is ``None`` with a reason."""

from __future__ import annotations

import pytest

from spanloom.core.annotation.agreement import (
    NOTHING_SHARED,
    ONE_VALUE,
    alpha,
    coincidences,
    interval,
    interval_of,
    kappa,
    nominal,
    ordinal,
    percent,
)
from spanloom.core.annotation.comparison import Unit, UnitMark, compare, ordered_options
from spanloom.core.annotation.presets import presets
from spanloom.core.model.annotation import Mark

# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C.
TABLE = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
UNITS = [
    [int(value) for value in unit if value != "."]
    for unit in zip(*(row.split() for row in TABLE), strict=True)
]


@pytest.mark.parametrize(
    ("metric", "published"),
    [(nominal, 0.743), (ordinal([1, 2, 3, 4, 5]), 0.815), (interval, 0.849)],
)
def test_alpha_is_the_published_one(metric: object, published: float) -> None:
    assert alpha(coincidences(UNITS), metric).value == pytest.approx(published, abs=5e-4)  # type: ignore[arg-type]


def test_kappa_is_cohens() -> None:
    """Cohen's kappa has its published value.

    Fleiss, Statistical Methods for Rates and Proportions: 2 by 2 of 20, 5, 10, 15.
    """
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs).value == pytest.approx(0.4)
    assert percent(pairs).value == 0.7


def test_what_is_not_defined_is_none_with_a_reason() -> None:
    assert alpha(coincidences([["a"], ["b"]])) == (None, NOTHING_SHARED)
    assert alpha(coincidences([["a", "a"]] * 3)) == (None, ONE_VALUE)
    assert kappa([]) == (None, NOTHING_SHARED)
    assert kappa([("a", "a")]) == (None, ONE_VALUE)
    assert percent([]) == (None, NOTHING_SHARED)


def test_an_interval_holds_the_figure_and_is_the_same_each_time() -> None:
    runs = [coincidences([unit]) for unit in UNITS if len(unit) > 1]
    found = interval_of(runs, alpha)
    assert found is not None
    assert found[0] < 0.743 < found[1]
    assert interval_of(runs, alpha) == found
    assert interval_of(runs, alpha, seed=7) != found
    assert interval_of(runs[:1], alpha) is None


def said(trace: int, step: int, who: str, mark: Mark) -> UnitMark:
    return UnitMark(Unit(f"{trace:032x}", f"{step:016x}"), who, mark, "planner", "tool")


def test_three_annotators_with_gaps_are_compared() -> None:
    scheme = presets()["potato"]
    wrong = Mark("incorrect", "execution", "wrong_tool", "major")
    rows = [
        *(said(1, s, "ada", Mark("correct")) for s in range(3)),
        *(said(1, s, "bo", Mark("correct")) for s in range(2)),
        said(1, 2, "bo", wrong),
        said(2, 0, "ada", wrong),
        said(2, 0, "cy", wrong._replace(severity="minor")),
        said(3, 0, "cy", wrong),
    ]
    measures = {(m.name, m.level): m for m in compare(scheme, rows, {("t", "ada"): 95})}
    correctness = measures["correctness", "nominal"]
    assert (correctness.units, correctness.shared) == (5, 4)
    assert correctness.percent.value == 0.75
    assert [pair.annotators for pair in correctness.pairs] == [("ada", "bo"), ("ada", "cy")]
    assert correctness.pairs[0].confusion == {
        ("correct", "correct"): 2,
        ("correct", "incorrect"): 1,
    }
    assert measures["error_type", "nominal"].shared == 1
    assert measures["error_type", "nominal"].alpha == (None, ONE_VALUE)
    assert measures["score", "interval"].alpha == (None, NOTHING_SHARED)


def test_partially_correct_stands_between() -> None:
    assert ordered_options(presets()["potato"]) == ["correct", "partially_correct", "incorrect"]
