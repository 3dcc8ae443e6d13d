"""Corrections are exported as training examples; those that no longer hold are only counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Oslo? \u4e2d \U0001f600"},
]
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
ANSWER = [{"role": "assistant", "content": "Bergen.", "tool_calls": [CALL]}]
EDIT = {"field": "output", "part": "0.content", "original": "Bergen.", "edited": "Oslo. \U0001f600"}
IN_CALL = {"field": "output", "part": "0.tool_calls.0.function.arguments", "original": "{}"}


def model_run(desk: Desk, answer: Any = ANSWER, version: int = 2) -> None:
    first = tool_step(2)._replace(
        type=StepType.MODEL, input=json.dumps(ASKED), output=json.dumps(answer)
    )
    store_run(desk.store, KEY, [first, tool_step(3)], version)


def correct(desk: Desk, *corrections: Any, step: int = 0, **more: Any) -> None:
    value = {"corrections": list(corrections)}
    desk.write({"step_id": desk.steps[step], "value": value}, **more)


def lines(desk: Desk, form: str, who: str = "ada") -> list[Any]:
    text = desk.ask("GET", "/v1/annotations", who, params={"format": form}).text
    return [json.loads(line) for line in text.splitlines()]


def counted(desk: Desk) -> dict[str, int]:
    found = desk.ask("GET", "/v1/annotations/corrections")
    return {name: count for name, count in found.items() if count}


def test_a_corrected_answer_is_an_example_of_both_kinds(desk: Desk) -> None:
    model_run(desk)
    correct(desk, {**EDIT, "reason": "wrong town"}, {**IN_CALL, "edited": '{"q":1}'})
    edited = {**CALL, "function": {"name": "find", "arguments": '{"q":1}'}}
    chosen = [{"role": "assistant", "content": "Oslo. \U0001f600", "tool_calls": [edited]}]
    about = {
        "trace_id": KEY.trace_id,
        "scheme": SCHEME,
        "annotator": "ada",
        "step_id": desk.steps[0],
        "reason": "wrong town",
    }
    assert lines(desk, "sft") == [{"messages": [*ASKED, *chosen], **about}]
    assert lines(desk, "dpo") == [{"prompt": ASKED, "chosen": chosen, "rejected": ANSWER, **about}]
    assert counted(desk) == {"written": 2}


@pytest.mark.parametrize(
    ("correction", "fate"),
    [
        ({**EDIT, "edited": "Bergen."}, "unedited"),
        ({**EDIT, "original": "Paris."}, "changed"),
        ({**EDIT, "part": "", "original": "Bergen."}, "changed"),
        ({**EDIT, "field": "input"}, "no_answer"),
        ({**EDIT, "part": "7.content"}, "unreadable"),
        ({**EDIT, "part": "0.\u00b2"}, "unreadable"),
        ({**EDIT, "part": "0.tool_calls"}, "unreadable"),
        ({**EDIT, "edited": None}, "unreadable"),
        ("text", "unreadable"),
    ],
)
def test_what_is_no_correction_is_counted_and_not_written(
    desk: Desk, correction: Any, fate: str
) -> None:
    model_run(desk)
    correct(desk, correction)
    assert lines(desk, "sft") == lines(desk, "dpo") == []
    assert counted(desk) == {fate: 1}


def test_a_correction_of_a_tool_trains_no_model(desk: Desk) -> None:
    correct(desk, {**EDIT, "part": "", "original": "answer 2"})
    assert counted(desk) == {"no_answer": 1}


def test_what_changed_or_has_gone_since_is_left_out_until_it_is_back(desk: Desk) -> None:
    model_run(desk)
    correct(desk, EDIT)
    model_run(desk, [{"role": "assistant", "content": "Paris."}], 3)
    assert (lines(desk, "sft"), counted(desk)) == ([], {"changed": 1})
    store_run(desk.store, KEY, [tool_step(4)], 4)
    assert (lines(desk, "dpo"), counted(desk)) == ([], {"orphaned": 1})
    model_run(desk, version=5)
    assert (len(lines(desk, "dpo")), counted(desk)) == (1, {"written": 1})


def test_corrections_of_a_whole_run_name_their_steps(desk: Desk) -> None:
    model_run(desk)
    text = "annotation_type: trajectory_edit\nname: edit\ndescription: d\n"
    desk.ask("PUT", "/v1/schemes/edit", json={"text": text})
    there, gone = {**EDIT, "step_id": desk.steps[0]}, {**EDIT, "step_id": "f" * 16}
    body = {"corrections": [there, gone, {**there, "original": "Paris."}]}
    desk.write({"value": body}, scheme="edit")
    assert [line["step_id"] for line in lines(desk, "sft")] == [desk.steps[0]]
    assert counted(desk) == {"written": 1, "orphaned": 1, "changed": 1}


def test_a_blind_queue_withholds_corrections_too(desk: Desk) -> None:
    model_run(desk)
    correct(desk, EDIT)
    queue = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, "blind": True}
    desk.ask("PUT", "/v1/queues/q", json={**queue, "trace_ids": [KEY.trace_id]})
    assert (len(lines(desk, "sft")), lines(desk, "sft", "bo")) == (1, [])
    told = desk.ask("GET", "/v1/annotations/corrections", "bo")
    assert not any(told.values())


def test_runs_are_written_for_others_with_what_was_said(desk: Desk) -> None:
    """Each run is one line with every annotator's marks; a run without marks has no line."""
    model_run(desk)
    for who in ("ada", "bo"):
        spans = [{"field": "output", "part": "0.content", "start": 0, "end": 6, "text": "Bergen"}]
        mark = {"correctness": "incorrect", "severity": "major", "value": {"spans": spans}}
        desk.write({"step_id": desk.steps[0], **mark}, who=who)
    (line,) = lines(desk, "invariant")
    assert line["index"] == 0
    assert [m["role"] for m in line["messages"]] == ["system", "user", "assistant", "tool"]
    told = [(one["address"], one["extra_metadata"]["annotator"]) for one in line["annotations"]]
    here, there = "messages.2", "messages.2.content:0-6"
    assert told == [(here, "ada"), (there, "ada"), (here, "bo"), (there, "bo")]
    assert [one["extra_metadata"]["score"] for one in line["metadata"]["assessments"]] == [95, 95]
    (trace,) = lines(desk, "snorkel")
    first, _ = trace["substeps"]
    assert first["metadata"][f"{SCHEME}/bo/severity"] == "major"
    assert trace["metadata"][f"{SCHEME}/ada/score"] == 95
