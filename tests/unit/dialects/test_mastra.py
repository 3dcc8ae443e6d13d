"""Mastra's exporter: its own text attributes, and calls whose messages the step around them has."""

from __future__ import annotations

import json

from tests.support.recorded import documents
from tests.support.spans import make_span, normalized

from spanloom.core.model.trajectory import Kind

SCOPE = "@mastra/otel-exporter"


def test_recorded_run_has_question_answer_and_calls_with_texts() -> None:
    (document,) = documents("mastra_texts")
    root, steps = document["root_step"], document["agent_steps"][0]["steps"]
    assert (root["input"], root["output"]) == ("Rain?", "Wet.")
    calls = [step for step in steps if step["type"] == "model"]
    assert [json.loads(call["input"])[1]["content"] for call in calls] == ["Rain?", "Rain?"]
    asked = json.loads(calls[0]["output"])[0]["tool_calls"]
    assert [call["function"]["name"] for call in asked] == ["rain", "broken"]
    assert len(steps) == 4


def test_call_without_a_step_has_its_own_texts() -> None:
    call = {
        "gen_ai.operation.name": "chat",
        "mastra.span.type": "model_generation",
        "mastra.model_generation.output": '{"text":"Wet."}',
        "mastra.metadata.threadId": "t1",
    }
    (read,) = normalized(make_span(1, attributes=call, scope=SCOPE)).values()
    assert (read.kind, read.dialect) == (Kind.MODEL, "mastra")
    assert read.facts.output == "Wet."
    assert read.facts.conversation_id == "t1"
