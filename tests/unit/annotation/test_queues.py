"""Queues through the API: how they are filled, assignment, gold items and disagreements."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.annotation import queues as desks
from spanloom.annotation.filling import spread
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

QUEUE = "/v1/queues/q"
UNDO = f"/v1/trajectories/{KEY.trace_id}/annotations/undo"
ITEM = f"{QUEUE}/items/{KEY.trace_id}"
OTHER = TraceKey("default", "5" * 32)


def put(desk: Desk, status: int = 200, **more: Any) -> Any:
    body = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, **more}
    return desk.ask("PUT", QUEUE, status=status, json=body)


def ids(desk: Desk) -> list[str]:
    return [item["trace_id"] for item in desk.ask("GET", f"{QUEUE}/items")["items"]]


def test_a_question_fills_a_queue_once_and_a_living_one_for_good(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "LIVING_S", 0)
    first = put(desk, where="model_steps >= 3")
    assert (first["items"], first["where"]) == (1, "")
    store_run(desk.store, OTHER, [tool_step(n) for n in (2, 3, 4)])
    assert ids(desk) == [KEY.trace_id]
    found = put(desk, where="model_steps >= 3", living=True)
    assert (found["living"], found["where"], found["items"]) == (True, "model_steps >= 3", 2)
    third = TraceKey("default", "6" * 32)
    store_run(desk.store, third, [tool_step(n) for n in (2, 3, 4)])
    store_run(desk.store, TraceKey("default", "7" * 32), [tool_step(2)])
    assert ids(desk) == [KEY.trace_id, OTHER.trace_id, third.trace_id]
    assert desk.ask("GET", QUEUE)["items"] == 3


def test_what_cannot_be_asked_for_is_refused(desk: Desk) -> None:
    assert "durtion" in put(desk, 422, where="durtion > 1s")["detail"]
    assert "where" in put(desk, 422, living=True)["detail"]
    assert "free queue" in put(desk, 422, annotators=[])["detail"]
    assert "adjudicated" in put(desk, 409, gold_trace_ids=[KEY.trace_id])["detail"]


def test_an_item_that_is_opened_by_a_link_is_begun_once(desk: Desk) -> None:
    put(desk, trace_ids=[KEY.trace_id])
    assert desk.ask("POST", f"{ITEM}/begin", "stranger")["states"] == {"open": 1}
    assert desk.ask("POST", f"{ITEM}/begin", "ada")["states"] == {"begun": 1}
    sleep(0.05)
    desk.ask("POST", f"{ITEM}/begin", "ada")
    desk.ask("POST", f"{ITEM}/done", "ada")
    told = desk.ask("POST", f"{ITEM}/done", "bo")["progress"]
    assert (told["ada"]["timed"], told["bo"]["timed"], told["bo"]["seconds"]) == (1, 0, 0)
    assert told["ada"]["seconds"] == told["ada"]["median_seconds"] >= 0.05
    assert told["bo"]["median_seconds"] is None
    desk.ask("POST", f"{ITEM}/begin", "ada", status=200)
    assert desk.ask("GET", QUEUE)["progress"]["ada"] == told["ada"]


def test_a_free_queue_gives_what_is_not_taken(desk: Desk) -> None:
    store_run(desk.store, OTHER, [tool_step(2)])
    both = [KEY.trace_id, OTHER.trace_id]
    put(desk, annotators=[], mode="free", each=1, trace_ids=both)
    first = desk.ask("POST", f"{QUEUE}/next", "ada")
    assert first == {"trace_id": KEY.trace_id, "left": 2}
    assert desk.ask("POST", f"{QUEUE}/next", "ada")["trace_id"] == KEY.trace_id
    assert desk.ask("POST", f"{QUEUE}/next", "eve") == {"trace_id": OTHER.trace_id, "left": 1}
    assert desk.ask("POST", f"{QUEUE}/next", "bo") == {"trace_id": None, "left": 0}
    desk.ask("POST", f"{ITEM}/done", "ada")
    place = desk.ask("GET", ITEM, "ada")
    assert (place["at"], place["of"], place["done"], place["is_mine"]) == (1, 1, 1, True)
    assert desk.ask("GET", ITEM, "bo")["at"] == 0


def test_all_who_ask_at_once_are_given_runs_of_their_own(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [f"{number:032x}" for number in range(1, 9)]
    for each in runs:
        store_run(desk.store, TraceKey("default", each), [tool_step(2)])
    put(desk, annotators=[], mode="free", each=1, trace_ids=runs)
    queues = desk.annotating.queues
    read = queues.views.named

    def slowly(project: str, name: str) -> Any:
        told = read(project, name)
        sleep(0.005)  # so that the other threads read the same state
        return told

    monkeypatch.setattr(queues.views, "named", slowly)
    with ThreadPoolExecutor(len(runs)) as people:
        given = people.map(lambda who: queues.next_for("default", "q", f"n{who}"), range(8))
        assert sorted(str(each.trace_id) for each in given) == runs


def test_gold_tells_how_often_somebody_is_right_and_nobody_which_it_is(desk: Desk) -> None:
    for step, said in zip(desk.steps, ("correct", "incorrect", "correct"), strict=True):
        item = {"step_id": step, "correctness": said}
        desk.write(item, who="lead", origin="adjudication")
    put(desk, gold_trace_ids=[KEY.trace_id])
    assert desk.read("ada")["items"] == []
    for who, said in (("ada", "incorrect"), ("bo", "correct")):
        desk.mark(1, said, who=who)
        desk.mark(0, "correct", who=who)
        desk.ask("POST", f"{ITEM}/done", who)
    progress = desk.ask("GET", QUEUE)["progress"]
    assert progress["ada"]["gold"] == {"answers": 3, "right": 2}
    assert progress["bo"]["gold"] == {"answers": 3, "right": 1}
    told = {w: desk.ask("GET", f"{QUEUE}/items", w)["items"][0]["gold"] for w in ("ada", "lead")}
    assert told == {"ada": False, "lead": True}
    assert desk.ask("GET", QUEUE)["states"] == {"done": 1}


def test_nobody_replaces_what_they_judged_by_adjudicating(desk: Desk) -> None:
    mine = desk.mark(0, "incorrect", who="lead")
    item = {"step_id": desk.steps[0], "correctness": "correct"}
    refused = desk.write(item, who="lead", status=422, origin="adjudication")
    assert "lead has judged this trajectory: adjudicate it under another name" in str(refused)
    assert [row["write_id"] for row in desk.read("lead")["items"]] == [mine["write_id"]]
    more = {"step_id": desk.steps[1], "correctness": "correct"}
    desk.write(item, who="lead (adjudication)", origin="adjudication")
    desk.write(more, who="lead (adjudication)", origin="adjudication", group="decided")
    undo = {"scheme": SCHEME, "group": "decided", "write_id": "undo-0001"}
    desk.ask("POST", UNDO, "lead (adjudication)", json=undo)
    scores = desk.ask("GET", "/v1/scores", "lead (adjudication)")["items"]
    assert {s["source"] for s in scores if "(adj" in s["author"]} == {"adjudication"}
    refused = desk.write(item, who="lead (adjudication)", status=422)
    assert "has adjudicated this trajectory" in str(refused)
    back = {"step_id": desk.steps[0], "base_revision": mine["revision"], "is_deleted": True}
    desk.write(back, who="lead")
    (decided,) = desk.write(item, who="lead", origin="adjudication")["items"]
    assert decided["origin"] == "adjudication"  # a retracted mark no longer counts as judging


WHOLE_RUN = {
    "blame": "annotation_type: failure_attribution\nname: blame\ndescription: d\nrequired: true\n",
    "reward": "annotation_type: process_reward\nname: reward\ndescription: d\nrequired: true\n",
}


@pytest.mark.parametrize("scheme", WHOLE_RUN)
def test_what_a_scheme_requires_can_be_said(desk: Desk, scheme: str) -> None:
    desk.ask("PUT", f"/v1/schemes/{scheme}", json={"text": WHOLE_RUN[scheme]})
    put(desk, scheme=scheme, trace_ids=[KEY.trace_id], annotators=["ada"], each=1)
    assert desk.ask("POST", f"{ITEM}/done", "ada", 409)["detail"]
    blamed = {"responsible_agent": "boss", "decisive_step": desk.steps[0]}
    if scheme == "blame":
        desk.write({"step_id": "", "value": blamed}, scheme=scheme)
    else:
        desk.write(*({"step_id": step, "correctness": "-1"} for step in desk.steps), scheme=scheme)
    assert desk.ask("POST", f"{ITEM}/done", "ada")["states"] == {"done": 1}


def test_what_is_judged_differently_is_to_be_adjudicated(desk: Desk) -> None:
    put(desk, trace_ids=[KEY.trace_id], threshold=0.9, blind=True)
    desk.mark(0, "correct", who="ada")
    desk.mark(0, "incorrect", who="bo")
    desk.ask("POST", f"{ITEM}/done", "ada")
    assert desk.ask("GET", ITEM, "ada")["item"]["alike"] is None
    assert desk.ask("POST", f"{ITEM}/done", "bo")["states"] == {"to_adjudicate": 1}
    assert desk.ask("GET", ITEM, "ada")["item"]["alike"] == 0
    refused = desk.ask("POST", f"{ITEM}/adjudicate", "lead", 409)
    assert "1 are not decided" in refused["detail"]
    desk.write(
        {"step_id": desk.steps[0], "correctness": "correct"}, who="lead", origin="adjudication"
    )
    stood = desk.ask("POST", f"{ITEM}/adjudicate", "lead")
    assert (stood["states"], stood["overlap"]) == ({"adjudicated": 1}, 1)
    measures = desk.ask("GET", f"/v1/agreement?scheme={SCHEME}")["measures"]
    assert {who for pair in measures[0]["pairs"] for who in pair["annotators"]} == {"ada", "bo"}


def test_what_has_gone_need_not_be_decided(desk: Desk) -> None:
    put(desk, trace_ids=[KEY.trace_id], threshold=0.9)
    for who, said in (("ada", "correct"), ("bo", "incorrect")):
        desk.mark(0, said, who=who)
        desk.ask("POST", f"{ITEM}/done", who)
    store_run(desk.store, KEY, [tool_step(3), tool_step(4)], 2)
    gone = {"step_id": desk.steps[0], "correctness": "correct"}
    assert "has no step" in str(desk.write(gone, who="lead", status=422, origin="adjudication"))
    assert desk.ask("POST", f"{ITEM}/adjudicate", "lead")["states"] == {"adjudicated": 1}


def test_the_steps_behind_a_figure_are_told(desk: Desk) -> None:
    for place, (one, other) in enumerate(
        [("correct", "incorrect"), ("correct", "correct"), ("incorrect", "correct")]
    ):
        desk.mark(place, one, who="ada")
        desk.mark(place, other, who="bo")
    desk.mark(1, "incorrect", who="cy", error_type="execution")
    desk.ask("GET", "/v1/agreement/units", status=422)

    def units(**more: Any) -> list[dict[str, Any]]:
        params = {"scheme": SCHEME, **more}
        found = desk.ask("GET", "/v1/agreement/units", params=params)
        assert found["total"] == len(found["items"])
        return [unit["values"] for unit in found["items"]]

    assert len(units()) == 3
    pair = {"first": "ada", "second": "bo"}
    assert units(**pair) == [
        {"ada": "correct", "bo": "incorrect"},
        {"ada": "incorrect", "bo": "correct"},
    ]
    same = units(**pair, first_says="correct", second_says="correct")
    assert same == [{"ada": "correct", "bo": "correct"}]
    assert units(**pair, step_type="tool", agent="nobody") == []
    assert units(measure="severity") == []


def test_gold_is_spread_among_the_others() -> None:
    assert spread("abcd", "XY") == ["a", "X", "b", "c", "Y", "d"]
    assert spread("", "XY") == ["X", "Y"]
    assert spread("ab", "") == ["a", "b"]
