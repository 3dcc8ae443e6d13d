"""Runs with assessments are written as Invariant Explorer and Snorkel read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from invariant_sdk.types.annotations import AnnotationCreate
from invariant_sdk.types.push_traces import PushTracesRequest
from tests.support.assessed import at_address, check_messages, check_snorkel, nodes_of

from spanloom.core.document import Document, DocumentAgent
from spanloom.core.exchange.invariant.writer import invariant_lines
from spanloom.core.exchange.snorkel.writing import snorkel_trace
from spanloom.core.formats.conversation import conversation
from spanloom.core.model.annotation import Assessment, Place

Json = dict[str, Any]
FIRST, CALLED, FAILED, CRITIC = (f"a00000000000000{n}" for n in (2, 3, 4, 5))
SAID: Json = {"correctness": "incorrect", "severity": "major", "rationale": "asked twice"}
ASSESSMENTS = [
    Assessment("", "potato", "ada", {"score": 95, "score_complete": False}),
    Assessment(FIRST, "potato", "ada", SAID),
    Assessment(FAILED, "potato", "ada", {}, Place("output", "", 0, 4, "down")),
    Assessment(CRITIC, "potato", "bo", {"correctness": "correct"}),
    Assessment("gone", "potato", "bo", {"correctness": "incorrect"}),
]


@pytest.fixture
def run() -> Json:
    """A run of an agent and its critic; one of the agent's two tool calls fails and has no id."""
    text = Path(__file__).with_name("run_with_a_critic.json").read_text()
    document: Json = json.loads(text)
    return document


def test_the_conversation_is_told_from_steps(run: Json) -> None:
    """The second model call's input has only the question, so the turns between come from steps."""
    calls = [
        {"id": "c1", "type": "function", "function": _call("Oslo")},
        {"id": "c2", "type": "function", "function": _call("Bergen")},
    ]
    assert [turn.message for turn in conversation(next(Document(run).agents))] == [
        {"role": "user", "content": "Oslo or Bergen?"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "dry"},
        {"role": "tool", "tool_call_id": "c2", "name": "weather", "content": "down"},
        {"role": "assistant", "content": "Oslo."},
    ]


def _call(city: str) -> Json:
    return {"name": "weather", "arguments": f'{{"city":"{city}"}}'}


def _model(step_id: str, heard: list[Json], *said: Json) -> Json:
    texts = {"input": json.dumps(heard), "output": json.dumps(said)}
    return {"id": step_id, "type": "model", "name": "chat", **texts}


def _asks(*calls: Json) -> Json:
    asked = [{"type": "function", "function": call} for call in calls]
    return {"role": "assistant", "content": "", "tool_calls": asked}


def _ran(step_id: str, text: str, output: str = "dry") -> Json:
    return {"id": step_id, "type": "tool", "name": "weather", "input": text, "output": output}


def test_results_stand_as_they_were_called() -> None:
    """Tool calls without ids get some; LangChain records a lone argument without its name."""
    steps = [
        _model("m", [], _asks(_call("Oslo"), _call("Bergen"))),
        _ran("late", '{"city": "Bergen"}', "rain"),
        _ran("early", "Oslo"),
        _ran("beyond", "Molde", "fog"),
    ]
    _, *results = (turn.message for turn in conversation(DocumentAgent({"steps": steps})))
    told = [(one["tool_call_id"], one["content"]) for one in results]
    assert told == [("m.0", "dry"), ("m.1", "rain"), ("beyond", "fog")]


def test_a_result_that_is_no_step_is_kept_once() -> None:
    asked = {**_asks(_call("Oslo"))}
    asked["tool_calls"][0]["id"] = "c1"
    result = {"role": "tool", "tool_call_id": "c1", "content": "dry"}
    steps = [
        _model("m1", [{"role": "user", "content": "?"}], asked),
        _model(
            "m2", [{"role": "user", "content": "?"}, asked, result, result], {"role": "assistant"}
        ),
    ]
    roles = [turn.message["role"] for turn in conversation(DocumentAgent({"steps": steps}))]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_what_was_said_stands_at_its_messages(run: Json) -> None:
    line, critic = invariant_lines(run, ASSESSMENTS)
    for one in (line, critic):
        check_messages(one["messages"])
    of_step, of_piece = line["annotations"]
    assert critic["annotations"] == []  # the agent has no message of its own, only its steps have
    assert of_step["address"] == "messages.1"
    assert of_step["content"] == "[incorrect, major] asked twice"
    assert (
        of_step["extra_metadata"].items() >= {**SAID, "step_id": FIRST, "annotator": "ada"}.items()
    )
    assert of_piece["address"] == "messages.3.content:0-4"
    assert at_address(line, of_piece["address"]) == "down"
    made = AnnotationCreate.from_nested_dicts([one["annotations"] for one in (line, critic)])
    PushTracesRequest(messages=[line["messages"], critic["messages"]], annotations=made)
    beside = [one["extra_metadata"]["step_id"] for one in line["metadata"]["assessments"]]
    assert beside == ["", CRITIC, "gone"]
    assert critic["metadata"] == {"parent_trace": run["id"], "agent": "critic"}


