"""The Vercel AI SDK from 7 on: attributes have the form of 7.0, the names in them are invented."""

from __future__ import annotations

import orjson
import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

from spanloom.core.model.step import Usage

Json = dict[str, object]
SCOPE = "gen_ai"
TEXT: Json = {"type": "text", "content": "It is sunny."}
CALL: Json = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Oslo"}}
RESULT: Json = {"type": "tool_call_response", "id": "c1", "response": "7 degrees"}


def loop(*inside: dict[str, str]) -> list[str]:
    """Return the kinds of a run's span, its turn's span, and the spans inside the turn."""
    spans = [
        make_span(1, 0, genai("invoke_agent", agent__name="fn"), scope=SCOPE, end=90),
        make_span(2, 1, genai("agent_step"), scope=SCOPE, start=1, end=80),
    ]
    spans += [make_span(n, 2, said, scope=SCOPE, start=n) for n, said in enumerate(inside, 3)]
    return [kind for kind, _ in rules(*spans).values()]


def test_a_run_is_an_agent_if_it_has_tools_or_calls_again() -> None:
    assert loop(chat(7, 3)) == ["other", "other", "model"]
    assert loop(chat(7, 3), genai("execute_tool")) == ["agent", "other", "model", "tool"]
    assert loop(chat(7, 3), chat(8, 4)) == ["agent", "other", "model", "model"]
    offered = chat(7, 3, tool__definitions='[{"name":"f"}]')
    assert loop(offered) == ["agent", "other", "model"]


def test_the_agent_s_name_is_in_its_attribute_and_its_sum_is_not_counted() -> None:
    run = make_span(
        1,
        0,
        genai("invoke_agent", agent__name="fn", usage__input_tokens=7),
        scope=SCOPE,
        name="invoke_agent gpt-4o",
        end=90,
    )
    said = chat(7, 3, client__operation__time_to_first_chunk="0.25", tool__definitions='["f"]')
    call = make_span(2, 1, said, scope=SCOPE, start=1)
    trajectory = extract_spans(run, call)
    assert trajectory.root_metrics.input_tokens == 7
    assert owners(trajectory) == {1: [2]}
    found = normalized(run, call)
    assert found[1].facts.agent_name == "fn"
    assert found[2].facts.first_token_ms == 250


def test_a_result_is_text_and_reasoning_is_read_where_it_is_told() -> None:
    call = chat(7, 3, usage__cache_read__input_tokens=2)
    call["ai.usage.outputTokenDetails.reasoningTokens"] = "1"
    found = normalized(
        make_span(1, 0, call, scope=SCOPE, end=90),
        make_span(2, 0, genai("execute_tool", tool__call__result='"sunny"'), scope=SCOPE),
    )
    assert found[1].facts.usage == Usage(7, 3, 1, 2)
    assert found[2].facts.output == "sunny"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([TEXT, CALL, RESULT], "It is sunny."),
        ([CALL, RESULT, TEXT], "It is sunny."),
        ([CALL, RESULT], "7 degrees"),
    ],
    ids=["as it is sent", "in order", "stopped after a tool"],
)
def test_an_answer_is_the_text_that_was_said_last(parts: list[Json], expected: str) -> None:
    said = orjson.dumps([{"role": "assistant", "parts": parts, "finish_reason": "stop"}]).decode()
    run = make_span(1, 0, genai("invoke_agent", output__messages=said), scope=SCOPE, end=90)
    calls = [make_span(n, 1, chat(7, 3), scope=SCOPE, start=n) for n in (2, 3)]
    assert normalized(run, *calls)[1].facts.output == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", ""), ("no JSON", "no JSON"), ('[{"parts":"x"}]', "x"), ('[{"parts":[1]}]', "1")],
)
def test_an_answer_in_no_form_that_is_known_is_read_as_any(said: str, expected: str) -> None:
    run = make_span(1, 0, genai("invoke_agent", output__messages=said), scope=SCOPE, end=90)
    assert normalized(run)[1].facts.output == expected
