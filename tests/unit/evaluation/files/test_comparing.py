"""Comparing two reports: common items, differences with intervals, exact tests, and the outcome."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from spanloom.evaluation.files.comparing import compare, comparison_schema
from spanloom.evaluation.files.report import ReadReport


def report(scores: dict[str, dict[str, Any]], gates: tuple[dict[str, Any], ...] = ()) -> ReadReport:
    """Return a report of values by score and item; a pair is (value, passed)."""
    rows = [
        {"name": score, "status": "ok", "item": item}
        | dict(
            zip(
                ("value", "passed"),
                value if isinstance(value, tuple) else (value, None),
                strict=True,
            )
        )
        for score, values in scores.items()
        for item, value in values.items()
    ]
    return ReadReport.model_validate({"format": "spanloom.eval/1", "results": rows, "gates": gates})


def booleans(text: str) -> dict[str, bool]:
    return {str(at): one == "y" for at, one in enumerate(text)}


def numbers(*values: float) -> dict[str, float]:
    return {str(at): value for at, value in enumerate(values)}


def compared(a: dict[str, Any], b: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = compare(report({"s": a}, **more), report({"s": b}, **more)).model_dump(mode="json")
    jsonschema.Draft202012Validator(comparison_schema()).validate(found)
    (score,) = found["scores"]
    return dict(score)


def test_passes_are_tested_by_mcnemar() -> None:
    found = compared(booleans("n" * 6 + "y" * 4), booleans("y" * 10))
    assert (found["n"], found["a"], found["b"], found["difference"]) == (10, 0.4, 1.0, 0.6)
    assert (found["p"], found["verdict"]) == (0.03125, "better")
    assert found["detectable"] == 0.6
    assert found["low"] > 0
    worse = compared(booleans("y" * 10), booleans("n" * 6 + "y" * 4))
    assert (worse["verdict"], worse["difference"]) == ("worse", pytest.approx(-0.6))
    unsure = compared(booleans("nny"), booleans("yyy"))
    assert (unsure["verdict"], unsure["detectable"]) == ("no_difference_shown", None)


def test_numbers_are_better_where_they_are_higher_unless_lower_ones_pass() -> None:
    low, high = numbers(*range(20)), numbers(*(n + 5 + n % 3 for n in range(20)))
    assert compared(low, high)["verdict"] == "better"
    limited = ({"score": "s", "max": 10},)
    assert compared(low, high, gates=limited)["verdict"] == "worse"
    passes = [{k: (v, v < 12) for k, v in one.items()} for one in (low, high)]
    assert compared(*passes)["verdict"] == "worse"


def test_a_report_against_itself_shows_nothing() -> None:
    for values in (booleans("yn" * 30), numbers(*range(60)), {"a": 1.5}, {"a": "polite"}):
        found = compared(values, values)
        assert found["verdict"] == "no_difference_shown"
        assert found["difference"] in (0, None)


def test_items_and_scores_of_one_report_alone_are_left_out_and_named() -> None:
    a = report({"s": {"1": True, "2": True}, "only": {"1": 1}})
    b = report({"s": {"2": False, "3": True}})
    found = compare(a, b)
    assert (found.common, found.only_a, found.only_b) == (1, ["1"], ["3"])
    assert [(one.score, one.n) for one in found.scores] == [("s", 1)]


def test_several_scores_are_corrected() -> None:
    a = report({name: booleans("n" * 6) for name in "pqr"})
    b = report({name: booleans("y" * 6) for name in "pqr"})
    found = compare(a, b)
    assert [one.p_holm for one in found.scores] == [0.09375] * 3
    assert {one.verdict for one in found.scores} == {"no_difference_shown"}


def test_the_same_reports_give_the_same_numbers() -> None:
    a, b = (
        numbers(*(n * 0.37 % 1 for n in range(300))),
        numbers(*(n * 0.73 % 1 for n in range(300))),
    )
    assert compared(a, b) == compared(a, dict(reversed(b.items())))
