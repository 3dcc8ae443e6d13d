"""LangChain.js under OpenLLMetry: names of classes in place of names, and spans without parents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules

from spanloom.core.model.step import Usage

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
    message = {
        "lc": 1,
        "id": ["ToolMessage"],
        "kwargs": {"name": "get_weather", "content": "Sunny."},
    }
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


def message(kind: str, **said: object) -> dict[str, object]:
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind]} | {
        "kwargs": said
    }


def state(*messages: object) -> str:
    return json.dumps({"messages": messages})


ASKED = message(
    "AIMessage",
    id="a1",
    name="planner",
    content="",
    tool_calls=[{"id": "c1", "name": "get_weather", "args": {"city": "Oslo"}}],
    usage_metadata={
        "input_tokens": 9,
        "output_tokens": 5,
        "output_token_details": {"reasoning": 3},
    },
)
QUESTION = message("HumanMessage", content="Oslo?")


def request(*inside: Span) -> list[Span]:
    return [make_span(1, 0, start=0, end=100, scope="http"), *inside]


def with_output(span: Span, output: str) -> Span:
    return span._replace(attributes={**span.attributes, "traceloop.entity.output": output})


def test_the_node_around_a_call_tells_its_tool_calls_and_its_tokens() -> None:
    node = with_output(run(2, 1, "workflow RunnableSequence", 1, 50, state(QUESTION)), state(ASKED))
    document = extract_spans(*request(node, run(3, 1, "chat gpt", 2, 49)))
    [call] = document.agent_steps[0].steps
    assert '"name":"get_weather"' in call.output
    assert call.usage is not None
    assert call.usage[:3] == (9, 5, 3)


def test_two_calls_in_one_node_are_not_told_apart() -> None:
    node = with_output(run(2, 1, "workflow RunnableSequence", 1, 50, state(QUESTION)), state(ASKED))
    calls = run(3, 1, "chat gpt", 2, 49), run(4, 1, "chat gpt", 3, 49)
    steps = extract_spans(*request(node, *calls)).agent_steps[0].steps
    assert [(step.usage, step.output) for step in steps] == [(Usage(), "")] * 2


def test_a_failed_tool_has_the_name_by_which_it_was_called() -> None:
    tool = run(
        3, 1, "execute_tool DynamicStructuredTool", 2, 49, '{"args":["{\\"city\\":\\"Oslo\\"}"]}'
    )
    node = run(2, 1, "workflow RunnableSequence", 1, 50, state(QUESTION, ASKED))
    [step] = extract_spans(*request(node, tool)).agent_steps[0].steps
    assert step.metadata["tool_name"] == "get_weather"


def test_an_agent_s_name_stands_on_its_answers_or_on_its_nodes_answers() -> None:
    node = with_output(run(3, 1, "workflow RunnableSequence", 2, 49), state(ASKED))
    for output in (state(QUESTION, ASKED), ""):
        agent = with_output(
            run(2, 1, "workflow CompiledStateGraph", 1, 99, state(QUESTION)), output
        )
        document = extract_spans(*request(agent, node))
        assert document.agent_steps[1].step.metadata["agent_name"] == "planner"


def test_a_graph_of_messages_holds_runs_or_calls_in_a_row() -> None:
    outer = run(2, 1, "workflow CompiledStateGraph", 1, 99, MESSAGES)
    inner = run(3, 1, "workflow CompiledStateGraph", 2, 50, MESSAGES)
    calls = [run(4, 1, "chat gpt", 3, 9), run(5, 1, "chat gpt", 11, 19)]
    tool = run(6, 1, "execute_tool DynamicStructuredTool", 10, 10.5)
    assert rules(*request(outer, inner, calls[0]))[2] == ("graph", "traceloop_js.holds_runs")
    assert rules(*request(outer, *calls))[2] == ("graph", "traceloop_js.calls_in_a_row")
    assert rules(*request(outer, *calls, tool))[2][0] == "agent"
    assert rules(*request(outer, calls[0]))[2][0] == "agent"


def test_without_contents_a_run_that_runs_tools_is_an_agent() -> None:
    said = {"gen_ai.operation.name": "workflow"}
    name = "workflow CompiledStateGraph"
    silent = make_span(2, 1, said, scope=SCOPE, name=name, start=1, end=99)
    tool = run(3, 1, "execute_tool DynamicStructuredTool", 10, 11)
    assert rules(*request(silent, tool))[2] == ("agent", "traceloop_js.runs_tools")
    assert rules(*request(silent))[2] == ("graph", "traceloop_js.no_state")


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
