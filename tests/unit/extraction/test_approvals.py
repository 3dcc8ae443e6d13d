"""Runs that wait for a tool's approval are recognised (captured ones: system/test_captures)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.recorded import documents
from tests.support.spans import extract_spans, genai, make_span

from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SDK = "openinference.instrumentation.openai_agents"
AGENT = {"agent.name": "banker", "openinference.span.kind": "AGENT"}
TURN, CALL = {"openinference.span.kind": "CHAIN"}, {"openinference.span.kind": "LLM"}
ASKED = {"tool": "wire", "arguments": {"to": "Bob"}}
WIRE = {
    "tool.name": "wire",
    "input.value": '{"to":"Bob"}',
    "openinference.span.kind": "TOOL",
}


def banker(*tools: Span, end: float = 30, after: tuple[Span, ...] = ()) -> list[Span]:
    """Return the spans of an OpenAI Agents SDK agent whose only turn ends with the given tools."""
    return [
        make_span(1, 0, AGENT, scope=SDK, end=end),
        make_span(2, 1, TURN, scope=SDK, end=29, name="turn"),
        make_span(3, 2, CALL, scope=SDK, end=10, name="response"),
        *tools,
        *after,
    ]


def tool(number: int, start: float, end: float, **said: str) -> Span:
    told = {**WIRE, **{key.replace("__", "."): text for key, text in said.items()}}
    return make_span(number, 2, told, scope=SDK, start=start, end=end)


def test_an_agent_that_ends_with_a_tool_without_a_result_waits() -> None:
    built = extract_spans(*banker(tool(4, 11, 12)))
    assert built.outcome is Outcome.PAUSED
    assert [json.loads(p.question) for p in built.pauses] == [ASKED]


@pytest.mark.parametrize(
    "spans",
    [
        banker(tool(4, 11, 12, output__value="")),  # an empty result is a result
        banker(tool(4, 11, 31)),  # it outlasts its agent: abandoned
        banker(tool(4, 11, 12, input__value="")),  # content capture is off
        banker(tool(4, 11, 12), after=(make_span(5, 2, CALL, scope=SDK, start=13, end=20),)),
        banker(tool(4, 11, 12), after=(make_span(5, 1, TURN, scope=SDK, start=13, end=20),)),
    ],
)
def test_a_run_that_went_on_or_tells_nothing_does_not_wait(spans: list[Span]) -> None:
    assert extract_spans(*spans).outcome is Outcome.OK


def test_a_second_tool_may_begin_after_the_one_that_waits() -> None:
    built = extract_spans(*banker(tool(4, 11, 12), tool(5, 13, 20, output__value="found")))
    assert built.outcome is Outcome.PAUSED


def test_a_pause_is_over_once_a_run_goes_on_in_the_same_trace() -> None:
    asks = genai("invoke_agent", agent__name="banker")
    part = {"function_call": {"name": "wire", "arguments": '{"to":"Bob"}'}}
    request = [{"role": "assistant", "parts": [{"type": "function_approval_request", **part}]}]
    answer = [
        {
            "role": "user",
            "parts": [{"type": "function_approval_response", "approved": False, **part}],
        }
    ]
    scope = "agent_framework"
    first = {**asks, "gen_ai.output.messages": json.dumps(request)}
    second = {**asks, "gen_ai.input.messages": json.dumps(answer)}
    root = make_span(1, 0, name="POST /ask", end=50)
    waiting = extract_spans(root, make_span(2, 1, first, scope=scope, name="run"))
    assert waiting.outcome is Outcome.PAUSED
    assert [json.loads(p.question) for p in waiting.pauses] == [ASKED]
    went_on = make_span(3, 1, second, scope=scope, start=20, name="run again")
    built = extract_spans(root, make_span(2, 1, first, scope=scope, name="run"), went_on)
    assert (built.outcome, list(built.pauses)) == (Outcome.OK, [])
    assert json.loads(built.agent_steps[-1].step.input) == {**ASKED, "approved": False}


def test_a_tool_of_adk_that_a_person_refused_did_not_fail() -> None:
    said = {"gen_ai.tool.call.result": '{"error": "This tool call is rejected."}'}
    refused = {**genai("execute_tool", tool__name="wire"), **said, "error.type": "TOOL_ERROR"}
    scope = "gcp.vertex.agent"
    built = extract_spans(
        make_span(1, 0, genai("invoke_agent"), scope=scope, end=50, name="invoke_agent banker"),
        make_span(2, 1, refused, scope=scope, status="Error", message="TOOL_ERROR"),
        make_span(3, 1, genai("chat", request__model="m"), scope=scope, start=20),
    )
    assert (built.outcome, list(built.failures)) == (Outcome.OK, [])


def test_a_long_running_tool_of_adk_waits_only_where_its_agent_stops() -> None:
    started = {
        **genai("execute_tool", tool__name="wire"),
        "gen_ai.tool.type": "LongRunningFunctionTool",
    }
    scope = "gcp.vertex.agent"
    spans = [
        make_span(1, 0, genai("invoke_agent"), scope=scope, end=50, name="invoke_agent banker"),
        make_span(2, 1, genai("chat", request__model="m"), scope=scope),
        make_span(3, 1, started, scope=scope, start=12, end=14),
    ]
    assert extract_spans(*spans).outcome is Outcome.PAUSED
    answers = make_span(4, 1, genai("chat", request__model="m"), scope=scope, start=20)
    assert extract_spans(*spans, answers).outcome is Outcome.OK


def test_a_tool_of_pydantic_ai_waits_for_an_approval() -> None:
    resumed, paused = documents("pydantic_approval_paused")
    assert paused["extraction"]["outcome"] == "paused"
    [pause] = paused["extraction"]["pauses"]
    assert json.loads(pause["question"]) == {"tool": "rm", "arguments": {"path": "/x"}}
    assert paused["root_step"]["output"] == ""
    assert (resumed["extraction"]["outcome"], resumed["extraction"]["is_resuming"]) == ("ok", True)


def test_an_interrupt_of_langchain_js_is_no_failure() -> None:
    paused, resumed = documents("langchainjs_interrupt-oi")
    assert (paused["extraction"]["outcome"], paused["extraction"]["errors"]) == ("paused", [])
    [pause] = paused["extraction"]["pauses"]
    assert json.loads(pause["question"])["actionRequests"][0]["name"] == "wire"
    assert resumed["extraction"]["is_resuming"] is True


CALLED = [{"type": "tool_call", "id": f"c{n}", "name": "rm"} for n in (1, 2)]
RESULT = [{"type": "tool_call_response", "id": "c1", "name": "rm"}]


def sysop(status: str = "Unset", **more: str) -> Span:
    messages = [{"role": "assistant", "parts": CALLED}, {"role": "user", "parts": RESULT}]
    attributes = {"pydantic_ai.all_messages": json.dumps(messages), **more}
    told = genai("invoke_agent", agent__name="sysop") | attributes
    return make_span(1, 0, told, scope="pydantic-ai", status=status)


@pytest.mark.parametrize(
    ("span", "outcome"),
    [
        (sysop(), Outcome.PAUSED),  # content capture is off
        (sysop(final_result="done"), Outcome.OK),
        (sysop(final_result='{"approvals": [{"id": 1}], "calls": []}'), Outcome.OK),
        (sysop(final_result='{"calls": [{"tool_name": "rm"}], "approvals": []}'), Outcome.PAUSED),
        (sysop(status="Error"), Outcome.FAILED),
    ],
)
def test_calls_without_a_result_wait_unless_the_run_has_one(span: Span, outcome: Outcome) -> None:
    assert extract_spans(span).outcome is outcome
