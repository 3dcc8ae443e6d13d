"""Runs are written as Invariant's lines: messages, tool results, annotations, counted losses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators.invariant import check

from spanloom.core.exchange.invariant.writer import encode_invariant, invariant_lines
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]


def written(document: Json) -> tuple[list[Json], Losses]:
    losses = Losses()
    body = encode_invariant(Stored(json.dumps(document).encode()), losses)
    check(body)
    return json.loads(body), losses


def _call(call_id: str, city: str) -> Json:
    function = {"name": "weather", "arguments": {"city": city}}
    return {"id": call_id, "type": "function", "function": function}


def test_the_planner_is_two_lines() -> None:
    (line, critic), losses = written(planner())
    assert line["messages"] == [
        {"role": "user", "content": "Oslo or Bergen?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [_call("c1", "Oslo"), _call("c2", "Bergen")],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "dry"},
        {"role": "tool", "tool_call_id": "c2", "content": "down"},
        {"role": "assistant", "content": "Oslo."},
    ]
    assert [m["content"] for m in critic["messages"]] == ["Oslo is dry", "fine"]
    about = line["metadata"]
    assert about == {
        "trace_id": planner()["id"],
        "name": "planner",
        "version": 1,
        "input_tokens": 150,
        "output_tokens": 27,
        "duration_ms": "400",
        "has_error": True,
        "agent": "planner",
    }
    assert critic["metadata"] == {"parent_trace": planner()["id"], "agent": "critic"}
    assert [one["index"] for one in (line, critic)] == [0, 1]
    assert losses.counts == {
        Code.AGENTS_SEPARATE: 1,
        Code.ERROR_AS_TEXT: 1,
        Code.METADATA_DROPPED: 3,
        Code.TIMES_DROPPED: 7,
        Code.TOKENS_DROPPED: 3,
    }


def test_annotated_lines_are_the_same_but_for_the_index_and_the_error() -> None:
    lines, _ = written(planner())
    for line in lines:
        del line["index"]
        line["metadata"].pop("has_error", None)
    assert list(invariant_lines(planner(), [])) == lines


@pytest.mark.parametrize(
    ("arguments", "expected", "lost"),
    [
        ("", {}, 1),
        ("Oslo", {"_raw": "Oslo"}, 1),
        ('["Oslo"]', {"_raw": '["Oslo"]'}, 1),
        ('{"city": "Oslo"}', {"city": "Oslo"}, 0),
        ('{"cut": ', {"_raw": '{"cut": '}, 1),
    ],
)
def test_arguments_are_objects(arguments: str, expected: Json, lost: int) -> None:
    call = {"type": "function", "function": {"name": "weather", "arguments": arguments}}
    line, losses = _asking([{"role": "assistant", "content": "", "tool_calls": [call]}])
    (called,) = line["messages"][-1]["tool_calls"]
    assert called["function"]["arguments"] == expected
    assert called["id"] == "a000000000000007.0"
    assert losses.counts[Code.ARGS_NOT_OBJECT] == lost
    assert losses.counts[Code.CALL_ID_MADE] == 1
    assert losses.counts[Code.CALL_UNPAIRED] == 1


def test_parts_that_are_dropped_are_counted() -> None:
    document = planner()
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    audio = {"type": "input_audio", "input_audio": {}}
    first = document["agent_steps"][0]["steps"][0]
    first["input"] = json.dumps([{"role": "user", "content": [image, audio]}])
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Oslo."}, image]}
    (line, _), losses = _with_last_output(document, [answer])
    assert line["messages"][0]["content"] == [image, {"type": "text", "text": "[input_audio]"}]
    assert line["messages"][-1]["content"] == "Oslo."
    assert losses.counts[Code.PARTS_DROPPED] == 2


def test_a_tool_that_nobody_called_keeps_its_result_alone() -> None:
    document = planner()
    document["agent_steps"][0]["steps"].insert(
        1, {**document["agent_steps"][0]["steps"][1], "id": "a0000000000000ff", "name": "search"}
    )
    document["agent_steps"][0]["steps"][1]["metadata"] = {}
    (line, _), losses = written(document)
    results = [m["tool_call_id"] for m in line["messages"] if m["role"] == "tool"]
    assert results == ["c1", "c2", "a0000000000000ff"]
    assert losses.counts[Code.CALL_UNPAIRED] == 1
    assert losses.counts[Code.TEXTS_DROPPED] == 1


def test_a_run_without_messages_is_its_question_and_answer() -> None:
    document = planner()
    document["agent_steps"] = []
    (line,), _ = written(document)
    assert [m["content"] for m in line["messages"]] == ["Oslo or Bergen?", "Oslo."]


def _asking(answers: list[Json]) -> tuple[Json, Losses]:
    document = planner()
    document["agent_steps"][0]["steps"] = document["agent_steps"][0]["steps"][-1:]
    document["agent_steps"] = document["agent_steps"][:1]
    (line,), losses = _with_last_output(document, answers)
    return line, losses


def _with_last_output(document: Json, answers: list[Json]) -> tuple[list[Json], Losses]:
    document["agent_steps"][0]["steps"][-1]["output"] = json.dumps(answers)
    return written(document)
