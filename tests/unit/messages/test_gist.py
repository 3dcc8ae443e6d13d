"""The question and the answer of a run are shortened to one line each."""

from __future__ import annotations

import json

import pytest

from spanloom.core.messages.texts import GIST_CHARS, answer_in, gist, question_in

CALL = {"id": "1", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
CONVERSATION = [
    {"role": "system", "content": "You plan trips."},
    {"role": "user", "content": "Is Oslo dry?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "sunny", "tool_call_id": "1"},
]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        ("[not json", "[not json"),
        ('{"city": "Paris"}', '{"city": "Paris"}'),
        ('{"messages": [{"content": "first"}, {"role": "x", "content": "last"}]}', "last"),
        ('[{"parts": [{"type": "text", "text": "deep"}]}, {"content": " "}]', "deep"),
        ("[" * 900 + "]" * 900, "[" * 900 + "]" * 900),
    ],
)
def test_the_last_message_is_its_text(text: str, said: str) -> None:
    assert answer_in(text) == said
    assert question_in(text) == said


def test_a_question_is_what_the_user_said_last() -> None:
    """The input may end with a tool's result, which is not the user's question."""
    assert question_in(json.dumps(CONVERSATION)) == "Is Oslo dry?"
    assert answer_in(json.dumps(CONVERSATION)) == "sunny"


def test_an_answer_that_says_nothing_is_what_it_calls() -> None:
    assert answer_in(json.dumps(CONVERSATION[:3])) == 'weather({"city": "Oslo"})'
    both = [{"role": "assistant", "content": "", "tool_calls": [CALL, CALL, {"function": 5}, 6]}]
    assert answer_in(json.dumps(both)).count("weather") == 2
    spoken = [{"role": "assistant", "content": "I look.", "tool_calls": [CALL]}]
    assert answer_in(json.dumps(spoken)) == "I look."


def test_a_gist_is_one_short_line() -> None:
    assert gist("a\n b") == "a b"
    assert len(gist("word " * 1000)) <= GIST_CHARS
