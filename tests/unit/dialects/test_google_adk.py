"""Google's ADK: spans around runs, workflow agents, merged answers, reasoning counted twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "gcp.vertex.agent"


def adk(number: int, parent: int, operation: str, **more: str | int) -> Span:
    return make_span(
        number, parent, genai(operation, **more), scope=SCOPE, start=number, end=90 - number
    )


def test_a_runner_s_frame_is_no_workflow_and_a_sequence_is_no_agent() -> None:
    spans = [
        adk(1, 0, "invoke_workflow", workflow__name="team"),
        adk(2, 1, "invoke_agent", agent__name="team"),
        adk(3, 2, "invoke_agent", agent__name="a"),
        adk(4, 3, "generate_content"),
        adk(5, 2, "invoke_agent", agent__name="b"),
        adk(6, 5, "execute_tool", tool__name="f"),
        adk(7, 5, "execute_tool", tool__name="(merged tools)"),
    ]
    kinds = [kind for kind, _ in rules(*spans).values()]
    assert kinds == ["other", "graph", "agent", "model", "agent", "tool", "other"]
    assert owners(extract_spans(*spans))[3] == [4]


def test_an_agent_that_calls_and_hands_over_stays_an_agent() -> None:
    spans = [
        adk(1, 0, "invoke_agent"),
        adk(2, 1, "generate_content"),
        adk(3, 1, "invoke_agent"),
        adk(4, 3, "generate_content"),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["agent", "model", "agent", "model"]


@pytest.mark.parametrize(
    ("provider", "output"), [("openai", 51), ("gcp.gemini", 71), ("gcp.vertex_ai", 71), ("", 71)]
)
def test_reasoning_over_litellm_is_counted_once(provider: str, output: int) -> None:
    said = {"usage__output_tokens": 71, "usage__reasoning__output_tokens": 20}
    call = adk(1, 0, "generate_content", provider__name=provider, **said)
    usage = normalized(call)[1].facts.usage
    assert usage is not None
    assert (usage.output_tokens, usage.reasoning_tokens) == (output, 20)


def test_the_names_before_operations() -> None:
    spans = [
        make_span(1, 0, name="invocation", scope=SCOPE, end=90),
        make_span(2, 1, name="agent_run [x]", scope=SCOPE, start=1, end=80),
        make_span(3, 2, {"gcp.vertex.agent.llm_request": "{}"}, scope=SCOPE, start=2),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["other", "agent", "model"]


def test_a_call_id_that_is_none_is_left_out() -> None:
    tool = adk(1, 0, "execute_tool", tool__name="f", tool__call__id="<not specified>")
    assert "tool_call_id" not in normalized(tool)[1].facts.metadata


def test_a_call_is_known_by_its_request_whatever_its_operation() -> None:
    request = '{"contents":[{"parts":[{"text":"hi"}],"role":"user"}]}'
    response = '{"usage_metadata":{"prompt_token_count":3,"candidates_token_count":2}}'
    call = {**genai("call_llm"), "gcp.vertex.agent.llm_request": request}
    call["gcp.vertex.agent.llm_response"] = response
    (n,) = normalized(make_span(1, 0, call, scope=SCOPE)).values()
    assert n.rule == "google_adk.call"
    assert n.facts.usage is not None
    assert n.facts.usage[:2] == (3, 2)
