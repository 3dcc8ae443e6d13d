"""Senders with their own prefixes of attributes are read by the ends of their keys."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import extract_spans, make_span, normalized

from spanloom.core.conventions.endings import find_endings
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind

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


def test_a_call_without_texts_takes_those_of_the_span_around_it() -> None:
    node = {
        "lk.chat_ctx": '{"items":[{"type":"message","role":"user","content":["Rome?"]}]}',
        "lk.response.text": "",
        "lk.response.function_calls": '[{"call_id":"c","name":"w","arguments":"{}"}]',
        "lk.response.ttft": "0.41",
    }
    spans = (
        make_span(1, end=9),
        make_span(2, 1, node, name="llm_node", scope="livekit-agents", end=8),
        make_span(3, 2, CHAT, name="llm_request", scope="livekit-agents", end=7),
    )
    (call,) = extract_spans(*spans).agent_steps[0].steps
    assert call.input == '[{"role":"user","content":"Rome?"}]'
    assert '"name":"w"' in call.output
    assert call.first_token_ms == 410


@pytest.mark.parametrize(
    "around", [{"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": HI}, {}]
)
def test_a_call_takes_no_texts_of_an_agent(around: dict[str, str]) -> None:
    found = normalized(make_span(1, attributes=around, end=9), make_span(2, 1, CHAT))
    assert found[2].facts.input == ""


def test_of_several_calls_in_one_span_none_takes_its_texts() -> None:
    around = make_span(1, attributes={"lk.chat_ctx": HI}, name="llm_node", end=9)
    found = normalized(around, make_span(2, 1, CHAT), make_span(3, 1, CHAT, start=3))
    assert (found[2].facts.input, found[3].facts.input) == ("", "")


CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


def test_functions_of_langchain4j_have_names_only() -> None:
    call = {"gen_ai.request.model": "m", "gen_ai.usage.prompt_tokens": "3"}
    call["gen_ai.usage.completion_tokens"] = "2"
    spans = (
        make_span(1, name="langchain4j.aiservices.Desk.chat", end=9),
        make_span(2, 1, call, name="completion m", end=4),
        make_span(3, 1, name="langchain4j.tools.getWeather", start=5, end=6),
    )
    found = normalized(*spans)
    assert [n.kind for n in found.values()] == [Kind.AGENT, Kind.MODEL, Kind.TOOL]
    assert found[3].facts.tool_name == "getWeather"


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 1}, Usage(3, 1)),
        ({"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 9}, Usage(12, 1, 0, 9)),
        ({"notes": "none"}, Usage()),
    ],
)
def test_a_whole_response_has_its_counts(usage: dict[str, object], counts: Usage) -> None:
    message = {"message": {"role": "assistant", "content": "yo"}}
    answer = json.dumps({"choices": [message], "usage": usage})
    (n,) = normalized(make_span(1, attributes={**CHAT, "gen_ai.completion": answer})).values()
    assert (n.facts.usage, n.facts.output) == (counts, SAID[1])
