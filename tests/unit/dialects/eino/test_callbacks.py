"""Eino's other callbacks: cozeloop's names the component, langfuse's shows only content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, rules

from spanloom.core.dialects.eino.langfuse import SCOPE
from spanloom.core.dialects.eino.runs import read_answer
from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

ASKS = '{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function"}]}'
MESSAGES = '[{"role":"user","content":"hi"}]'
ANSWER = '{"role":"assistant","content":"ho"}'
AGENT_INPUT = '{"Input":{"Messages":[]},"ResumeInfo":null}'


def test_cozeloop_s_component_decides_and_not_its_span_type() -> None:
    def part(number: int, parent: int, component: str, kind: str, name: str) -> Span:
        tags = {"eino_run_info_component": component, "eino_run_info_name": name}
        said = {f"cozeloop.tag.{key}": value for key, value in tags.items()}
        return make_span(number, parent, {**said, "cozeloop.span_type": kind}, start=number)

    found = normalized(
        part(1, 0, "Graph", "graph", "desk"),
        part(2, 1, "ChatModel", "model", "ChatModel"),
        part(3, 1, "ToolsNode", "ToolsNode", "Tools"),
        part(4, 3, "Tool", "tool", "lookup"),
        part(5, 4, "AgenticAgent", "AgenticAgent", "scout"),
        part(6, 5, "Chain", "Chain", "scout"),
    )
    kinds = [str(found[n].kind) for n in range(1, 7)]
    assert kinds == ["agent", "model", "other", "tool", "agent", "other"]
    assert {n.dialect for n in found.values()} == {"eino_cozeloop"}
    assert found[1].facts.agent_name == "desk"


def test_an_application_s_own_span_is_cozeloop_s() -> None:
    assert rules(make_span(1, 0, {"cozeloop.span_type": "custom"}))[1][0] == "other"


def observation(
    number: int,
    parent: int,
    name: str,
    given: str = "",
    made: str = "",
    kind: str = "span",
    status: str = "Ok",
) -> Span:
    said = {
        "langfuse.ingestion.sdk_version": "eino",
        "langfuse.observation.type": kind,
        "langfuse.observation.input": given,
        "langfuse.observation.output": made,
    }
    return make_span(
        number, parent, said, name=name, start=number, scope=SCOPE, status=status, message="no"
    )


def kinds(*spans: Span) -> list[str]:
    found = rules(*spans)
    return [found[n][0] for n in sorted(found)]


def test_a_react_agent_and_its_tools() -> None:
    assert kinds(
        observation(1, 0, "desk", MESSAGES, ANSWER),
        observation(2, 1, "ChatModel", MESSAGES, ASKS, kind="generation"),
        observation(3, 1, "Tools", ASKS, "[]"),
        observation(4, 3, "lookup", '"{}"', '"found"'),
    ) == ["agent", "model", "other", "tool"]


def test_an_adk_agent_hides_what_it_is_made_of() -> None:
    assert kinds(
        observation(1, 0, "boss", AGENT_INPUT, '{"Events":{}}'),
        observation(2, 1, "boss", "{}", ANSWER),
        observation(3, 2, "ReAct", '{"Messages":[]}', ANSWER),
        observation(4, 3, "ChatModel", MESSAGES, ANSWER, kind="generation"),
        observation(5, 3, "CancelCheck", ASKS, ASKS),
    ) == ["agent", "other", "other", "model", "other"]


def test_a_graph_passes_on_what_it_was_given_and_a_lambda_does_not() -> None:
    assert kinds(
        observation(1, 0, "support", '{"Text":"a"}', '{"Text":"b"}'),
        observation(2, 1, "classify", '{"Text":"a"}', '{"Text":"a","Kind":"x"}'),
        observation(3, 2, "OpenAIChatModel", MESSAGES, ANSWER, kind="generation"),
        observation(4, 1, "nested", MESSAGES, ANSWER),
        observation(5, 4, "writer", MESSAGES, ANSWER, kind="generation"),
    ) == ["graph", "other", "model", "graph", "model"]


def test_a_host_s_specialists_are_lambdas() -> None:
    assert kinds(
        observation(1, 0, "front", MESSAGES, ANSWER),
        observation(2, 1, "host", MESSAGES, ASKS, kind="generation"),
        observation(3, 1, "converter", ASKS, "[]"),
        observation(4, 1, "weather_desk", MESSAGES, ANSWER),
        observation(5, 4, "weather", MESSAGES, ANSWER),
        observation(6, 5, "ChatModel", MESSAGES, ANSWER, kind="generation"),
    ) == ["agent", "model", "other", "other", "agent", "model"]


def test_data_access_shows_in_its_input() -> None:
    found = normalized(
        observation(1, 0, "rag", '"q"', ANSWER),
        observation(2, 1, "handbook", '{"Query":"q"}', '{"Docs":[]}'),
        observation(3, 1, "prompt", '{"Variables":{}}', '{"Result":[]}'),
        observation(4, 1, "librarian", MESSAGES, ANSWER, kind="generation"),
    )
    assert [str(found[n].kind) for n in (2, 3)] == ["tool", "other"]
    assert found[2].facts.data_kind == "retrieval"


def test_an_agentic_model_keeps_its_usage_in_its_output() -> None:
    given = '{"Messages":[{"role":"user"}],"Tools":[],"Config":{"Model":"gpt"},"Extra":null}'
    made = (
        '{"Message":{"role":"assistant"},"TokenUsage":{"PromptTokens":565,"CompletionTokens":391,'
        '"PromptTokenDetails":{"CachedTokens":256},"completion_token_details":'
        '{"reasoning_tokens":15}}}'
    )
    facts = normalized(observation(1, 0, "ChatModel", given, made))[1].facts
    assert facts.usage == Usage(565, 391, 15, 256)
    assert (facts.model, facts.input) == ("gpt", '[{"role":"user","content":""}]')
    assert facts.output == '[{"role":"assistant","content":""}]'


def test_an_error_s_text_is_no_output_and_an_interrupt_no_error() -> None:
    failed = observation(1, 0, "desk", MESSAGES, "it broke", status="Error")
    found = normalized(failed)[1]
    assert (found.facts.output, found.error is None) == ("", False)
    for text in (
        "failed to invoke tool, err=interrupt signal: ID=1, Addr=agent:x",
        "interrupt happened, info: &{State:0x1}",
    ):
        paused = failed._replace(status_message=text)
        assert normalized(paused)[1].error is None


def test_an_adk_agent_ends_and_fails_as_its_chain_does() -> None:
    agent = observation(1, 0, "boss", '{"Input":{"Messages":[{"role":"user"}]}}', '{"Events":{}}')
    made = '{"role":"assistant","content":"It is sunny."}'
    chain = observation(2, 1, "boss", "{}", made)._replace(end_ns=agent.end_ns + 5 * 10**9)
    call = observation(3, 2, "ChatModel", MESSAGES, made, kind="generation")
    (step,) = (a.step for a in extract_spans(agent, chain, call).agent_steps)
    assert (step.input, step.output) == ("hi", "It is sunny.")
    assert step.end_ns == chain.end_ns
    failed = chain._replace(status_code="Error", status_message="status code: 500, it broke")
    (step,) = (a.step for a in extract_spans(agent, failed, call).agent_steps)
    assert step.error is not None
    assert step.error.code == 500


def test_answers_are_texts() -> None:
    events = '[{"message":{"content":"a"}},{"message":{"content":"b"}},{"error":"x"}]'
    assert read_answer(events) == "b"
    for text in ("plain", '{"a": 1}', "[1]", "{", '[{"message":3}]'):
        assert read_answer(text) == text


USAGE = '"response_meta":{"usage":{"prompt_tokens":533,"completion_tokens":325,"total_tokens":858}}'
MESSAGE = '{"role":"assistant","content":"ho",' + USAGE + "}"


@pytest.mark.parametrize(
    ("key", "output"),
    [
        ("gen_ai.completion.0.content", f"[{MESSAGE}]"),
        ("gen_ai.output", f"[{MESSAGE}]"),
        ("cozeloop.output", f'{{"choices":[{{"message":{MESSAGE}}}]}}'),
        ("cozeloop.output", f'{{"stream":[{ANSWER},{MESSAGE}]}}'),
    ],
)
def test_the_answer_tells_the_usage_that_the_span_does_not(key: str, output: str) -> None:
    said = {
        "runinfo.component": "ChatModel",
        "cozeloop.tag.eino_run_info_component": "ChatModel",
        key: output,
    }
    del said["cozeloop.tag.eino_run_info_component" if key[0] == "g" else "runinfo.component"]
    usage = normalized(make_span(1, 0, said))[1].facts.usage
    assert usage == Usage(533, 325)
