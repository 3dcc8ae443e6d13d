"""OpenInference's span processors, which add their attributes to a framework's own spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, openinference, raised, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Event

AI = "ai.operationId"
STRANDS = "strands.telemetry.tracer"


@pytest.mark.parametrize(
    ("scope", "attributes", "expected"),
    [
        (
            "ai",
            {**openinference("AGENT"), AI: "ai.generateText"},
            ("other", "vercel_ai.bare_call"),
        ),
        (
            STRANDS,
            {**openinference("CHAIN"), "gen_ai.operation.name": "invoke_graph"},
            ("graph", "strands.multi_agent_run"),
        ),
        (
            "pydantic-ai",
            {**openinference("AGENT"), "gen_ai.operation.name": "invoke_agent"},
            ("agent", "pydantic_ai.invoke_agent"),
        ),
        (
            "any-library",
            {**openinference("AGENT"), "gen_ai.operation.name": "chat"},
            ("model", "otel_genai.chat"),
        ),
        (
            "any-library",
            {**openinference("LLM"), "gen_ai.operation.name": "of_my_own"},
            ("model", "openinference.kind_llm"),
        ),
    ],
)
def test_the_framework_says_what_its_spans_are(
    scope: str, attributes: Mapping[str, str], expected: tuple[str, str]
) -> None:
    assert rules(make_span(1, 0, attributes, scope=scope))[1] == expected


def test_each_tells_what_the_other_leaves_out() -> None:
    counts = {"llm.token_count.prompt": "7", "llm.token_count.completion": "3"}
    own = {"gen_ai.operation.name": "chat", "gen_ai.usage.reasoning_tokens": "2"}
    said = {
        **openinference("LLM"),
        **counts,
        **own,
        "output.value": "sunny",
        "llm.provider": "desk",
    }
    found = normalized(make_span(1, 0, said, scope=STRANDS))[1]
    assert found.dialect == "openinference_overlay"
    assert found.facts.usage == Usage(7, 3, 2)
    assert "sunny" in found.facts.output
    assert found.facts.metadata["provider"] == "desk"


@pytest.mark.parametrize(
    ("said", "events", "failed"),
    [
        ({"ai.response.finishReason": "stop"}, (), False),
        ({"ai.response.finishReason": "error"}, (), True),
        ({}, (), True),
        ({"ai.toolCall.result": "sunny"}, (), False),
        ({"ai.response.finishReason": "stop"}, (raised("Error", "boom"),), True),
    ],
)
def test_an_error_of_the_trace_is_not_of_a_span_that_answered(
    said: Mapping[str, str], events: tuple[Event, ...], *, failed: bool
) -> None:
    span = make_span(
        1,
        0,
        {**openinference("LLM"), AI: "ai.generateText.doGenerate", **said},
        scope="ai",
        status="Error",
        events=events,
    )
    (step,) = extract_spans(span).agent_steps[0].steps
    assert (step.error is not None) is failed
