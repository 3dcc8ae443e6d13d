"""Writing annotations: all or nothing, idempotent, undoable; edits in another window survive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.annotation import writing

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

WRONG = {"error_type": "execution", "error_subtype": "wrong_tool", "severity": "major"}


def test_the_example_scores_95_and_says_what_is_missing(desk: Desk) -> None:
    desk.mark(0, "correct")
    desk.mark(1, "incorrect", **WRONG, rationale="Should have used a more specific selector")
    (score,) = desk.read()["scores"]
    assert (score["score"], score["score_complete"], score["unjudged"]) == (95, False, 1)
    desk.mark(2, "correct")
    assert desk.read()["scores"][0]["score_complete"] is True
    (of_run,) = desk.ask("GET", f"/v1/scores?trace_id={KEY.trace_id}&name={SCHEME}")["items"][:1]
    scores = desk.ask("GET", f"/v1/scores?trace_id={KEY.trace_id}")["items"]
    (of_run,) = [score for score in scores if score["target"] == "trajectory"]
    assert (of_run["value"], of_run["is_complete"], of_run["author"]) == (95, True, "ada")


def test_correct_clears_the_error_and_undo_brings_it_all_back(desk: Desk) -> None:
    first = desk.mark(0, "incorrect", **WRONG, rationale="no")
    assert first["penalty"] == 5
    cleared = desk.mark(0, "correct", base_revision=1)
    assert (cleared["severity"], cleared["rationale"], cleared["revision"]) == ("", "", 2)
    assert desk.read()["scores"][0]["score"] == 100
    undo = {"scheme": SCHEME, "group": cleared["write_id"], "write_id": "undo-0001"}
    path = f"/v1/trajectories/{KEY.trace_id}/annotations/undo"
    back = desk.ask("POST", path, json=undo)["items"][0]
    assert (back["severity"], back["rationale"], back["revision"]) == ("major", "no", 3)
    assert desk.read()["scores"][0]["score"] == 95
    assert desk.ask("POST", path, json=undo)["items"][0]["revision"] == 3  # sent twice, done once
    again = {"scheme": SCHEME, "group": "undo-0001", "write_id": "undo-0002"}
    assert desk.ask("POST", path, json=again)["items"][0]["correctness"] == "correct"


def test_the_first_mark_undone_is_gone(desk: Desk) -> None:
    first = desk.mark(0, "correct")
    undo = {"scheme": SCHEME, "group": first["write_id"], "write_id": "undo-0001"}
    desk.ask("POST", f"/v1/trajectories/{KEY.trace_id}/annotations/undo", json=undo)
    assert desk.read()["items"] == []


def test_the_same_request_twice_is_one_row(desk: Desk) -> None:
    item = {"write_id": "same-write", "step_id": desk.steps[0], "correctness": "correct"}
    rows = [desk.write(item)["items"][0] for _ in range(2)]
    assert rows[0] == rows[1]
    assert len(desk.store.annotations.revisions(KEY, SCHEME, "ada")) == 1


def test_all_or_nothing_and_each_problem_is_named(desk: Desk) -> None:
    refused = desk.write(
        {"step_id": desk.steps[0], "correctness": "correct"},
        {"step_id": desk.steps[1], "correctness": "superb"},
        {"step_id": "f" * 16, "correctness": "correct"},
        {"step_id": desk.steps[2], "correctness": "incorrect", "severity": "fatal"},
        status=422,
    )
    named = [error["parameter"] for error in refused["errors"]]
    assert named == ["items[1].correctness", "items[2].step_id", "items[3].severity"]
    assert "correct, incorrect, partially_correct" in refused["detail"]
    assert desk.read()["items"] == []


def test_two_windows_lose_nothing(desk: Desk) -> None:
    desk.mark(0, "incorrect", base_revision=0)
    desk.mark(0, "incorrect", severity="minor", base_revision=1)
    joined = desk.write({"step_id": desk.steps[0], "rationale": "why", "base_revision": 1})
    row = joined["items"][0]
    assert (row["severity"], row["rationale"], row["revision"]) == ("minor", "why", 3)
    conflict = desk.write(
        {"step_id": desk.steps[0], "severity": "critical", "base_revision": 1}, status=409
    )
    assert conflict["current"][0]["severity"] == "minor"
    assert "severity" in conflict["detail"]
    assert desk.read()["items"][0]["revision"] == 3


def test_annotators_do_not_meet(desk: Desk) -> None:
    desk.mark(0, "correct", who="ada")
    desk.mark(0, "incorrect", who="bo%20%E4%B8%AD")
    assert {r["annotator"] for r in desk.read()["items"]} == {"ada", "bo 中"}
    assert [r["annotator"] for r in desk.read(annotator="ada")["items"]] == ["ada"]


def test_too_many_steps_at_once_are_refused_and_none_is_marked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_ROWS", 2)
    path = f"/v1/trajectories/{KEY.trace_id}/annotations"
    bulk = {"scheme": SCHEME, "write_id": "bulk-0001", "correctness": "correct"}
    refused = desk.ask("POST", f"{path}/bulk", status=422, json=bulk)
    assert "3 steps have no mark, and 2 is the most at once: name a branch" in str(refused)
    assert desk.read()["items"] == []


def test_all_unjudged_steps_are_marked_at_once_and_undone_at_once(desk: Desk) -> None:
    desk.mark(1, "incorrect", severity="minor")
    bulk = {"scheme": SCHEME, "write_id": "bulk-0001", "correctness": "correct"}
    path = f"/v1/trajectories/{KEY.trace_id}/annotations"
    assert len(desk.ask("POST", f"{path}/bulk", json=bulk)["items"]) == 2
    assert desk.read()["scores"][0]["score_complete"] is True
    undo = {"scheme": SCHEME, "group": "bulk-0001", "write_id": "undo-0001"}
    assert len(desk.ask("POST", f"{path}/undo", json=undo)["items"]) == 2
    assert [r["step_id"] for r in desk.read()["items"]] == [desk.steps[1]]


def test_states_follow_the_run_and_come_back_with_it(desk: Desk) -> None:
    for place in range(3):
        desk.mark(place, "correct")
    steps = [tool_step(number) for number in (2, 3, 4)]
    noise = {"span_id": steps[2].id, "step_id": None, "rule": "wrapper"}
    changed = [steps[0]._replace(metadata={"merged_span_ids": steps[1].id}), tool_step(7)]
    store_run(desk.store, KEY, changed, 2, [noise])
    found = {r["step_id"]: (r["state"], r["stands_at"]) for r in desk.read()["items"]}
    assert found == {
        steps[0].id: ("valid", steps[0].id),
        steps[1].id: ("moved", steps[0].id),
        steps[2].id: ("orphaned", ""),
    }
    assert "wrapper" in desk.read()["items"][2]["reason"]
    store_run(desk.store, KEY, [steps[0], steps[1]._replace(output="x"), steps[2]], 3)
    assert [r["state"] for r in desk.read()["items"]] == ["valid", "changed", "valid"]
    confirmed = desk.write({"step_id": steps[1].id})["items"][0]
    assert (confirmed["state"], confirmed["correctness"], confirmed["version"]) == (
        "valid",
        "correct",
        3,
    )
    old = desk.ask("GET", f"/v1/trajectories/{KEY.trace_id}/versions/1")
    assert [s["output"] for s in old["agent_steps"][0]["steps"]][1] == "answer 3"


def test_a_save_that_names_an_old_version_is_taken(desk: Desk) -> None:
    path = f"/v1/trajectories/{KEY.trace_id}/versions/"
    desk.ask("PUT", f"{path}1")
    steps = [tool_step(2), tool_step(3, "other"), tool_step(4)]
    store_run(desk.store, KEY, steps, 2)
    kept = desk.write({"step_id": steps[0].id, "correctness": "correct"}, version=1)
    assert kept["items"][0]["state"] == "valid"
    late = desk.write({"step_id": steps[1].id, "correctness": "correct"}, version=1)
    assert late["items"][0]["state"] == "changed"
    store_run(desk.store, KEY, steps, 4)
    unseen = desk.write({"step_id": steps[2].id, "correctness": "correct"}, version=3)
    assert unseen["items"][0]["state"] == "changed"
    assert "not stored" in unseen["items"][0]["reason"]
    desk.ask("GET", f"{path}3", status=404)


def test_an_unchanged_panel_is_not_sent_again(desk: Desk) -> None:
    desk.mark(0, "correct")
    path = f"/v1/trajectories/{KEY.trace_id}/annotations"
    etag = desk.client.get(path).headers["etag"]
    assert desk.client.get(path, headers={"if-none-match": etag}).status_code == 304
    desk.mark(0, "incorrect")
    assert desk.client.get(path, headers={"if-none-match": etag}).status_code == 200


def test_what_is_of_the_whole_run_has_no_step(desk: Desk) -> None:
    text = "annotation_type: failure_attribution\nname: blame\ndescription: who\n"
    desk.ask("PUT", "/v1/schemes/blame", json={"text": text})
    value = {"responsible_agent": "planner", "decisive_step": desk.steps[1], "reason": "because"}
    item = {"write_id": "write-blame", "value": value}
    row = desk.write(item, scheme="blame")["items"][0]
    assert (row["state"], row["value"], row["step_id"]) == ("whole", value, "")
    desk.write({"step_id": desk.steps[0], "correctness": "x"}, scheme="blame", status=422)


def test_a_name_of_potato_may_have_slashes(desk: Desk) -> None:
    text = "annotation_type: failure_attribution\nname: team/blame\ndescription: who\n"
    desk.ask("PUT", "/v1/schemes/team%2Fblame", json={"text": text})
    value = {"responsible_agent": "planner"}
    desk.write({"write_id": "write-slash", "value": value}, scheme="team/blame")
    assert "team/blame" in {s["name"] for s in desk.ask("GET", "/v1/schemes")["items"]}


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("step_evaluation", "name: [", "line 1"),
        ("other", "annotation_type: trajectory_eval\nname: s\ndescription: d", "'other'"),
    ],
)
def test_a_scheme_that_cannot_be_is_refused_with_its_line(
    desk: Desk, name: str, text: str, wanted: str
) -> None:
    answer = desk.ask("PUT", f"/v1/schemes/{name}", status=422, json={"text": text})
    assert wanted in answer["detail"]


def test_who_writes_has_to_say_who_and_with_which_scheme(desk: Desk) -> None:
    item = {"step_id": desk.steps[0], "correctness": "correct"}
    assert "x-spanloom-annotator" in desk.write(item, who="", status=422)["detail"]
    assert "potato" in desk.write(item, scheme="nowhere", status=404)["detail"]
    assert desk.write(item, scheme="potato")["items"]
    assert {s["name"] for s in desk.ask("GET", "/v1/schemes")["presets"]} == {
        "mast",
        "potato",
        "trail",
    }


def test_a_page_of_ours_may_annotate_and_no_other(desk: Desk) -> None:
    path = f"/v1/trajectories/{KEY.trace_id}/annotations"
    body = {
        "scheme": SCHEME,
        "items": [{"write_id": "of-a-page", "step_id": desk.steps[0], "correctness": "correct"}],
    }
    for headers, status in (
        ({"origin": "http://127.0.0.1:8080"}, 200),
        ({"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}, 200),
        ({"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ):
        desk.ask("POST", path, status=status, json=body, headers=headers)
    as_form = {"origin": "http://127.0.0.1:8080", "content-type": "text/plain"}
    desk.ask("POST", path, status=403, content=b"{}", headers=as_form)
    own = {"origin": "http://127.0.0.1:8080"}
    desk.ask("POST", "/v1/replays", status=403, headers=own)
