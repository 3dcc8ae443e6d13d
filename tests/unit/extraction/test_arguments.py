"""Arguments that a tool's span records only in part are completed from the model's request."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, sid


def asking(*calls: tuple[str, str, object]) -> dict[str, str]:
    parts = [{"type": "tool_call", "id": i, "name": n, "arguments": a} for i, n, a in calls]
    return chat(output__messages=json.dumps([{"role": "assistant", "parts": parts}]))


def shown(
    asked: object,
    told: str,
    *,
    name: str = "weather",
    call_id: str = "c1",
    calls_requested_by: str = "c1",
) -> str:
    tool = genai("execute_tool", tool__name=name, tool__call__id=call_id)
    said = asking(("c0", "weather", {"city": "Rome"}), (calls_requested_by, "weather", asked))
    spans = [
        make_span(1, 0, genai("invoke_agent"), end=99),
        make_span(2, 1, said),
        make_span(3, 1, {**tool, "gen_ai.tool.call.arguments": told}, start=20),
    ]
    return extract_spans(*spans).agent_steps[0].steps[1].input


def test_a_lone_argument_gets_its_name_from_the_model_that_asked() -> None:
    assert shown({"city": "Oslo"}, "Oslo") == '{"city":"Oslo"}'
    assert shown({"days": 3}, "3") == '{"days":3}'
    assert shown({}, "") == "{}"


@pytest.mark.parametrize(
    ("asked", "told"),
    [({"city": "Oslo"}, "Bergen"), ({"city": "Oslo", "days": 1}, "Oslo"), ({"city": "Oslo"}, "")],
    ids=["another", "one of two", "untold"],
)
def test_what_the_model_asked_for_is_not_taken_for_what_ran(asked: object, told: str) -> None:
    assert shown(asked, told) == told


def test_another_call_or_tool_tells_nothing() -> None:
    assert shown({"city": "Oslo"}, "Oslo", name="news") == "Oslo"
    assert shown({"city": "Oslo"}, "Oslo", call_id="c9") == "Oslo"


def test_calls_without_an_id_are_told_by_what_they_say() -> None:
    assert shown({"city": "Oslo"}, "Oslo", calls_requested_by="") == '{"city":"Oslo"}'
    assert shown({"city": "Oslo"}, "Rome", calls_requested_by="") == "Rome"


def test_the_step_says_who_told_it() -> None:
    tool = genai("execute_tool", tool__name="f", tool__call__id="c1")
    spans = [
        make_span(1, 0, genai("invoke_agent"), end=99),
        make_span(2, 1, asking(("c1", "f", {"a": "x"}))),
        make_span(3, 1, {**tool, "gen_ai.tool.call.arguments": "x"}, start=20),
        make_span(4, 1, asking(("c1", "f", {"a": "x"})), start=40),
    ]
    assert extract_spans(*spans).agent_steps[0].steps[1].metadata["input_from"] == sid(2)
