"""Coze Loop's SDKs: the span type can be trusted; latencies and messages need interpretation."""

from __future__ import annotations

import pytest
from tests.support.spans import make_span, normalized, rules

from spanloom.core.model.step import Usage

TYPE, TAG = "cozeloop.span_type", "cozeloop.tag."
LANGCHAIN = {"cozeloop.system_tag.runtime": '{"language":"python","library":"langchain"}'}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("model", ("model", "cozeloop.model")),
        ("tool", ("tool", "cozeloop.tool")),
        ("retriever", ("tool", "cozeloop.retriever")),
        ("embedding", ("tool", "cozeloop.embedding")),
        ("agent", ("agent", "cozeloop.agent")),
        ("graph", ("graph", "langchain.graph_name")),
        ("chain", ("other", "cozeloop.plumbing")),
        ("prompt", ("other", "cozeloop.plumbing")),
        ("custom", ("other", "cozeloop.plumbing")),
        ("", ("other", "cozeloop.plumbing")),
    ],
)
def test_the_type_decides(kind: str, expected: tuple[str, str]) -> None:
    assert rules(make_span(1, 0, {TYPE: kind}))[1] == expected


def test_a_call_gives_messages_tokens_and_settings() -> None:
    said = {
        TYPE: "model",
        "cozeloop.input": '{"messages": [{"role": "user", "content": "hi"}], "tools": []}',
        "cozeloop.output": '{"id": "r-1", "choices": [{"index": 0, "message": {"content": "ho"}}]}',
        TAG + "model_name": "gpt",
        TAG + "model_provider": "openai",
        TAG + "call_options": '{"temperature": 0.2, "stop": [], "max_tokens": 0}',
        TAG + "input_tokens": "203",
        TAG + "output_tokens": "61",
        TAG + "reasoning_tokens": "30",
        TAG + "input_cached_tokens": "64",
        TAG + "input_creation_cached_tokens": "8",
        TAG + "thread_id": "t-1",
    }
    facts = normalized(make_span(1, 0, said))[1].facts
    assert facts.input == '[{"role":"user","content":"hi"}]'
    assert facts.output == '[{"role":"assistant","content":"ho"}]'
    assert (facts.model, facts.response_id, facts.conversation_id) == ("gpt", "r-1", "t-1")
    assert facts.usage == Usage(203, 61, 30, 64, 8)
    assert facts.metadata == {"temperature": "0.2", "provider": "openai"}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({TAG + "latency_first_resp": "44000"}, 44.0),
        ({TAG + "latency_first_resp": "44", **LANGCHAIN}, 44.0),
        ({TAG + "latency_first_resp": "44000", TAG + "stream": "false"}, None),
        ({"cozeloop.start_time_first_resp": "44"}, 44.0),
        ({TAG + "latency_first_resp": "-1"}, None),
        ({TAG + "latency_first_resp": "x"}, None),
        ({}, None),
    ],
    ids=["go", "langchain", "not streamed", "javascript", "negative", "no number", "none"],
)
def test_the_first_token_s_latency_is_in_milliseconds(
    said: dict[str, str], expected: float | None
) -> None:
    facts = normalized(make_span(1, 0, {TYPE: "model", **said}))[1].facts
    assert facts.first_token_ms == expected


@pytest.mark.parametrize("text", ["", "[", "null", '{"messages": null}', '{"choices": [3, {}]}'])
def test_any_text_is_taken_as_it_is(text: str) -> None:
    said = {TYPE: "model", "cozeloop.input": text, "cozeloop.output": text}
    facts = normalized(make_span(1, 0, said))[1].facts
    assert (facts.input, facts.output) == (text, text)


def test_javascript_s_token_details_are_heard_around_the_call() -> None:
    message = (
        '{"kwargs":{"usage_metadata":{"input_tokens":7,"output_tokens":3,'
        '"input_token_details":{"cache_read":4},"output_token_details":{"reasoning":2}}}}'
    )
    call = {TYPE: "model", "gen_ai.usage.input_tokens": "7", "gen_ai.usage.output_tokens": "3"}
    for around, after in ((f"[{message}]", ""), ("", message)):
        found = normalized(
            make_span(1, 0, {TYPE: "chain", "cozeloop.output": around}),
            make_span(2, 1, call, start=1),
            make_span(3, 1, {TYPE: "chain", "cozeloop.input": after}, start=2),
        )
        assert found[2].facts.usage == Usage(7, 3, 2, 4)
