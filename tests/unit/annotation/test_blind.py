"""In a blind queue annotators see nothing of the others, at any endpoint, until they are done."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.annotation.filling import Filling
from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

QUEUE = "/v1/queues/week 3"
ITEM = f"{QUEUE}/items/{KEY.trace_id}"


def put(desk: Desk, **more: Any) -> Any:
    body = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, "blind": True}
    return desk.ask("PUT", QUEUE, json={**body, "trace_ids": [KEY.trace_id], **more})


def seen_by(desk: Desk, reader: str) -> dict[str, set[str]]:
    """Return, per endpoint, the annotators whose values it shows to ``reader``."""
    lines = desk.ask("GET", "/v1/annotations", reader).text.splitlines()
    agreement = desk.ask("GET", f"/v1/agreement?scheme={SCHEME}", reader)
    pairs = [p["annotators"] for m in agreement["measures"] for p in m["pairs"]]
    panel = desk.read(reader)
    units = desk.ask("GET", f"/v1/agreement/units?scheme={SCHEME}", reader)
    packed = desk.client.get("/v1/annotations/potato", headers={ANNOTATOR_HEADER: reader}).content
    task = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    return {
        "panel": {row["annotator"] for row in panel["items"]},
        "panel's scores": {row["annotator"] for row in panel["scores"]},
        "export": {part.split('"')[1] for line in lines for part in line.split('"annotator":')[1:]},
        "scores": {row["author"] for row in desk.ask("GET", "/v1/scores", reader)["items"]},
        "agreement": {who for pair in pairs for who in pair},
        "units": {who for unit in units["items"] for who in unit["values"]},
        "Potato's task": {path.split("/")[1] for path in task if path.startswith("annotation_o")},
    }


FILTERS = ["annotated", "has(annotated)", f"score.{SCHEME} <= 100", f"has(score.{SCHEME} <= 0)"]
"""Each condition finds the run once its steps are marked."""


def found_by(desk: Desk, where: str, reader: str) -> dict[str, int]:
    """Return how many items each endpoint with a filter of runs returns to ``reader``."""
    of_runs = {"where": where}
    got = {
        "list": desk.ask("GET", "/v1/trajectories", reader, params=of_runs)["items"],
        "search": desk.ask("POST", "/v1/trajectories/search", reader, json=of_runs)["items"],
        "steps": desk.ask("GET", "/v1/steps", reader, params={"run_where": where})["items"],
    }
    for place, more in {"stats": {}, "stats of steps": {"of": "steps"}}.items():
        param = "run_where" if more else "where"
        asked = {param: where, "metrics": "count", **more}
        groups = desk.ask("GET", "/v1/stats", reader, params=asked)["items"]
        got[place] = [1] * groups[0]["count"]
    return {place: len(items) for place, items in got.items()}


def test_nothing_of_others_is_seen_before_one_is_done(desk: Desk) -> None:
    put(desk)
    desk.mark(0, "correct", who="ada")
    desk.mark(0, "incorrect", who="bo", severity="minor")
    desk.write({"step_id": desk.steps[1], "correctness": "correct"}, who="judge", origin="model")
    for reader in ("ada", "bo", "", "lead"):
        for place, authors in seen_by(desk, reader).items():
            assert authors <= {reader}, (reader, place)
    assert desk.read("ada")["withheld"] == 2
    desk.ask("POST", f"{ITEM}/done", "ada")
    assert seen_by(desk, "ada")["panel"] == {"ada", "bo", "judge"}
    assert seen_by(desk, "ada")["agreement"] >= {"ada", "bo"}
    assert seen_by(desk, "bo")["panel"] == {"bo"}
    assert seen_by(desk, "lead")["panel"] == set()
    desk.ask("POST", f"{ITEM}/reopen", "ada")
    assert seen_by(desk, "ada")["panel"] == {"ada"}
    for who in ("ada", "bo"):
        desk.ask("POST", f"{ITEM}/done", who)
    for reader in ("lead", "", "bo"):
        assert seen_by(desk, reader)["export"] == {"ada", "bo", "judge"}


def test_a_living_queue_withholds_runs_that_nobody_looked_up(desk: Desk) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Filling, "matching", lambda *_: [])  # no run is looked up
        put(desk, trace_ids=[], where="model_steps >= 3", living=True)
        desk.mark(0, "correct", who="ada")
        score = {"trace_id": KEY.trace_id, "name": "judged", "source": "model", "author": "judge"}
        desk.ask("POST", "/v1/scores", "", json={"items": [{**score, "value": 0.5}]})
        for reader in ("bo", "lead"):
            assert not any(seen_by(desk, reader).values())
        assert not any(found_by(desk, "annotated", "lead").values())
    items = desk.ask("GET", f"{QUEUE}/items", "ada")["items"]
    assert KEY.trace_id in [item["trace_id"] for item in items]


def test_a_living_queue_leaves_what_it_does_not_ask_for(desk: Desk) -> None:
    put(desk, trace_ids=[], where="model_steps > 1000", living=True)
    desk.mark(0, "correct", who="ada")
    assert seen_by(desk, "bo")["panel"] == {"ada"}


@pytest.mark.parametrize("where", FILTERS)
def test_no_filter_tells_of_what_is_withheld(desk: Desk, where: str) -> None:
    desk.mark(0, "incorrect", who="ada", severity="minor")
    assert all(found_by(desk, where, "bo").values())
    unblinded = found_by(desk, f"not {where}", "bo")
    assert not any(unblinded.values())
    put(desk)
    for reader in ("ada", "bo", "", "lead"):
        assert not any(found_by(desk, where, reader).values())
    for who in ("ada", "bo"):
        desk.ask("POST", f"{ITEM}/done", who)
    assert all(found_by(desk, where, "lead").values())


def told_to(desk: Desk, reader: str, after: str) -> tuple[list[str], str]:
    """Return the trace ids of the feed's annotation events for ``reader``, and the next token."""
    params = {"annotations": True, **({"after": after} if after else {})}
    page = desk.ask("GET", "/v1/trajectories/changes", reader, params=params)
    assert {item["what"] for item in page["items"]} <= {"annotations"}
    return [item["trace_id"] for item in page["items"]], page["next"]


