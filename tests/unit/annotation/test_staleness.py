"""Scores of a run that has changed: stale, not stale, or unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY

from spanloom.annotation import staleness
from spanloom.evaluation.making import make_evaluators
from spanloom.judging.judging import judge_run
from spanloom.judging.scores import scores_of

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

    from spanloom.core.model.span import TraceKey

EVALUATORS = make_evaluators(
    [
        {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 2}},
        {"name": "said", "kind": "rules", "rules": {"answer": True}},
        {"name": "path", "kind": "match"},
    ]
)


def judge(desk: Desk, key: TraceKey = KEY) -> None:
    """Let evaluators judge the current version of a run, and store their scores."""
    version = desk.annotating.versions.current(key)
    document = desk.annotating.versions.document(key, version)
    desk.store.scores.add(scores_of(judge_run(document, EVALUATORS), key, version))


def stale(desk: Desk, **asked: Any) -> dict[str, bool | None]:
    """Return whether each listed score is stale, by the name of the score."""
    found = desk.ask("GET", "/v1/scores", params=asked)["items"]
    return {one["name"]: one["stale"] for one in found}


def change(desk: Desk, version: int, *said: str, key: TraceKey = KEY) -> None:
    """Store a new version of the run, with a tool step for each text in ``said``."""
    steps = [tool_step(number, text) for number, text in enumerate(said, 2)]
    store_run(desk.store, key, steps, version)


def test_a_score_is_stale_once_what_its_evaluator_read_has_changed(desk: Desk) -> None:
    judge(desk)
    assert set(stale(desk).values()) == {False}
    change(desk, 2, "", "", "")  # the same content again, as a replay builds it
    assert set(stale(desk).values()) == {False}
    change(desk, 3, "", "", "another answer")
    assert stale(desk) == {"limits/max_tool_calls": False, "said/answer": True, "path": True}
    change(desk, 4, "", "", "", "one more")
    assert stale(desk)["limits/max_tool_calls"] is True
    judge(desk)
    assert set(stale(desk).values()) == {False}


def test_every_form_of_the_list_tells_it(desk: Desk) -> None:
    judge(desk)
    change(desk, 2, "", "", "", "one more")
    told = stale(desk)
    lines = desk.ask("GET", "/v1/scores", headers={"accept": "application/x-ndjson"})
    rows = [orjson.loads(line) for line in lines.text.splitlines()]
    assert {one["name"]: one["stale"] for one in rows if "name" in one} == told


def test_a_score_without_a_fingerprint_is_of_its_version_or_unknown(desk: Desk) -> None:
    said = {"trace_id": KEY.trace_id, "name": "good", "author": "a", "value": 1}
    items = [
        {**said, "judged_version": 1},
        {**said, "name": "when"},
        {**said, "name": "other", "judged_version": 1, "view_fingerprint": "made elsewhere"},
        {**said, "name": "later", "trace_id": "f" * 32, "judged_version": 1},
        {"target": "item", "item": "i", "name": "item", "author": "a", "value": 1},
    ]
    answer = desk.ask("POST", "/v1/scores", status=202, json={"items": items})
    at_once = {one["name"]: one["stale"] for one in answer["items"]}
    assert at_once == {"good": False, "when": None, "other": False, "later": None, "item": None}
    change(desk, 2, "", "", "another")
    assert set(stale(desk).values()) == {None}


def test_marks_of_people_follow_their_steps(desk: Desk) -> None:
    for place in range(3):
        desk.mark(place, "correct")
    change(desk, 2, "", "another answer", "")
    found = desk.ask("GET", "/v1/scores", params={"target": "step"})["items"]
    assert {one["step_id"]: one["stale"] for one in found} == {
        desk.steps[0]: False,
        desk.steps[1]: True,
        desk.steps[2]: False,
    }
    change(desk, 3, "")
    found = desk.ask("GET", "/v1/scores", params={"target": "step"})["items"]
    assert [one["stale"] for one in sorted(found, key=lambda one: one["step_id"])] == [
        *(False, True, True),
    ]


@pytest.mark.parametrize(
    ("limit", "value"), [("MOST_RUNS", 0), ("MOST_BYTES", 0), ("MOST_EACH", 10)]
)
def test_what_is_beyond_the_bounds_is_unknown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    judge(desk)
    change(desk, 2, "", "", "", "one more")
    monkeypatch.setattr(staleness, limit, value)
    assert set(stale(desk).values()) == {None}


def test_a_page_reads_each_document_once_and_then_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [KEY._replace(trace_id=f"{n:032x}") for n in range(1, 6)]
    for key in keys:
        change(desk, 1, "a", "b", key=key)
        judge(desk, key)
        change(desk, 2, "a", "b", "c", key=key)
    read: list[int] = []
    many = desk.store.documents.many

    def counted(asked: Any, most: int, each: int | None = None) -> Any:
        read.append(len(asked))
        return many(asked, most, each)

    monkeypatch.setattr(desk.store.documents, "many", counted)
    first = desk.ask("GET", "/v1/scores")["items"]
    assert len(first) == 15
    assert sum(read) == 5
    assert desk.ask("GET", "/v1/scores")["items"] == first
    assert sum(read) == 5


def test_a_document_that_no_evaluator_can_read_is_unknown(desk: Desk) -> None:
    judge(desk)
    broken = desk.store.state.records[KEY]
    assert broken.document
    desk.store.state.records[KEY] = replace(broken, version=2, document=b"7")
    assert set(stale(desk).values()) == {None}


def test_a_score_of_a_step_follows_it_from_the_version_that_is_there_when_it_is_stored(
    desk: Desk,
) -> None:
    said = {"trace_id": KEY.trace_id, "target": "step", "author": "a", "value": 1}
    items = [
        *({**said, "name": f"at {n}", "step_id": step} for n, step in enumerate(desk.steps)),
        {**said, "name": "unknown step", "step_id": "f" * 16},
        {**said, "name": "before", "step_id": desk.steps[0], "judged_version": 7},
    ]
    desk.ask("POST", "/v1/scores", json={"items": items})
    change(desk, 2, "", "another answer")
    assert stale(desk) == {
        "at 0": False,
        "at 1": True,
        "at 2": True,
        "unknown step": None,
        "before": None,
    }
