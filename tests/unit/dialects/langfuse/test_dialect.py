"""Langfuse: net token counts become gross; its agent type is not trusted on LangChain's runs."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import START_NS, make_span, normalized, rules

from spanloom.core.model.step import Usage

TYPE = "langfuse.observation.type"
METADATA = "langfuse.observation.metadata."
USAGE = "langfuse.observation.usage_details"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("generation", ("model", "langfuse.generation")),
        ("tool", ("tool", "langfuse.tool")),
        ("retriever", ("tool", "langfuse.retriever")),
        ("embedding", ("tool", "langfuse.embedding")),
        ("guardrail", ("tool", "langfuse.guardrail")),
        ("agent", ("agent", "langfuse.agent")),
        ("chain", ("other", "langfuse.plumbing")),
        ("span", ("other", "langfuse.plumbing")),
        ("event", ("other", "langfuse.plumbing")),
    ],
)
def test_the_type_decides_what_an_author_observes(kind: str, expected: tuple[str, str]) -> None:
    assert rules(make_span(1, 0, {TYPE: kind}))[1] == expected


def test_an_embedding_model_generates_nothing() -> None:
    said = {TYPE: "generation", "langfuse.observation.model.name": "text-embedding-3-small"}
    found = normalized(make_span(1, 0, said))[1]
    assert (str(found.kind), found.rule) == ("tool", "langfuse.embedding")
    assert found.facts.data_kind == "embedding"


def test_an_agent_that_is_a_node_has_the_integration_of_the_outer_graph() -> None:
    graph = {TYPE: "span", METADATA + "ls_integration": "langgraph"}
    node, space = METADATA + "langgraph_node", METADATA + "langgraph_checkpoint_ns"
    said = {**graph, METADATA + "lc_agent_name": "triage", space: "triage:1"}
    spans = [
        make_span(1, 0, graph, name="desk"),
        make_span(2, 1, {**graph, node: "triage", space: "triage:1"}, name="triage"),
        make_span(3, 2, said, name="triage"),
        make_span(4, 3, {**said, space: "triage:1|model_request:2"}, name="model_request"),
    ]
    assert rules(*spans)[3] == ("agent", "langchain.create_agent")


def test_a_langchain_run_goes_by_its_metadata() -> None:
    said = {
        METADATA + "ls_integration": '"langchain_create_agent"',
        METADATA + "lc_agent_name": '"planner"',
    }
    node = {**said, TYPE: "agent", METADATA + "langgraph_node": '"call_agent"'}
    found = normalized(
        make_span(1, 0, {**said, TYPE: "chain"}, name="planner"),
        make_span(2, 1, node, name="call_agent", start=1),
        make_span(3, 2, {**node, METADATA + "tool_call_id": '"call_1"'}, name="to_agent", start=2),
    )
    assert [str(found[n].kind) for n in (1, 2, 3)] == ["agent", "other", "tool"]
    assert found[1].facts.agent_name == "planner"
    assert found[3].facts.metadata["tool_call_id"] == "call_1"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {
                "input": 139,
                "output": 31,
                "total": 264,
                "input_cache_read": 64,
                "output_reasoning": 30,
            },
            Usage(203, 61, 30, 64, 0),
        ),
        ({"input": 5, "output": 2, "input_cache_creation": 7}, Usage(12, 2, 0, 0, 7)),
        ({"input": 5, "output": 2, "cache_read_input_tokens": 4}, Usage(9, 2, 0, 4, 0)),
        ({"input": 9, "output": 2, "total": 11, "input_cache_read": 4}, Usage(9, 2, 0, 4, 0)),
        (
            {
                "prompt_tokens": 203,
                "completion_tokens": 61,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(203, 61, 30, 64, 0),
        ),
        ({"promptTokens": 25, "completionTokens": 15, "reasoning": 4}, Usage(25, 15, 4)),
        ({"input": "x", "output": None, "input_cache_read": [1], "total": {}}, Usage()),
        ([], Usage()),
    ],
    ids=[
        "net",
        "creation",
        "anthropic",
        "total says gross",
        "openai",
        "camel case",
        "nonsense",
        "no object",
    ],
)
def test_counts_are_gross(said: object, expected: Usage) -> None:
    call = make_span(1, 0, {TYPE: "generation", USAGE: json.dumps(said)})
    assert normalized(call)[1].facts.usage == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"2025-11-20T00:53:20.250000Z"', 250.0),
        ("2025-11-20T00:53:20.250+00:00", 250.0),
        ("2025-11-20T00:53:19Z", None),
        ("soon", None),
        ("", None),
    ],
)
def test_the_first_token_is_a_time(text: str, expected: float | None) -> None:
    assert START_NS == 1_763_600_000 * 10**9  # 2025-11-20T00:53:20Z
    said = {TYPE: "generation", "langfuse.observation.completion_start_time": text}
    assert normalized(make_span(1, 0, said))[1].facts.first_token_ms == expected


def test_what_a_call_says() -> None:
    said = {
        TYPE: "generation",
        "langfuse.observation.input": "[1]",
        "langfuse.observation.output": "out",
        "langfuse.observation.model.name": "gpt",
        "langfuse.observation.model.parameters": '{"temperature": 0.2, "MaxTokens": 0}',
        METADATA + "ls_provider": '"openai"',
        METADATA + "thread_id": '"t-1"',
        "user.id": "ada",
    }
    facts = normalized(make_span(1, 0, said))[1].facts
    assert (facts.input, facts.output, facts.model) == ("[1]", "out", "gpt")
    assert facts.conversation_id == "t-1"
    assert facts.metadata == {"temperature": "0.2", "provider": "openai", "user_id": "ada"}
