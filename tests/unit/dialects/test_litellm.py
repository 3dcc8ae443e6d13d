"""LiteLLM's callback, by what its documentation and source say."""

from __future__ import annotations

import pytest
from tests.support.spans import chat, extract_spans, make_span, normalized, rules

from spanloom.core.model.trajectory import Usage

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
    said = {**chat(203, 61), "litellm.call_id": "x", "gen_ai.cost.total_cost": "0.1"}
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
    said = {"llm.openai.usage": text, "llm.openai.messages": "[{'role': 'user'}]"}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="raw_gen_ai_request"))[1]
    assert found.facts.usage == Usage(101, 51, 20, 64)
    assert found.facts.input == "[{'role': 'user'}]"


@pytest.mark.parametrize("text", ["", "None", "{", "prompt_tokens=" + "9" * 400, "x" * 10_000])
def test_usage_that_is_none_counts_nothing(text: str) -> None:
    said = {"metadata.usage_object": text}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="litellm_request"))[1]
    assert found.facts.usage == Usage()
