"""Senders with prefixes of their own are read by how their keys end."""

from __future__ import annotations

import pytest
from tests.support.spans import extract_spans, make_span, normalized

from spanloom.core.conventions.endings import find_endings
from spanloom.core.model.trajectory import Kind, Usage

HI = '[{"role":"user","content":"hi"}]'
SAID = '[{"role":"user","content":"hi"}]', '[{"role":"assistant","content":"yo"}]'
CALLS = {
    "VoltAgent": {
        "entity.type": "agent",
        "span.type": "llm",
        "llm.model": "m",
        "llm.messages": HI,
        "llm.usage.prompt_tokens": "3",
        "llm.usage.completion_tokens": "2",
        "output": "yo",
    },
    "agentUniverse": {
        "au.span.kind": "llm",
        "au.llm.channel_model_name": "m",
        "au.llm.input": f'{{"messages":{HI}}}',
        "au.llm.output": "yo",
        "au.llm.usage.prompt_tokens": "3",
        "au.llm.usage.completion_tokens": "2",
    },
    "Datadog": {
        "_ml_obs.meta.span.kind": "llm",
        "_ml_obs.meta.model_name": "m",
        "_ml_obs.meta.input.messages": HI,
        "_ml_obs.meta.output.messages": SAID[1],
        "_ml_obs.metrics.input_tokens": "3",
        "_ml_obs.metrics.output_tokens": "2",
    },
    "TraceRoot": {
        "traceroot.span.type": "LLM",
        "traceroot.llm.model": "m",
        "traceroot.span.input": "hi",
        "traceroot.span.output": "yo",
        "traceroot.llm.usage": '{"input_tokens":3,"output_tokens":2}',
    },
    "Flue": {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": "3",
        "gen_ai.usage.output_tokens": "2",
        "flue.turn.input": f'{{"messages":{HI}}}',
        "flue.turn.output": '{"role":"assistant","content":"yo"}',
    },
    "by hand": {
        "modelName": "m",
        "promptTokens": "3",
        "completionTokens": "2",
        "input": "hi",
        "output": "yo",
    },
    "n8n": {
        "n8n.node.type": "lmChatOpenAi",
        "gen_ai.request.model": "m",
        "n8n.node.input": "hi",
        "n8n.node.output": "yo",
        "n8n.node.tokenUsage.promptTokens": "3",
        "n8n.node.tokenUsage.completionTokens": "2",
    },
}


@pytest.mark.parametrize("sender", CALLS)
def test_model_call_of_a_sender_without_a_dialect(sender: str) -> None:
    trajectory = extract_spans(make_span(1, end=9), make_span(2, 1, CALLS[sender]))
    (call,) = trajectory.agent_steps[0].steps
    assert (call.model, call.usage) == ("m", Usage(3, 2))
    assert (call.input, call.output) == SAID
    assert not [w for w in trajectory.warnings if w.startswith("not read")]


def test_tool_and_agent_of_a_sender_without_a_dialect() -> None:
    agent = {
        "agentops.span.kind": "agent",
        "agentops.entity.name": "Researcher",
        "agentops.entity.input": '{"args":["hi"],"kwargs":{}}',
        "agentops.entity.output": '"yo"',
    }
    tool = {
        "au.span.kind": "tool",
        "au.tool.name": "search",
        "au.tool.input": '{"q":"x"}',
        "au.tool.output": "found",
    }
    outer, inner = normalized(make_span(1, attributes=agent, end=9), make_span(2, 1, tool)).values()
    assert (outer.kind, outer.facts.agent_name) == (Kind.AGENT, "Researcher")
    assert (outer.facts.input, outer.facts.output) == ("hi", "yo")
    assert (inner.kind, inner.facts.tool_name) == (Kind.TOOL, "search")
    assert (inner.facts.input, inner.facts.output) == ('{"q":"x"}', "found")


def test_the_type_of_an_entity_makes_agents_only() -> None:
    spans = [make_span(n, attributes={"entity.type": t}) for n, t in ((1, "agent"), (2, "model"))]
    assert [n.kind for n in normalized(*spans).values()] == [Kind.AGENT, Kind.OTHER]


@pytest.mark.parametrize(
    "key", ["http.request.body", "db.query.text", "session.model", "x" * 200 + ".input"]
)
def test_keys_of_other_conventions_mean_nothing(key: str) -> None:
    assert not any(find_endings([key]))


@pytest.mark.parametrize("text", ["", "[]", "7", "true", "null"])
def test_a_value_that_says_nothing_is_no_text(text: str) -> None:
    call = {"gen_ai.operation.name": "chat", "app.llm.input": text}
    (n,) = normalized(make_span(1, attributes=call)).values()
    assert n.facts.input == ""


def test_messages_are_no_input_of_a_tool() -> None:
    tool = {"gen_ai.operation.name": "embeddings", "app.input.messages": HI}
    (n,) = normalized(make_span(1, attributes=tool)).values()
    assert n.facts.input == ""
