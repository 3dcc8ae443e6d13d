"""Scores of Inspect samples become scores of runs, and scores of runs become scores of samples."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from tests.support import scored
from tests.support.drafted import planner

from spanloom.core.exchange.inspect.reading import INSPECT
from spanloom.core.exchange.inspect.writing import write_log
from spanloom.core.exchange.values import parse
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading, Taken
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]
DONE = "2026-01-05T10:00:01+00:00"
ASKED = [{"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": "Oslo."}]


def read(log: Json) -> Taken:
    (found,) = INSPECT.read([Located("line 1", log)], Reading("inspect"))
    assert isinstance(found, Taken), found
    return found


def rows_of(scores: object) -> tuple[list[Json], Taken]:
    sample = {"id": "q7", "epoch": 3, "messages": ASKED, "scores": scores, "completed_at": DONE}
    about = {"eval_id": "e1", "created": "2026-01-05T10:00:00+00:00", "task": "t", "model": "m"}
    found = read({"version": 2, "eval": about, "samples": [sample]})
    return [dict(row) for row in found.scores], found


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ({"value": "C"}, {"value": 1.0, "label": "C", "value_type": "number", "source": "code"}),
        ({"value": "I"}, {"value": 0.0, "label": "I"}),
        ({"value": "P"}, {"value": 0.5, "label": "P"}),
        ({"value": "N"}, {"value": 0.0, "label": "N"}),
        ({"value": 0.25}, {"value": 0.25, "status": "ok", "at": 1767607201000}),
        ({"value": True}, {"value": True, "value_type": "boolean"}),
        ({"value": "polite"}, {"value": "polite", "value_type": "category"}),
        ({"value": None, "reason": "grade_parse"}, {"status": "na", "error_code": "grade_parse"}),
        (
            {"value": 1, "answer": "Oslo", "explanation": "it is", "metadata": {"grading": []}},
            {"rationale": "answer: Oslo\nit is", "source": "llm"},
        ),
        (
            {"value": 1, "history": [{"provenance": {"author": "ada", "timestamp": DONE}}]},
            {"source": "human", "author": "ada"},
        ),
    ],
)
def test_a_score_of_a_sample_is_one_of_its_run(score: Json, expected: Json) -> None:
    rows, found = rows_of({"match": score})
    (row,) = rows
    assert {name: row.get(name) for name in expected} == expected
    assert row["trace_id"] == found.document["id"]
    known = ("name", "experiment", "item", "repeat", "target")
    assert [row[name] for name in known] == ["match", "e1", "q7", 2, "trajectory"]


def test_a_scorer_of_several_values_gives_several_scores_and_no_object_is_counted() -> None:
    rows, found = rows_of({"judge": {"value": {"a": 1, "b": "C"}}, "broken": 3})
    assert [(row["name"], row["value"]) for row in rows] == [("judge/a", 1), ("judge/b", 1.0)]
    assert found.losses.counts[Code.SCORES_DROPPED] == 1


def test_an_unscored_sample_is_no_broken_file() -> None:
    text = b'{"scores":{"match":{"value":NaN}},"text":"NaN"}'
    value, is_replaced = parse(text, with_constants=True)
    assert (value["scores"]["match"]["value"], value["text"], is_replaced) == (None, "NaN", False)


def written(rows: list[Json], losses: Losses | None = None) -> Json:
    body = write_log(Stored(dump(planner()), scores=rows), losses or Losses())
    log: Json = orjson.loads(body)
    return log


def test_scores_come_back_as_they_were() -> None:
    rows = scored.rows()
    log = written(rows)
    (sample,) = log["samples"]
    assert sample["scores"]["grade"]["value"] == "C"
    assert {"tone", "tone by b"} <= sample["scores"].keys()
    back = read(log).scores
    assert [scored.compared(row) for row in back] == [scored.compared(row) for row in rows]
    assert written([dict(row) for row in back]) == log


def test_scores_of_other_targets_are_counted() -> None:
    losses = Losses()
    other = scored.rows()[0] | {"target": "item"}
    assert "scores" not in written([other], losses)["samples"][0]
    assert losses.counts[Code.SCORES_DROPPED] == 1
