"""Assignment of runs to items, repeated runs, and results for missing or unreadable runs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.support.evaluations import RAW, config_of, judged
from tests.support.stub_kinds import run_document

from spanloom.core.errors import InvalidRequestError
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.files.items import read_item
from spanloom.evaluation.files.judging import Judgement, run_to_judge


def item(key: str, response: str = "", **source: Any) -> dict[str, Any]:
    expected = {"response": response} if response else {}
    return {"item_key": key, "expected": expected, "source": source or None, "splits": []}


def judge(items: list[dict[str, Any]], runs: list[dict[str, Any]]) -> Judgement:
    judgement = Judgement(config_of(RAW).evaluators)
    for one in items:
        judgement.items.add(read_item(one))
    for run in runs:
        judgement.take(run_to_judge(run))
    judgement.finish()
    return judgement


def placed(judgement: Judgement) -> list[tuple[str, int, int]]:
    """Return item, repeat and trace id (as a number) of each result."""
    rows = [row.result for row in judgement.rows()]
    return [(r["item"], r["repeat"], int(r["trace_id"] or "0", 16)) for r in rows]


def test_a_run_belongs_to_the_item_that_names_its_trace_else_to_the_one_that_it_names() -> None:
    runs = [run_document(n, {"score": n}) for n in (1, 2, 3, 4)]
    runs[2]["extraction"]["metadata"] = {"item_key": "c"}
    items = [item("a", "x", trace_id=f"{1:032X}"), item(f"{2:032x}"), item("c")]
    assert sorted(placed(judge(items, runs))) == [
        (f"{2:032x}", 0, 2),
        (f"{4:032x}", 0, 4),
        ("a", 0, 1),
        ("c", 0, 3),
    ]


def test_a_run_is_judged_by_what_its_item_expects() -> None:
    (row,) = judge(
        [item("a", "Oslo", trace_id=f"{1:032x}")], [run_document(1, {"score": 1})]
    ).rows()
    assert row.result["rationale"] == "1 of Oslo"
    assert row.excerpts == ['agent planner: output {"score": 1}']


def test_runs_of_one_item_are_its_repeats_by_start_and_trace() -> None:
    runs = [run_document(n, {"score": n}, metadata={"item_key": "a"}) for n in range(1, 9)]
    random.Random(1).shuffle(runs)
    assert placed(judge([item("a")], runs)) == [("a", n - 1, n) for n in range(1, 9)]


def test_one_run_serves_every_item_that_was_made_of_it() -> None:
    items = [item(key, trace_id=f"{1:032x}") for key in ("a", "b")]
    assert placed(judge(items, [run_document(1, {"score": 1})])) == [("a", 0, 1), ("b", 0, 1)]


def test_a_run_that_comes_twice_counts_once_in_its_newest_version() -> None:
    versions = [run_document(1, {"score": n}, version=n) for n in (1, 3, 2)]
    judgement = judge([], versions)
    (row,) = judgement.rows()
    assert (row.result["value"], row.result["version"], judgement.runs) == (3, 3, 1)


def test_an_item_without_a_run_is_an_error_of_each_score() -> None:
    config = config_of({**RAW, "also": ["x"]})
    judgement = Judgement(config.evaluators)
    judgement.items.add(read_item(item("a", trace_id="f" * 32)))
    judgement.finish()
    rows = [row.result for row in judgement.rows()]
    assert [(r["name"], r["status"], r["error_code"], r["value"]) for r in rows] == [
        ("raw", "error", "missing_run", None),
        ("raw/x", "error", "missing_run", None),
    ]
    assert (judgement.runs, judgement.item_count) == (0, 1)


def test_a_run_that_cannot_be_read_is_an_error_and_not_its_neighbours() -> None:
    judgement = judged(config_of(RAW), [0.5])
    judgement.refuse("runs: line 2", ErrorCode.UNREADABLE_RUN, "it is no JSON")
    rows = [row.result for row in judgement.rows()]
    assert [(row["item"], row["status"]) for row in rows] == [
        (f"{1:032x}", "ok"),
        ("runs: line 2", "error"),
    ]


def test_rows_of_datasets_are_read_and_bad_ones_refused() -> None:
    row = {**item("a"), "set": "s", "input": "x", "metadata": {"x": 1}, "more": 1}
    assert read_item(row).item_key == "a"
    refused: list[object] = [
        {},
        {"item_key": ""},
        {"item_key": "x" * 256},
        {"item_key": 1},
        [],
        None,
    ]
    for bad in refused:
        with pytest.raises(InvalidRequestError):
            read_item(bad)


def test_the_same_row_twice_is_one_item_and_another_of_its_key_is_refused() -> None:
    judgement = Judgement(())
    for _ in range(2):
        judgement.items.add(read_item(item("a")))
    with pytest.raises(InvalidRequestError, match="'a'"):
        judgement.items.add(read_item(item("a", "other")))
    assert len(judgement.items) == 1
