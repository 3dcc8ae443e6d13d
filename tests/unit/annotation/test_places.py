"""Marked ranges of a text that has changed: found at their new offsets, moved on confirmation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

BEFORE, AFTER = "Oslo has a fjord, and rain.", "The city of \U0001f600 Oslo has a fjord."
FJORD: dict[str, Any] = {"field": "output", "start": 11, "end": 16, "text": "fjord"}
RAIN: dict[str, Any] = {"field": "output", "start": 22, "end": 26, "text": "rain"}
HERE = {"start": 26, "end": 31}
WRONG = {"correctness": "incorrect", "severity": "major"}


def says(desk: Desk, text: str, version: int) -> None:
    store_run(desk.store, KEY, [tool_step(2, text), tool_step(3), tool_step(4)], version)


@pytest.fixture
def marked(desk: Desk) -> Desk:
    """Return a desk whose first step has two marked ranges; its newest text lacks one of them."""
    says(desk, BEFORE, 2)
    desk.write({"step_id": desk.steps[0], **WRONG, "value": {"spans": [FJORD, RAIN], "own": 1}})
    desk.mark(1, "correct")
    says(desk, AFTER, 3)
    return desk


def row(desk: Desk, step: int = 0) -> Any:
    return next(one for one in desk.read()["items"] if one["step_id"] == desk.steps[step])


def test_it_is_told_where_places_stand_now(marked: Desk) -> None:
    """The stored ranges are unchanged; a step with an unchanged text reports no new offsets."""
    found = row(marked)
    assert (found["state"], found["value"]["spans"]) == ("changed", [FJORD, RAIN])
    assert found["places"] == [[26, 31], None]
    assert row(marked, 1)["places"] == []
    (line,) = marked.ask("GET", "/v1/annotations").text.splitlines()
    first, second = json.loads(line)["steps"]
    assert (first["places"], "places" in second) == ([[26, 31], None], False)


@pytest.mark.parametrize("edit", [{}, {"severity": "minor"}, {"value": {"own": 2}}])
def test_whoever_confirms_moves_what_can_be_found(marked: Desk, edit: dict[str, Any]) -> None:
    said = marked.write({"step_id": marked.steps[0], **edit}, version=3)["items"][0]
    assert (said["state"], said["places"]) == ("valid", [])
    assert said["value"]["spans"] == [{**FJORD, **HERE}, RAIN]
    assert row(marked)["value"]["spans"] == [{**FJORD, **HERE}, RAIN]


def test_new_places_stay_where_a_client_puts_them(marked: Desk) -> None:
    """The client's offsets win for words that occur twice; entries without offsets are kept."""
    city = {"field": "output", "start": 4, "end": 8, "text": "city"}
    spans = [{**FJORD, **HERE}, city, {"field": "thought", "text": 7}, "odd"]
    said = marked.write({"step_id": marked.steps[0], "value": {"spans": spans}}, version=3)
    assert said["items"][0]["value"]["spans"] == spans
    says(marked, AFTER + " Another city", 4)
    assert row(marked)["places"] == [[26, 31], [4, 8], None, None]


def test_who_still_looks_at_the_old_version_moves_nothing(marked: Desk) -> None:
    said = marked.write({"step_id": marked.steps[0], "severity": "minor"}, version=2)["items"][0]
    assert (said["state"], said["places"]) == ("changed", [[26, 31], None])
    assert said["value"]["spans"] == [FJORD, RAIN]


def test_places_of_the_whole_run_stand_in_their_steps(desk: Desk) -> None:
    text = "annotation_type: error_span\nname: places\ndescription: where\n"
    desk.ask("PUT", "/v1/schemes/places", json={"text": text})
    says(desk, BEFORE, 2)
    spans = [{**FJORD, "step_id": desk.steps[0]}, {**RAIN, "step_id": "gone"}]
    desk.write({"value": {"spans": spans}}, scheme="places")
    says(desk, AFTER, 3)
    (found,) = desk.read()["items"]
    assert (found["state"], found["places"]) == ("whole", [[26, 31], None])
    said = desk.write({"value": {"note": "still"}}, scheme="places", version=3)["items"][0]
    assert said["value"]["spans"] == [{**spans[0], **HERE}, spans[1]]


def test_places_in_messages_are_found_in_their_part(desk: Desk) -> None:
    def answers(version: int, *texts: str) -> None:
        said = [{"role": "assistant", "content": text} for text in texts]
        model = tool_step(2, json.dumps(said))._replace(type=StepType.MODEL)
        store_run(desk.store, KEY, [model, tool_step(3)], version)

    answers(2, "a fjord", "a fjord")
    place = {"field": "output", "part": "1.content", "start": 2, "end": 7, "text": "fjord"}
    desk.write({"step_id": desk.steps[0], **WRONG, "value": {"spans": [place]}})
    answers(3, "a fjord", "not a fjord")
    assert row(desk)["places"] == [[6, 11]]
    line = json.loads(desk.ask("GET", "/v1/annotations", params={"format": "invariant"}).text)
    told = [one["address"] for one in line["annotations"]]
    assert told == ["messages.1", "messages.1.content:14-19"]


def test_an_import_stores_no_standing(marked: Desk) -> None:
    (line,) = marked.ask("GET", "/v1/annotations").text.splitlines()
    entry = {**json.loads(line), "annotator": "eve"}
    marked.ask("POST", "/v1/annotations/import", json=entry)
    eve = [one for one in marked.read()["items"] if one["annotator"] == "eve"]
    assert eve
    assert all("places" not in one["value"] for one in eve)
    assert {one["scheme"] for one in eve} == {SCHEME}
