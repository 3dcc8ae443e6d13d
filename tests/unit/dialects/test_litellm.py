"""LiteLLM's callback: attributes have the form of version 1.106, the names in them are invented."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, normalized, rules

from spanloom.core.model.step import Usage

SCOPE = "litellm"
AS_DICT = (
    "{'completion_tokens': 51, 'prompt_tokens': 101, 'total_tokens': 152, "
    "'completion_tokens_details': {'reasoning_tokens': 20}, 'prompt_tokens_details': "
    "{'cached_tokens': 64}}"
)
AS_MODEL = (
    "Usage(completion_tokens=51, prompt_tokens=101, total_tokens=152, completion_tokens_details="
    "CompletionTokensDetailsWrapper(reasoning_tokens=20), prompt_tokens_details="
    "PromptTokensDetailsWrapper(audio_tokens=None, cached_tokens=64))"
)


def test_the_raw_request_is_the_same_call() -> None:
    trajectory = extract_spans(
        make_span(1, 0, chat(101, 51), scope=SCOPE, name="litellm_request", end=90),
        make_span(
            2, 1, {"llm.openai.usage": AS_DICT}, scope=SCOPE, name="raw_gen_ai_request", start=1
        ),
    )
    assert trajectory.step_counts["model"] == 1
    assert trajectory.root_metrics.input_tokens == 101


def test_what_is_written_onto_the_caller_s_span_is_not_its_own() -> None:
    said = {**chat(203, 61), "litellm.call_id": "x", "llm.request.type": "completion"}
    spans = [
        make_span(1, 0, said, scope="trip.app", name="plan", end=90),
        make_span(
            2, 1, {"llm.openai.usage": AS_DICT}, scope=SCOPE, name="raw_gen_ai_request", start=1
        ),
        make_span(
            3, 1, {"llm.openai.usage": AS_MODEL}, scope=SCOPE, name="raw_gen_ai_request", start=20
        ),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["other", "model", "model"]
    assert extract_spans(*spans).root_metrics.input_tokens == 202


@pytest.mark.parametrize("text", [AS_DICT, AS_MODEL])
def test_usage_is_read_as_python_writes_it(text: str) -> None:
    said = {"llm.openai.usage": text, "llm.openai.messages": "[{'role': 'user', 'content': 'a'}]"}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="raw_gen_ai_request"))[1]
    assert found.facts.usage == Usage(101, 51, 20, 64)
    assert found.facts.input == '[{"role":"user","content":"a"}]'


@pytest.mark.parametrize("text", ["", "None", "{", "prompt_tokens=" + "9" * 400, "x" * 10_000])
def test_usage_that_is_none_counts_nothing(text: str) -> None:
    said = {"metadata.usage_object": text}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="litellm_request"))[1]
    assert found.facts.usage == Usage()


def test_a_call_is_one_whatever_the_caller_named_it() -> None:
    request = {**chat(101, 51), "llm.request.type": "completion"}
    raw = {"llm.openai.usage": AS_DICT, "llm.openai.messages": "[]", "llm.openai.model": "m"}
    spans = [
        make_span(1, 0, request, scope=SCOPE, name="x", end=90),
        make_span(2, 1, raw, scope=SCOPE, name="y", start=1),
        make_span(3, 1, {"guardrail_name": "g"}, scope=SCOPE, name="z", start=20),
        make_span(4, 1, {}, scope=SCOPE, name="self", start=30),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["model", "model", "graph", "other"]
    assert extract_spans(*spans).root_metrics.input_tokens == 101


def test_a_guardrail_of_the_proxy_is_no_tool_that_a_model_called() -> None:
    asked = {"guardrail_name": "pii", "guardrail_response": "masked"}
    request = {**chat(1, 1), "llm.request.type": "completion"}
    steps = extract_spans(
        make_span(9, 0, genai("invoke_agent", agent__name="a"), end=90),
        make_span(1, 9, request, scope=SCOPE, name="litellm_request", start=20),
        make_span(2, 9, asked, scope=SCOPE, name="guardrail"),
    )
    guard = next(s for s in steps.agent_steps[0].steps if s.type == "graph")
    assert (guard.name, guard.output, guard.metadata["tool_kind"]) == ("pii", "masked", "guardrail")


def test_an_embedding_is_no_generation() -> None:
    asked = {**chat(5, 0), "llm.request.type": "aembedding"}
    raw = {"llm.None.input": "['a', 'b']", "llm.None.model": "m"}
    answers = {"llm.openai.input": "[]", "llm.openai.output": "[]"}
    spans = [
        make_span(1, 0, asked, scope=SCOPE, name="litellm_request"),
        make_span(2, 0, raw, scope=SCOPE, name="raw_gen_ai_request", start=20),
        make_span(3, 0, answers, scope=SCOPE, name="raw_gen_ai_request", start=40),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["tool", "tool", "model"]
    assert normalized(*spans)[2].facts.input == '["a","b"]'


def test_tool_calls_beside_the_answer_are_part_of_it() -> None:
    said = {
        "gen_ai.output.messages": '[{"role": "assistant", "parts": []}]',
        "gen_ai.completion.0.function_call.name": "f",
        "gen_ai.completion.0.function_call.arguments": "{}",
    }
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="litellm_request"))[1]
    [message] = json.loads(found.facts.output)
    [call] = message["tool_calls"]
    assert call["function"] == {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    ("choices", "output"),
    [
        (
            "[{'index': 0, 'message': {'role': 'assistant', 'content': 'a', 'audio': None}}]",
            '[{"role":"assistant","content":"a"}]',
        ),
        ("[{'index': 0, 'message'", "[{'index': 0, 'message'"),
        ("[" * 1_000, "[" * 1_000),
    ],
)
def test_a_raw_answer_is_read_as_python_writes_it(choices: str, output: str) -> None:
    said = {"llm.openai.choices": choices, "llm.openai.id": "r"}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="raw_gen_ai_request"))[1]
    assert (found.facts.output, found.facts.response_id) == (output, "r")


def test_the_span_of_an_instrumentation_stays_its_own() -> None:
    said = {**chat(7, 3), "litellm.call_id": "x"}
    span = make_span(1, 0, said, scope="opentelemetry.instrumentation.openai_v2")
    assert normalized(span)[1].dialect == "otel_genai"
