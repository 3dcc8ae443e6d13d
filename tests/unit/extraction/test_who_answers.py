"""An agent's answer comes from no call that ended after the agent, and from no guardrail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.recorded import documents
from tests.support.spans import chat, extract_spans, genai, make_span, openinference
from tests.support.wild import steps_of

if TYPE_CHECKING:
    from spanloom.core.model.span import Span


def call(number: int, parent: int, start: float, end: float, answer: str) -> Span:
    messages = json.dumps([{"role": "assistant", "content": answer}])
    return make_span(number, parent, chat(1, 1, output__messages=messages), start=start, end=end)


def test_a_background_child_does_not_answer() -> None:
    [document] = documents("background_child_answer-oi")
    assert document["root_step"]["output"] == "hello there"


def test_a_guardrail_that_passed_does_not_answer() -> None:
    [document] = documents("openai_agents_guardrail_passed-oi")
    assert document["root_step"]["output"] == "x is 2"
    assert not steps_of(document, "tool")
    [guardrail] = steps_of(document, "graph")
    assert (guardrail["name"], guardrail["metadata"]["tool_kind"]) == ("no_homework", "guardrail")


@pytest.mark.parametrize(("end", "answer"), [(20, "b"), (20.9, "b"), (22, "a")])
def test_what_ends_after_the_agent_is_not_its_answer(end: float, answer: str) -> None:
    agent = make_span(1, 0, genai("invoke_agent"), end=20)
    spans = (agent, call(2, 1, 1, 5, "a"), call(3, 1, 10, end, "b"))
    assert extract_spans(*spans).root.output == answer


def test_an_agent_that_ended_before_all_of_its_calls_has_their_answer() -> None:
    agent = make_span(1, 0, genai("invoke_agent"), end=2)
    assert extract_spans(agent, call(2, 1, 1, 5, "a")).root.output == "a"


def test_the_first_of_several_without_root_ends_before_the_run() -> None:
    first, second = call(1, 9, 1, 5, "a"), call(2, 9, 10, 30, "b")
    assert extract_spans(make_span(3, 9, end=6), first, second).root.output == "b"


@pytest.mark.parametrize("kind", ["GUARDRAIL", "guardrail", "EVALUATOR"])
def test_the_judge_of_a_guardrail_neither_asks_nor_answers(kind: str) -> None:
    agent = make_span(1, 0, genai("invoke_agent"), end=40)
    guardrail = make_span(2, 1, openinference(kind), start=1, end=39)
    judging = call(3, 2, 2, 38, "fine")
    document = extract_spans(agent, guardrail, judging, call(4, 1, 3, 10, "Rome"))
    assert document.root.output == "Rome"
    assert document.step_counts["tool"] == 0


def test_what_a_tool_asks_a_model_is_not_the_answer() -> None:
    agent = make_span(1, 0, genai("invoke_agent"), end=40)
    tool = make_span(3, 1, genai("execute_tool", tool__name="remember"), start=11, end=30)
    spans = (agent, call(2, 1, 1, 10, "Rome"), tool, call(4, 3, 12, 29, "[facts]"))
    assert extract_spans(*spans).root.output == "Rome"
    assert extract_spans(agent, tool, call(4, 3, 12, 29, "[facts]")).root.output == "[facts]"


@pytest.mark.parametrize(
    "attributes",
    [{"mlflow.spanType": '"GUARDRAIL"'}, {"openinference.span.kind": "GUARDRAIL"}],
)
def test_guardrails_are_no_tools(attributes: dict[str, str]) -> None:
    document = extract_spans(make_span(1, 0, attributes, scope="mlflow", name="no_homework"))
    assert (document.step_counts["tool"], document.step_counts["graph"]) == (0, 1)
