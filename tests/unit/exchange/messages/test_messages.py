"""Runs are written as messages and read back in the formats openai, chat, langsmith and sts."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.drafted import planner
from tests.support.exchanged import read, read_all, reread, values_in, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.formats.losses import Code, Loss, Losses, NotHeldError
from spanloom.core.formats.readers import Refused

if TYPE_CHECKING:
    Json = dict[str, Any]

FORMATS = ("openai", "chat", "langsmith", "sts")
OSLO, BERGEN = '{"city":"Oslo"}', '{"city":"Bergen"}'


def _call(call_id: str, arguments: str, name: str = "weather") -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


PLANNER = [
    {"role": "user", "content": "Oslo or Bergen?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [_call("c1", OSLO), _call("c2", BERGEN)],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "dry"},
    {"role": "tool", "tool_call_id": "c2", "name": "weather", "content": "down"},
    {"role": "assistant", "content": "Oslo."},
]


def _steps(document: Json) -> list[Json]:
    return [step for agent in document["agent_steps"] for step in agent["steps"]]


def _model(output: list[Json] | str, *heard: Json, at: str = "a000000000000002") -> Json:
    text = output if isinstance(output, str) else json.dumps(output)
    return {
        **_steps(planner())[0],
        "id": at,
        "input": json.dumps(heard),
        "output": text,
    }


def _run(*steps: Json) -> Json:
    document = planner()
    document["agent_steps"] = [{**document["agent_steps"][0], "steps": list(steps)}]
    return document


def test_the_golden_run_as_messages_and_what_they_lack() -> None:
    losses = Losses()
    assert json.loads(write("openai", planner(), losses)) == PLANNER
    assert losses.counts == {
        Code.AGENTS_SEPARATE: 1,
        Code.ERROR_AS_TEXT: 1,
        Code.METADATA_DROPPED: 5,
        Code.TIMES_DROPPED: 7,
        Code.TOKENS_DROPPED: 3,
    }


def test_every_agent_has_its_messages() -> None:
    losses = Losses()
    written = json.loads(write("openai-agents", planner(), losses))
    asked, said = {"role": "user", "content": "Oslo is dry"}, "fine"
    critic = [asked, {"role": "assistant", "content": said}]
    assert written == {"planner": PLANNER, "critic": critic}
    assert losses.counts[Code.AGENTS_SEPARATE] == 1
    assert Code.TEXTS_DROPPED not in losses.counts


def test_agents_of_one_name_have_lists_of_their_own() -> None:
    document = planner()
    document["agent_steps"][1]["name"] = "planner"
    assert list(json.loads(write("openai-agents", document))) == ["planner", "planner (2)"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_golden_run_is_valid_and_a_fixed_point(name: str) -> None:
    body = write(name, planner())
    import_module(f"tests.support.exchange_validators.{name}").check(body)
    again = reread(name, planner())
    assert values_in(name, write(name, again)) == values_in(name, body)
    assert reread(name, planner()) == again  # reading is deterministic
    read_run(again, None)


@pytest.mark.parametrize("name", ["chat", "langsmith", "sts"])
def test_rows_keep_the_id_and_the_name(name: str) -> None:
    again = reread(name, planner())
    assert (again["id"], again["root_step"]["name"]) == (planner()["id"], "planner")


def test_tokens_are_not_made_up_and_times_are_those_of_the_lines() -> None:
    again = reread("sts", planner())
    models = [step for step in _steps(again) if step["type"] == "model"]
    assert [step["basic_info"]["started_at"] for step in models] == [
        "1715400000010",
        "1715400000310",
    ]
    assert models[0]["model_info"]["input_tokens"] == 0
    assert models[0]["metadata"] == {"model": "gpt-4o-mini", HISTORY: OMITTED}


def test_an_example_has_the_question_and_what_followed() -> None:
    example = json.loads(write("langsmith", planner()))
    assert example["id"] == "0af76519-16cd-43dd-8448-eb211c80319c"
    assert example["inputs"] == {"messages": PLANNER[:1]}
    assert example["outputs"] == {"messages": PLANNER[1:]}


def test_user_and_tags_come_back_with_chat() -> None:
    document = planner()
    document["extraction"] |= {
        "conversation_id": "c",
        "user_id": "ada",
        "tags": ["a", "b"],
        "metadata": {"split": "test"},
    }
    told = reread("chat", document)["extraction"]
    assert {k: told[k] for k in ("conversation_id", "user_id", "tags", "metadata")} == {
        "conversation_id": "c",
        "user_id": "ada",
        "tags": ["a", "b"],
        "metadata": {"split": "test"},
    }


def test_tools_are_written_as_functions_and_come_back() -> None:
    tools = [{"name": "weather", "input_schema": {"type": "object"}}]
    model = _model([{"role": "assistant", "content": "hi"}])
    model["metadata"] = {"tool_definitions": json.dumps(tools)}
    row = json.loads(write("chat", _run(model)))
    function = {"name": "weather", "parameters": {"type": "object"}}
    assert row["tools"] == [{"type": "function", "function": function}]
    assert json.loads(write("chat", reread("chat", _run(model)))) == row


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_without_an_agent_is_not_held(name: str) -> None:
    with pytest.raises(NotHeldError) as caught:
        write(name, {**planner(), "agent_steps": []})
    assert caught.value.code is Code.NO_AGENT


def test_calls_get_ids_and_arguments_that_are_objects() -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [_call("", "Oslo")]}
    losses = Losses()
    messages = json.loads(write("openai", _run(_model([asked])), losses))
    assert messages[-1]["tool_calls"] == [_call("a000000000000002.0", "{}")]
    counts = losses.counts
    assert (counts[Code.CALL_ID_MADE], counts[Code.ARGS_NOT_OBJECT]) == (1, 1)
    assert counts[Code.CALL_UNPAIRED] == 1


def test_of_a_call_that_ran_twice_the_last_result_is_written() -> None:
    asked = {"role": "assistant", "content": "", "tool_calls": [_call("c1", OSLO)]}
    tool = _steps(planner())[1]
    again = {**tool, "id": "a00000000000000a", "output": "wet"}
    losses = Losses()
    document = _run(_model([asked]), tool, again)
    messages = json.loads(write("openai", document, losses))
    assert [m["content"] for m in messages if m["role"] == "tool"] == ["wet"]
    assert losses.counts[Code.TOOL_RETRY_DROPPED] == 1
    assert losses.counts[Code.CALL_UNPAIRED] == 0


def test_a_history_that_was_rewritten_is_counted() -> None:
    one, two = ({"role": "user", "content": text} for text in ("one", "two"))
    said = [{"role": "assistant", "content": "ok"}]
    losses = Losses()
    document = _run(_model(said, one), _model(said, two, at="a000000000000007"))
    messages = json.loads(write("openai", document, losses))
    assert [m["content"] for m in messages] == ["one", "ok", "two", "ok"]
    assert losses.counts[Code.HISTORY_REWRITTEN] == 1


def test_the_same_question_twice_stays_two_messages() -> None:
    turn = [{"role": "user", "content": "go on"}, {"role": "assistant", "content": "ok"}]
    taken = read("openai", [*turn, *turn])
    assert json.loads(write("openai", taken.document)) == [*turn, *turn]


def test_media_stay_and_unknown_parts_become_a_placeholder() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    heard = {"role": "user", "content": [image, {"type": "video", "id": 7}]}
    losses = Losses()
    messages = json.loads(write("openai", _run(_model("", heard)), losses))
    assert messages[0]["content"] == [image, {"type": "text", "text": "[video]"}]
    assert losses.counts[Code.PARTS_DROPPED] == 1


def test_thoughts_are_in_rows_but_not_for_evaluators() -> None:
    said = {"role": "assistant", "content": "hi", "reasoning_content": "hm"}
    losses = Losses()
    assert json.loads(write("openai", _run(_model([said])), losses)) == [
        {"role": "assistant", "content": "hi"}
    ]
    assert Loss("", "a000000000000002", Code.TEXTS_DROPPED) in losses.listed
    assert json.loads(write("chat", _run(_model([said]))))["messages"] == [said]


def test_results_belong_to_calls_by_id_else_by_name() -> None:
    asked = {
        "role": "assistant",
        "content": "",
        "tool_calls": [_call("c1", OSLO), _call("c2", BERGEN, "rain")],
    }
    results = [
        {"role": "tool", "name": "rain", "content": "wet"},
        {"role": "tool", "tool_call_id": "c1", "content": "dry"},
        {"role": "tool", "tool_call_id": "c9", "content": "?"},
    ]
    taken = read("openai", [asked, *results])
    tools = [step for step in _steps(taken.document) if step["type"] == "tool"]
    assert [(t["name"], t["input"], t["output"]) for t in tools] == [
        ("rain", BERGEN, "wet"),
        ("weather", OSLO, "dry"),
        ("result", "", "?"),
    ]
    assert taken.losses.counts[Code.CALL_UNPAIRED] == 1
    assert taken.losses.counts[Code.DURATION_UNKNOWN] == 4


def test_other_shapes_of_messages_are_read() -> None:
    langchain = [{"type": "human", "content": "hi"}, {"type": "ai", "content": "ho"}]
    anthropic = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "ho"}]},
    ]
    for messages in (langchain, anthropic):
        document = read("openai", messages).document
        assert (document["root_step"]["input"], document["root_step"]["output"]) == ("hi", "ho")


def test_roles_beyond_the_five_are_kept_in_the_run() -> None:
    document = read("openai", [{"role": "critic", "content": "no"}, *PLANNER]).document
    assert '"critic"' in _steps(document)[0]["input"]
    losses = Losses()
    assert json.loads(write("openai", document, losses)) == PLANNER
    assert losses.counts[Code.TEXTS_DROPPED] == 1


def test_bare_messages_are_one_run() -> None:
    assert json.loads(write("openai", read("openai", *PLANNER).document)) == PLANNER


def test_a_bad_line_stops_no_neighbour() -> None:
    found = read_all("openai", PLANNER, [{"content": 7}], {"hello": 1}, [], PLANNER)
    assert [isinstance(one, Refused) for one in found] == [False, True, True, True, False]
    assert [one.place for one in found] == [f"line {n}" for n in range(1, 6)]


def test_bad_lines_of_a_session_stop_no_neighbour() -> None:
    lines = values_in("sts", write("sts", planner()))
    bad = [{"type": "message", "message": {"content": "?"}}, {"type": "other"}, 7]
    *refused, taken = read_all("sts", *lines[:2], *bad, *lines[2:])
    assert [one.place for one in refused] == ["line 3", "line 4", "line 5"]
    assert taken.place == "line 1"
    (lost,) = read_all("sts", lines[1])
    assert isinstance(lost, Refused)


@pytest.mark.parametrize("name", FORMATS)
def test_deep_json_is_refused_or_kept_as_text(name: str) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    values: dict[str, list[object]] = {
        "openai": [[{"role": "user", "content": deep}]],
        "chat": [{"messages": [{"role": "user", "content": deep}]}],
        "langsmith": [{"inputs": {"messages": [{"role": "user", "content": deep}]}}],
        "sts": [
            {"type": "session", "harness": "x", "id": "x"},
            {"type": "message", "message": {"role": "user", "content": deep}},
        ],
    }
    (found,) = read_all(name, *values[name])
    assert isinstance(found, Refused)
    assert "nested too deeply" in found.reason


def test_inputs_that_are_no_messages_are_one() -> None:
    example = {"inputs": {"question": "hi"}, "reference_outputs": {"answer": "ho"}}
    document = read("langsmith", example).document
    assert (document["root_step"]["input"], document["root_step"]["output"]) == ("hi", "ho")
