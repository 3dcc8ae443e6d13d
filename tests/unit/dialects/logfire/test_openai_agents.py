"""OpenAI Agents under Logfire: message templates give the names, data of the SDK the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, normalized, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Facts

SCOPE = "logfire.openai_agents"


def facts(template: str, /, **said: object) -> Facts:
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in said.items()}
    return normalized(make_span(1, 0, texts, scope=SCOPE, name=template))[1].facts


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("OpenAI Agents trace: {name}", "other"),
        ("Task: Agent workflow", "other"),
        ("Turn {turn} for agent planner", "other"),
        ("Agent run: {name!r}", "agent"),
        ("Function: {name}", "tool"),
        ("Handoff: {from_agent} → {to_agent}", "tool"),
        ("Guardrail {name!r} {triggered=}", "graph"),
        ("Responses API", "model"),
        ("Chat completion with {gen_ai.request.model!r}", "model"),
        ("Custom span: {name}", "other"),
    ],
)
def test_the_template_tells_what_ran(name: str, kind: str) -> None:
    assert rules(make_span(1, 0, {}, scope=SCOPE, name=name))[1][0] == kind


def test_names_stand_in_attributes() -> None:
    assert facts("Agent run: {name!r}", name="planner").agent_name == "planner"
    tool = facts("Function: {name}", name="weather", input='{"city":"Oslo"}', output="dry")
    assert (tool.tool_name, tool.input, tool.output) == ("weather", '{"city":"Oslo"}', "dry")
    handoff = facts("Handoff: {from_agent} → {to_agent}", from_agent="a", to_agent="b")
    assert handoff.tool_name == "handoff to b"
    assert facts("Guardrail {name!r} {triggered=}", name="g").data_kind == "guardrail"


USAGE = {
    "input_tokens": 9,
    "output_tokens": 5,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens_details": {"reasoning_tokens": 3},
}


def test_a_response_tells_instructions_answer_and_tokens() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"}
    said = facts(
        "Responses API",
        raw_input=[{"role": "user", "content": "Oslo?"}],
        response={"instructions": "Be brief.", "output": [call]},
        response_id="resp_1",
        usage=USAGE,
    )
    assert [m["role"] for m in json.loads(said.input)] == ["system", "user"]
    assert json.loads(said.output)[0]["tool_calls"][0]["function"]["name"] == "weather"
    assert (said.usage, said.response_id) == (Usage(9, 5, 3, 4), "resp_1")


def test_a_chat_completion_tells_messages_and_tokens() -> None:
    said = facts(
        "Chat completion with {gen_ai.request.model!r}",
        input=[{"role": "user", "content": "Oslo?"}],
        output=[{"role": "assistant", "content": "Dry."}],
        usage=USAGE,
    )
    assert json.loads(said.input) == [{"role": "user", "content": "Oslo?"}]
    assert json.loads(said.output) == [{"role": "assistant", "content": "Dry."}]
    assert said.usage == Usage(9, 5, 3, 4)


@pytest.mark.parametrize("text", ["", "null", "[", "3", '{"output": [3], "instructions": {}}'])
def test_hostile_texts_are_no_call(text: str) -> None:
    said = facts("Responses API", raw_input=text, response=text, usage=text, response_id=text)
    assert said.usage == Usage()


def test_a_call_that_failed_answered_nothing() -> None:
    assert facts("Chat completion with x", input=[], output=None).output == ""