def test_no_event_tells_of_what_is_withheld(desk: Desk) -> None:
    _, at = told_to(desk, "bo", "")
    desk.mark(0, "correct", who="ada")
    assert told_to(desk, "bo", at)[0] == [KEY.trace_id]
    put(desk)
    _, at = told_to(desk, "bo", at)
    desk.mark(1, "incorrect", who="ada")
    desk.ask("POST", f"{ITEM}/done", "ada")
    told, at = told_to(desk, "bo", at)
    assert told == []
    desk.ask("POST", f"{ITEM}/done", "bo")
    assert told_to(desk, "lead", at)[0] == [KEY.trace_id]


def test_who_does_not_ask_is_told_of_versions_alone(desk: Desk) -> None:
    at = desk.ask("GET", "/v1/trajectories/changes")["next"]
    desk.mark(0, "correct", who="ada")
    assert desk.ask("GET", "/v1/trajectories/changes", params={"after": at})["items"] == []


def test_what_is_in_no_blind_queue_is_seen(desk: Desk) -> None:
    put(desk, blind=False)
    desk.mark(0, "correct", who="ada")
    assert seen_by(desk, "bo")["panel"] == {"ada"}


def test_next_done_and_adjudicated(desk: Desk) -> None:
    assert put(desk)["states"] == {"open": 1}
    assert desk.ask("POST", f"{QUEUE}/next", "ada") == {"trace_id": KEY.trace_id, "left": 1}
    desk.ask("POST", f"{ITEM}/adjudicate", "cy", 409)
    for who in ("ada", "bo"):
        desk.ask("POST", f"{ITEM}/done", who)
    assert desk.ask("POST", f"{QUEUE}/next", "ada") == {"trace_id": None, "left": 0}
    stood = desk.ask("POST", f"{ITEM}/adjudicate", "cy")
    assert stood["states"] == {"adjudicated": 1}
    assert stood["progress"]["ada"]["done"] == 1
    (item,) = desk.ask("GET", f"{QUEUE}/items")["items"]
    assert (item["state"], item["done_by"]) == ("adjudicated", ["ada", "bo"])
    assert desk.ask("GET", "/v1/queues")["items"][0]["items"] == 1


def test_done_means_what_the_scheme_requires(desk: Desk) -> None:
    text = (
        "annotation_type: trajectory_eval\nname: strict\ndescription: d\n"
        "label_requirement: {required: true}\n"
    )
    desk.ask("PUT", "/v1/schemes/strict", json={"text": text})
    put(desk, scheme="strict")
    assert "3 steps are not judged" in desk.ask("POST", f"{ITEM}/done", "ada", 409)["detail"]
    bulk = {"scheme": "strict", "write_id": "bulk-0001", "correctness": "correct"}
    desk.ask("POST", f"/v1/trajectories/{KEY.trace_id}/annotations/bulk", json=bulk)
    desk.ask("POST", f"{ITEM}/done", "ada")


def test_a_queue_of_what_there_is_not_is_refused(desk: Desk) -> None:
    put_status = {"scheme": SCHEME, "annotators": ["ada"], "trace_ids": ["e" * 32]}
    desk.ask("PUT", QUEUE, status=404, json=put_status)
    desk.ask("PUT", QUEUE, status=404, json={"scheme": "none", "annotators": ["ada"]})
    desk.ask("PUT", QUEUE, status=422, json={"scheme": SCHEME, "annotators": ["ada", "ada"]})
    desk.ask("GET", f"{QUEUE}/items", status=404)
    put(desk)
    desk.ask("POST", f"{QUEUE}/items/{'e' * 32}/done", "ada", 404)
