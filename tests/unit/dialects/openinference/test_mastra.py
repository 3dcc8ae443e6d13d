"""Mastra's exporter for OpenInference: names decide, as the kind is ``LLM`` nearly everywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.spans import extract_spans, make_span, normalized, openinference, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "@mastra/otel"
LLM = openinference("LLM")
COUNTS = {"llm.token_count.prompt": "7", "llm.token_count.completion": "3"}


def run() -> list[Span]:
    return [
        make_span(1, 0, LLM, name="workflow.flow", scope=SCOPE),
        make_span(2, 1, LLM, name="workflow step: 'ask'", scope=SCOPE),
        make_span(3, 2, openinference("AGENT"), name="agent.b", scope=SCOPE),
        make_span(4, 3, {**LLM, **COUNTS}, name="chat m", scope=SCOPE),
        make_span(5, 4, LLM, name="step: 0", scope=SCOPE, start=1),
        make_span(6, 5, LLM, name="chunk: 'tool-call'", scope=SCOPE, start=1),
        make_span(7, 5, openinference("TOOL", tool__name="t"), name="tool t", scope=SCOPE, start=2),
        make_span(8, 4, LLM, name="step: 1", scope=SCOPE, start=3),
    ]


def test_each_step_is_a_call_and_a_workflow_a_graph() -> None:
    kinds = {number: kind for number, (kind, _) in rules(*run()).items()}
    assert [kinds[number] for number in (1, 2, 3)] == ["graph", "other", "agent"]
    assert [kinds[number] for number in (4, 5, 6, 7, 8)] == [
        *("other", "model", "other", "tool", "model")
    ]
    assert owners(extract_spans(*run()))[3] == [5, 7, 8]


def test_the_tokens_of_the_loop_count_once() -> None:
    metrics = extract_spans(*run()).root_metrics
    assert (metrics.input_tokens, metrics.output_tokens) == (7, 3)


def test_a_call_says_what_its_request_and_its_answer_say() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    body = json.dumps({"body": json.dumps(request)})
    said = {**LLM, "input.value": body, "output.value": '{"text": "hello", "toolCalls": []}'}
    facts = normalized(make_span(1, 0, said, name="step: 0", scope=SCOPE))[1].facts
    assert facts.input == '[{"role":"user","content":"hi"}]'
    assert (facts.model, facts.output) == ("m", "hello")


def test_a_loop_without_steps_is_the_call() -> None:
    span = make_span(1, 0, {**LLM, **COUNTS}, name="chat m", scope=SCOPE)
    assert rules(span)[1] == ("model", "openinference.kind_llm")
