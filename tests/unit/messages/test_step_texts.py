"""Inputs and outputs of agents, graphs, tools and model calls are shown in a uniform form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.spans import extract_spans, genai, make_span

from spanloom.core.messages.steps import (
    FINISH_REASONS,
    TOOL_DEFINITIONS,
    read_answer,
    read_arguments,
    read_input,
    read_request,
    read_result,
    read_state,
    show_texts,
)
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind

ASKED = {"role": "user", "content": "Where?"}
CALLED = {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]}
RETURNED = {"type": "tool", "content": "42", "tool_call_id": "c1"}
ANSWERED = {"type": "ai", "content": "Here."}


def state(*messages: object, **more: object) -> str:
    return json.dumps({"messages": list(messages), **more})


@pytest.mark.parametrize(
    "text",
    [
        "Where?",
        '"Where?"',
        state(ASKED),
        state({"role": "system", "content": "Be kind."}, ASKED, ANSWERED),
        state(["human", "Where?"]),
        state(ASKED, remaining_steps=3),
        json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]),
        json.dumps({"inputs": {"messages": [ASKED]}, "tags": [], "kwargs": {"name": "a"}}),
        json.dumps({"input": "Where?", "chat_history": []}),
        json.dumps({"args": ["Where?"], "kwargs": {}}),
        json.dumps({"system": "Be kind.", "prompt": "Where?"}),
        json.dumps({"Input": {"Messages": [ASKED], "EnableStreaming": False}, "ResumeInfo": None}),
        json.dumps({"stream": [[ASKED]]}),
    ],
)
def test_an_agent_shows_what_it_was_asked(text: str) -> None:
    assert read_request(text) == "Where?"


@pytest.mark.parametrize(
    "text",
    [
        "Here.",
        '"Here."',
        state(ASKED, CALLED, RETURNED, ANSWERED),
        json.dumps({"outputs": {"messages": [ASKED, ANSWERED]}, "kwargs": {"tags": []}}),
        json.dumps({"output": "Here."}),
        json.dumps([ANSWERED]),
        json.dumps({"raw": "Here.", "pydantic": None, "json_dict": None}),
        json.dumps({"stream": [{"role": "assistant", "content": c} for c in ("He", "re.")]}),
    ],
)
def test_an_agent_shows_what_it_answered(text: str) -> None:
    assert read_answer(text) == "Here."


def test_an_agent_may_end_with_a_tool_a_call_or_data() -> None:
    assert read_answer(state(ASKED, CALLED, RETURNED)) == "42"
    assert json.loads(read_answer(state(ASKED, CALLED)))[0]["tool_calls"][0]["id"] == "c1"
    assert read_answer(state(ANSWERED, structured_response={"a": 1})) == '{"a":1}'
    assert read_answer("{}") == ""


@pytest.mark.parametrize("text", ['{"topic": "Norway"}', "Command(update={})", "{broken", "[1, 2]"])
def test_what_is_no_request_or_answer_stays_as_it_is(text: str) -> None:
    assert read_request(text) == read_answer(text) == read_state(text, "user") == text


def test_a_graph_shows_its_state_with_the_messages_in_the_one_shape() -> None:
    assert read_state(state(ASKED, ANSWERED), "assistant") == "Here."
    shown: dict[str, Any] = json.loads(read_state(state(ANSWERED, topic="x"), "assistant"))
    assert shown == {"messages": [{"role": "assistant", "content": "Here."}], "topic": "x"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"input_str": "{\'a\': 1}", "tags": [], "inputs": {"a": 1}}', '{"a":1}'),
        ('{"input_str": "x", "tags": [], "metadata": {}, "inputs": null}', "x"),
        ('{"args": [], "kwargs": {"a": 1}}', '{"a":1}'),
        ('{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"a": 1}}', '{"a":1}'),
        ('{"kwargs": {"a": 1}}', '{"a":1}'),
        ('{"args": ["x"], "kwargs": {}}', "x"),
        ('{"args": [1, 2], "kwargs": {}}', '{"args": [1, 2], "kwargs": {}}'),
        ('{"type": "tool_call", "name": "f", "id": "c1", "args": {"a": 1}}', '{"a":1}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('{"input": "its own argument"}', '{"input": "its own argument"}'),
        ("{}", "{}"),
        ("plain", "plain"),
    ],
)
def test_a_tool_shows_its_arguments(text: str, shown: str) -> None:
    assert read_arguments(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "sunny",
        '"sunny"',
        '{"output": "sunny"}',
        '{"result": "sunny"}',
        '{"output": {"content": "sunny", "type": "tool", "tool_call_id": "c1"}}',
        '{"lc": 1, "id": ["m", "ToolMessage"], "kwargs": {"content": "sunny"}}',
        '{"output": {"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": "sunny"}}}',
        '[{"text": "sunny"}]',
        '[{"type": "text", "text": "sunny"}]',
        '[{"type": "text", "text": "sunny", "id": "lc_7"}]',
        '{"id": "c1", "name": "f", "response": {"result": "sunny"}}',
        '{"blocks": [{"text": "sunny"}], "tool_name": "f", "raw_output": "sunny"}',
    ],
)
def test_a_tool_shows_its_result(text: str) -> None:
    assert read_result(text) == "sunny"


@pytest.mark.parametrize(
    "text",
    ['{"city": "Oslo", "sky": "grey"}', '[{"text": "a"}, {"text": "b"}]', '{"result": 1, "of": 2}'],
)
def test_a_result_that_is_data_stays_letter_by_letter(text: str) -> None:
    assert read_result(text) == text


def test_tools_among_the_messages_are_told_apart() -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    facts = Facts(input=json.dumps([ASKED, {"role": "tool", "content": tool}]))
    show_texts(facts, Kind.MODEL)
    assert json.loads(facts.input) == [ASKED]
    assert json.loads(facts.metadata[TOOL_DEFINITIONS]) == [tool]


@pytest.mark.parametrize("told", ["stop", '["stop"]'])
def test_why_a_call_ended_is_a_list(told: str) -> None:
    facts = Facts(metadata={FINISH_REASONS: told})
    show_texts(facts, Kind.MODEL)
    assert facts.metadata == {FINISH_REASONS: '["stop"]'}


def test_why_a_call_ended_may_stand_in_its_messages_alone() -> None:
    choices = [{"message": ANSWERED, "finish_reason": why} for why in ("stop", "length")]
    facts = Facts(output=json.dumps({"choices": choices}))
    show_texts(facts, Kind.MODEL)
    assert facts.metadata == {FINISH_REASONS: '["stop","length"]'}


def test_a_call_s_text_that_is_no_message_becomes_one() -> None:
    said = {"gen_ai.input.messages": "Hi", "gen_ai.output.messages": '{"a": 1}'}
    trajectory = extract_spans(make_span(1, 0, {**genai("chat"), **said}))
    [step] = trajectory.agent_steps[0].steps
    assert step.input == '[{"role":"user","content":"Hi"}]'
    assert json.loads(step.output) == [{"role": "assistant", "content": '{"a": 1}'}]


def test_the_system_prompt_comes_first() -> None:
    said = {"gen_ai.system_instructions": "Be kind.", "gen_ai.input.messages": "Hi"}
    trajectory = extract_spans(make_span(1, 0, {**genai("chat"), **said}))
    messages = json.loads(trajectory.agent_steps[0].steps[0].input)
    assert [(m["role"], m["content"]) for m in messages] == [("system", "Be kind."), ("user", "Hi")]


def test_the_documented_example_is_in_the_one_shape() -> None:
    page = (Path(__file__).parents[3] / "docs" / "messages.md").read_text()
    example = json.loads(page.partition("```json\n")[2].partition("```")[0])
    assert json.loads(read_input(json.dumps(example))) == example


def test_the_items_of_a_request_may_have_any_type() -> None:
    order = json.dumps({"items": [{"type": ["fruit"], "name": "apple"}]}, separators=(",", ":"))
    asked = make_span(1, 0, genai("invoke_agent", input__messages=order))
    assert extract_spans(asked).root.input == order


@pytest.mark.parametrize("more", [{}, {"graph": "parent"}])
def test_a_handover_with_a_text_is_read_and_ends(more: dict[str, str]) -> None:
    handover = {"goto": "sales", "update": "done"}
    assert json.loads(read_result(json.dumps({"output": {**handover, **more}}))) == handover
