"""Traces of coding agents with many spans and records, and with cycles of parents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.agent_events import bare, event
from tests.support.growth import assert_linear
from tests.support.spans import extract_spans, make_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Span

MANY = 3_000
NESTED = {
    "com.anthropic.claude_code.tracing": [
        f"claude_code.{name}" for name in ("interaction", "llm_request", "tool", "tool.execution")
    ],
    "codex_exec": ["session_task.turn", "try_run_sampling_request", "turn/start"],
    "gemini-cli": ["llm_call", "schedule_tool_calls", "tool_call", "agent_call"],
    "opencode": ["SessionPrompt.prompt", "LLM.run", "ai.streamText", "Tool.execute"],
}


def nested(scope: str, size: int) -> Sequence[Span]:
    names = NESTED[scope]
    told = [event("x.user_prompt", 1, prompt="q"), event("x.api_request", 2)]
    return [
        make_span(n + 1, n, name=names[n % len(names)], scope=scope, events=told)
        for n in range(size)
    ]


def records(name: str, size: int) -> Sequence[Span]:
    return [bare(n + 1, name, n, agent_name=f"a{n % 3}") for n in range(size)]


RECORDS = ("api_request", "api_response", "api_error", "tool_call", "agent.start", "user_prompt")


@pytest.mark.parametrize("scope", NESTED)
def test_deep_traces_take_linear_time(scope: str) -> None:
    def extract(size: int) -> None:
        assert extract_spans(*nested(scope, size)).span_count == size

    assert_linear(extract, MANY)


@pytest.mark.parametrize("name", RECORDS)
def test_many_records_take_linear_time(name: str) -> None:
    def extract(size: int) -> None:
        assert extract_spans(*records(f"x.{name}", size)).span_count == size

    assert_linear(extract, 2 * MANY)


@pytest.mark.parametrize("scope", NESTED)
def test_a_circle_is_read(scope: str) -> None:
    first, second = NESTED[scope][0], NESTED[scope][1]
    spans = [
        make_span(1, 2, name=first, scope=scope),
        make_span(2, 1, name=second, scope=scope),
    ]
    assert extract_spans(*spans).span_count == 2


def test_records_in_a_circle_are_read() -> None:
    spans = [bare(1, "x.user_prompt", 0), bare(2, "x.api_request", 1)]
    circle = [spans[0]._replace(parent_span_id=spans[1].span_id)]
    circle += [spans[1]._replace(parent_span_id=spans[0].span_id)]
    assert extract_spans(*circle).span_count == 2
