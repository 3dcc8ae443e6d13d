"""LangChain.js under OpenLLMetry: classes for names, and no parents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "@traceloop/instrumentation-langchain"
MESSAGES = '{"messages":[]}'


def run(number: int, parent: int, name: str, start: float, end: float, state: str = "") -> Span:
    said = {"gen_ai.operation.name": name.partition(" ")[0], "traceloop.entity.input": state}
    said |= {"traceloop.span.kind": "workflow"} if name.startswith("workflow") else {}
    return make_span(number, parent, said, scope=SCOPE, name=name, start=start, end=end)


@pytest.mark.parametrize(
    ("name", "state", "kind"),
    [
        ("workflow CompiledStateGraph", MESSAGES, "agent"),
        ("workflow CompiledStateGraph", '{"topic":"Norway"}', "graph"),
        ("workflow CompiledStateGraph", "", "graph"),
        ("workflow RunnableSequence", MESSAGES, "other"),
        ("invoke_agent AgentExecutor", "", "agent"),
        ("invoke_agent AgentNode", MESSAGES, "other"),
        ("chat gpt", "", "model"),
        ("text_completion gpt", "", "model"),
        ("execute_tool DynamicStructuredTool", "", "tool"),
    ],
)
def test_classes_and_states(name: str, state: str, kind: str) -> None:
    assert rules(run(1, 0, name, 0, 9, state))[1][0] == kind


def test_a_tool_s_name_stands_in_its_result() -> None:
    message = {"lc": 1, "kwargs": {"name": "get_weather", "content": "Sunny."}}
    said = {
        **genai("execute_tool"),
        "traceloop.entity.name": "DynamicStructuredTool",
        "traceloop.entity.input": json.dumps({"args": ['{"city":"Oslo"}']}),
    }
    for output in (message, message["kwargs"]):
        whole = {**said, "traceloop.entity.output": json.dumps(output)}
        facts = normalized(make_span(1, 0, whole, scope=SCOPE))[1].facts
        assert (facts.tool_name, facts.input, facts.output) == (
            "get_weather",
            '{"city":"Oslo"}',
            "Sunny.",
        )
    facts = normalized(make_span(1, 0, said, scope=SCOPE))[1].facts
    assert facts.tool_name == "DynamicStructuredTool"


def test_flat_spans_of_a_request_are_nested_by_time() -> None:
    spans = [
        make_span(1, 0, start=0, end=100, scope="http"),
        run(2, 1, "workflow CompiledStateGraph", 1, 99, MESSAGES),
        run(3, 1, "workflow RunnableSequence", 2, 20),
        run(4, 1, "chat gpt", 3, 19),
        run(5, 1, "execute_tool DynamicStructuredTool", 21, 60),
        run(6, 1, "workflow CompiledStateGraph", 22, 59, MESSAGES),
        run(7, 1, "chat gpt", 23, 50),
        run(8, 1, "chat gpt", 70, 90),
    ]
    assert owners(extract_spans(*spans)) == {1: [2], 2: [4, 5, 6, 8], 6: [7]}
