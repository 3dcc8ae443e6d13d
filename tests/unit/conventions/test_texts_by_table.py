"""Inputs and outputs of calls, tools and agents under keys that are not in the conventions."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import make_span, normalized

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
ASKED = '[{"role":"user","content":"one?"}]'


def facts(attributes: dict[str, str]) -> tuple[str, str]:
    (read,) = normalized(make_span(1, attributes=attributes)).values()
    return read.facts.input, read.facts.output


@pytest.mark.parametrize(
    "key", ["gen_ai.request.messages", "gen_ai.prompt", "llm.prompts", "ai.prompt.messages"]
)
def test_question_under_any_key(key: str) -> None:
    assert facts({**CHAT, key: ASKED})[0] == ASKED


@pytest.mark.parametrize("key", ["gen_ai.response.text", "gen_ai.completion", "ai.response.text"])
def test_answer_under_any_key(key: str) -> None:
    assert facts({**CHAT, key: "two"})[1] == "two"


CALLS = [
    {"id": "c1", "type": "function", "function": {"name": "rain", "arguments": "{}"}},
    {"toolCallId": "c1", "toolName": "rain", "input": "{}"},
]


@pytest.mark.parametrize("call", CALLS)
def test_calls_with_a_key_of_their_own_are_part_of_the_answer(call: dict[str, object]) -> None:
    said = {"gen_ai.response.text": "look", "gen_ai.response.tool_calls": json.dumps([call])}
    (message,) = json.loads(facts({**CHAT, **said})[1])
    assert (message["role"], message["content"]) == ("assistant", "look")
    assert message["tool_calls"][0]["function"]["name"] == "rain"
    assert message["tool_calls"][0]["id"] == "c1"


def test_conventions_come_before_other_keys() -> None:
    said = {"gen_ai.input.messages": ASKED, "input.value": "x", "gen_ai.prompt": "y"}
    assert facts({**CHAT, **said})[0] == ASKED


@pytest.mark.parametrize("key", ["gen_ai.tool.input", "tool_input", "tool.arguments"])
def test_arguments_under_any_key(key: str) -> None:
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t", key: '{"a":1}'}
    assert facts(tool)[0] == '{"a":1}'
