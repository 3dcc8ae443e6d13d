"""Scores through the API: which are accepted, which wait for their run, and which are orphans."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.annotated_runs import three_steps
from tests.unit.annotation.conftest import KEY, SCHEME

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

LATER = "ab" * 16
DAY_MS = 24 * 3600 * 1000
SAID = {"trace_id": KEY.trace_id, "name": "good", "author": "judge"}


def put(desk: Desk, *items: dict[str, Any], status: int = 200) -> Any:
    return desk.ask("POST", "/v1/scores", status=status, json={"items": items})


def listed(desk: Desk, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.ask("GET", "/v1/scores", params=params)["items"]
    return found


def test_a_score_has_all_that_the_table_has(desk: Desk) -> None:
    said = {
        **SAID,
        "source": "llm",
        "target": "step",
        "step_id": desk.steps[0],
        "value": 0.5,
        "label": "half",
        "evidence": [{"step_id": desk.steps[0], "field": "output", "start": 0, "end": 3}],
        "rule_id": "r1",
        "input_tokens": 7,
        "output_tokens": 3,
        "cost": 0.25,
        "at": 1715400000000,
    }
    [stored] = put(desk, said)["items"]
    assert {name: stored[name] for name in said} == {**said, "at": "1715400000000"}
    [read] = listed(desk, name="good")
    assert read == stored


def test_a_score_of_a_run_to_come_waits_for_it_and_its_neighbours_are_stored(desk: Desk) -> None:
    answer = put(desk, SAID, {**SAID, "trace_id": LATER}, status=202)
    assert (answer["waiting"], len(answer["items"])) == (1, 2)
    assert len(listed(desk, name="good")) == 2
    assert listed(desk, orphan=True) == []


def test_a_waiting_score_is_an_orphan_after_seven_days_until_its_run_comes(desk: Desk) -> None:
    now_ms = time.time_ns() // 1_000_000
    old, young = now_ms - 8 * DAY_MS, now_ms - 6 * DAY_MS
    put(desk, {**SAID, "trace_id": LATER, "at": old}, {**SAID, "at": old}, status=202)
    put(desk, {**SAID, "trace_id": "cd" * 16, "at": young}, status=202)
    assert [score["trace_id"] for score in listed(desk, orphan=True)] == [LATER]
    three_steps(desk.store, KEY._replace(trace_id=LATER))
    assert listed(desk, orphan=True) == []
    assert [score["name"] for score in listed(desk, trace_id=LATER)] == ["good"]


def test_the_same_with_its_time_is_the_same_and_an_older_one_does_not_count(desk: Desk) -> None:
    for value, at in ((1, 2000), (1, 2000), (0, 1000)):
        put(desk, {**SAID, "value": value, "at": at})
    [score] = listed(desk, name="good")
    assert (score["value"], score["at"]) == (1, "2000")


@pytest.mark.parametrize(
    "target",
    [
        {"target": "span", "step_id": "a" * 16},
        {"target": "conversation", "trace_id": "", "conversation_id": "talk"},
        {"target": "item", "trace_id": "", "item": "i-1", "experiment": "e"},
    ],
)
def test_other_targets(desk: Desk, target: dict[str, Any]) -> None:
    put(desk, {**SAID, **target, "value": True})
    [score] = listed(desk, target=target["target"])
    assert {name: score[name] for name in target} == target
    assert (score["value"], score["value_type"]) == (True, "boolean")


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"target": "step"}, "step_id"),
        ({"trace_id": ""}, "trace_id"),
        ({"target": "conversation", "trace_id": ""}, "conversation_id"),
        ({"value": "x", "value_type": "number"}, "value_type"),
        ({"source": "human", "name": SCHEME}, "source"),
        ({"source": "human", "name": f"{SCHEME}/answer"}, "source"),
        ({"source": "adjudication"}, "human"),
        ({"evidence": [{"step_id": "x" * 30_000}]}, "evidence"),
    ],
)
def test_what_cannot_be_meant_is_refused(desk: Desk, wrong: dict[str, Any], place: str) -> None:
    answer = put(desk, {**SAID, **wrong}, status=422)
    assert place in answer["detail"]
    assert listed(desk, name="good") == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"value": 1}, "number"),
        ({"value": "yes"}, "category"),
        ({"label": "yes"}, "category"),
        ({"value": "long", "value_type": "text"}, "text"),
        ({}, "none"),
        ({"status": "na"}, "none"),
        ({"status": "skipped"}, "none"),
    ],
)
def test_types_of_values(desk: Desk, said: dict[str, Any], kind: str) -> None:
    [score] = put(desk, {**SAID, **said})["items"]
    assert score["value_type"] == kind
    assert score["value"] == (said.get("value") or said.get("label"))


def test_a_score_of_a_deleted_run_is_refused(desk: Desk) -> None:
    desk.store.state.deleted.add(KEY)
    assert "deleted" in put(desk, SAID, status=404)["detail"]