def test_a_run_without_messages_has_its_question_and_its_answer(run: Json) -> None:
    run["agent_steps"] = []
    (line,) = invariant_lines(run, ASSESSMENTS)
    assert [one["content"] for one in line["messages"]] == ["Oslo or Bergen?", "Oslo."]
    assert len(line["metadata"]["assessments"]) == len(ASSESSMENTS)


def test_media_are_named(run: Json) -> None:
    """A part that Invariant's analyzer rejects becomes a word in brackets; an image stays."""
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    heard = [{"role": "user", "content": [image, {"type": "input_audio", "input_audio": {}}]}]
    run["agent_steps"][0]["steps"][0]["input"] = json.dumps(heard)
    line, _ = invariant_lines(run, [])
    assert line["messages"][0]["content"] == [image, {"type": "text", "text": "[input_audio]"}]


def test_marks_are_metadata_of_snorkel(run: Json) -> None:
    trace = snorkel_trace(run, ASSESSMENTS)
    check_snorkel(trace)
    nodes = {node["metadata"]["step_id"]: node for node in nodes_of(trace)}
    assert trace["metadata"].items() >= {"tokens": 177, "potato/ada/score": 95}.items()
    assert trace["substep_execution_type"] == "parallel"
    marks = {f"potato/ada/{name}": value for name, value in SAID.items()}
    assert nodes[FIRST]["metadata"].items() >= marks.items()
    assert nodes[CRITIC]["metadata"]["potato/bo/correctness"] == "correct"
    assert nodes[CRITIC]["metadata"]["tokens"] == 12
    assert [node["metadata"]["step_id"] for node in nodes[CRITIC]["substeps"]] == [
        CRITIC[:-1] + "6"
    ]
    assert json.loads(nodes[FAILED]["metadata_expand"]["assessments"])[0]["quote"] == "down"
    assert nodes[FAILED]["metadata"].items() >= {"error_code": 503, "error_msg": "down"}.items()
    (gone,) = json.loads(trace["metadata_expand"]["assessments"])
    assert gone == {
        "step_id": "gone",
        "scheme": "potato",
        "annotator": "bo",
        "correctness": "incorrect",
    }


def test_agents_in_a_ring_or_too_deep_stand_under_the_root(run: Json) -> None:
    """Whatever the shape of a run, the output contains every step once."""
    depth = 300
    ids = [f"{n:016x}" for n in range(depth)]
    agents = [
        {
            **run["agent_steps"][1],
            "id": own,
            "parent_id": "",
            "steps": [{"id": below, "type": "agent"}],
        }
        for own, below in zip(ids, [*ids[1:], ids[-2]], strict=True)
    ]
    run["root_step"]["id"], run["agent_steps"] = ids[0], agents
    trace = snorkel_trace(run, [])
    check_snorkel(json.loads(json.dumps(trace)))
    assert sorted(node["metadata"]["step_id"] for node in nodes_of(trace)) == ids


def test_a_piece_of_an_answer_in_several_messages_is_found_in_the_joined_one(run: Json) -> None:
    said = [{"role": "assistant", "content": text} for text in ("Well 😀", "Oslo it is.")]
    run["agent_steps"][0]["steps"][0]["output"] = json.dumps(said)
    place = Place("output", "1.content", 0, 4, "Oslo")
    line, _ = invariant_lines(run, [Assessment(FIRST, "potato", "ada", {}, place)])
    (one,) = line["annotations"]
    assert one["address"] == "messages.1.content:8-12"
    assert at_address(line, one["address"]) == "Oslo"
