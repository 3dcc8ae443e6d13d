"""Logfire's clients, according to its documentation and source."""

from __future__ import annotations

import orjson
from tests.support.ground_truth import all_captures
from tests.support.mutations import traces_of
from tests.support.spans import chat, extract_spans, make_span, normalized

from spanloom.core.model.step import Usage

SCOPE = "logfire.openai"
REQUEST = orjson.dumps({"model": "gpt", "messages": [{"role": "user", "content": "Hi"}]}).decode()
STREAM_END = "streaming response from {request_data[model]!r} took {duration:.2f}s"


def test_the_end_of_a_stream_belongs_to_the_call_that_began_it() -> None:
    answer = orjson.dumps({"combined_chunk_content": "Hello"}).decode()
    trajectory = extract_spans(
        make_span(1, 0, {}, end=90),
        make_span(2, 1, {**chat(7, 3), "request_data": REQUEST}, scope=SCOPE, start=1, end=5),
        make_span(
            3,
            1,
            {"request_data": REQUEST, "response_data": answer, "logfire.msg_template": STREAM_END},
            scope=SCOPE,
            start=6,
        ),
    )
    assert trajectory.step_counts["model"] == 1
    [step] = trajectory.agent_steps[0].steps
    assert step.output == '[{"role":"assistant","content":"Hello"}]'
    assert step.metadata["merged_span_ids"] == f"{3:016x}"


def test_details_are_in_the_raw_usage() -> None:
    raw = {
        "prompt_tokens": 203,
        "completion_tokens": 61,
        "completion_tokens_details": {"reasoning_tokens": 30},
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    said = {
        **chat(203, 61),
        "request_data": REQUEST,
        "gen_ai.usage.raw": orjson.dumps(raw).decode(),
    }
    facts = normalized(make_span(1, 0, said, scope=SCOPE))[1].facts
    assert facts.usage == Usage(203, 61, 30, 64)
    assert orjson.loads(facts.input) == [{"role": "user", "content": "Hi"}]


def test_hostile_texts_are_no_usage() -> None:
    for text in ("", "[", "[1]", '{"prompt_tokens_details": 3, "prompt_tokens": "x"}'):
        said = {**chat(7, 3), "request_data": text, "response_data": text, "gen_ai.usage.raw": text}
        assert normalized(make_span(1, 0, said, scope=SCOPE))[1].facts.usage == Usage(7, 3)


def test_a_stream_reported_as_two_traces_counts_once() -> None:
    capture = next(c for c in all_captures() if c.id == "logfire-openai/stream_llm")
    (spans,) = traces_of(capture).values()
    alone = [s._replace(parent_span_id="") for s in spans if s.scope_name == SCOPE]
    built = [extract_spans(span) for span in alone]
    assert len(built) == 2
    assert sum(t.step_counts["model"] for t in built) == 1
    (call,) = [step for t in built for agent in t.agent_steps for step in agent.steps]
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens) == (101, 51)
    assert "One, two, three, four." in call.output


def test_a_call_alone_that_failed_or_answered_is_a_call() -> None:
    answer = orjson.dumps({"message": {"role": "assistant", "content": "Hello"}}).decode()
    answered = {"request_data": REQUEST, "response_data": answer}
    failed = make_span(1, 0, {"request_data": REQUEST}, scope=SCOPE, status="Error")
    for span in (failed, make_span(1, 0, answered, scope=SCOPE)):
        assert extract_spans(span).step_counts["model"] == 1


def test_the_beginning_of_a_span_is_no_step() -> None:
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
    begun = {**agent, "logfire.span_type": "pending_span", "logfire.pending_parent_id": "0" * 16}
    spans = (make_span(1, 0, agent, end=9), make_span(2, 1, begun, start=0, end=0))
    assert extract_spans(*spans).step_counts["agent"] == 1
