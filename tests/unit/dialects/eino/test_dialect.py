"""Eino's apmplus callback: the component and the spans around a graph decide the kind of a step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, normalized, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

PRIVATE = ("other", "eino.inside_adk_agent")


def span(number: int, parent: int, component: str, name: str = "", **more: str) -> Span:
    said = {"runinfo.component": component, "runinfo.name": name, "gen_ai.system": "eino"}
    said |= {"gen_ai.span.kind": "workflow" if parent == 0 else component.lower()}
    said |= {key.replace("__", "."): value for key, value in more.items()}
    return make_span(number, parent, said, name=name or component, start=number)


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        ("Agent", ("agent", "eino.adk_agent")),
        ("AgenticAgent", ("agent", "eino.adk_agent")),
        ("ChatModel", ("model", "eino.chatmodel")),
        ("AgenticModel", ("model", "eino.agenticmodel")),
        ("Tool", ("tool", "eino.tool")),
        ("Retriever", ("tool", "eino.retriever")),
        ("Embedding", ("tool", "eino.embedding")),
        ("Graph", ("graph", "eino.graph")),
        ("Chain", ("graph", "eino.chain")),
        ("Workflow", ("graph", "eino.workflow")),
        ("Lambda", ("other", "eino.plumbing")),
        ("ToolsNode", ("other", "eino.plumbing")),
        ("AgenticToolsNode", ("other", "eino.plumbing")),
        ("ChatTemplate", ("other", "eino.plumbing")),
        ("", ("other", "eino.plumbing")),
    ],
)
def test_the_component_decides_at_the_root_too(component: str, expected: tuple[str, str]) -> None:
    assert rules(span(1, 0, component, "concierge"))[1] == expected
    assert rules(span(1, 0, "Lambda"), span(2, 1, component, "concierge"))[2] == expected


def test_what_an_adk_agent_is_made_of_is_private() -> None:
    found = rules(
        span(1, 0, "Agent", "planner"),
        span(2, 1, "Chain", "planner"),
        span(3, 2, "Graph", "ReAct"),
        span(4, 3, "ChatModel", "ChatModel"),
        span(5, 3, "ToolsNode", "ToolNode"),
        span(6, 5, "Tool", "lookup"),
    )
    assert [found[n][0] for n in range(1, 7)] == [
        "agent",
        "other",
        "other",
        "model",
        "other",
        "tool",
    ]
    assert found[2] == found[3] == PRIVATE


def test_a_graph_in_a_tool_of_an_adk_agent_is_the_author_s() -> None:
    found = rules(span(1, 0, "Agent"), span(2, 1, "Tool"), span(3, 2, "Graph"), span(4, 3, "Chain"))
    assert (found[3], found[4]) == (("graph", "eino.graph"), ("graph", "eino.chain"))


def test_a_graph_in_a_graph_of_an_adk_agent_is_the_author_s() -> None:
    found = rules(span(1, 0, "Agent"), span(2, 1, "Graph"), span(3, 2, "Graph"))
    assert (found[2], found[3]) == (PRIVATE, ("graph", "eino.graph"))


def test_agents_in_agents() -> None:
    found = rules(
        span(1, 0, "Agent", "boss"), span(2, 1, "Agent", "boss"), span(3, 2, "AgenticAgent")
    )
    assert [found[n][0] for n in (1, 2, 3)] == ["agent", "agent", "agent"]


def test_a_react_agent_is_a_graph_with_its_model_node() -> None:
    def graph(component: str, name: str) -> tuple[str, str]:
        return rules(span(1, 0, "Graph", "concierge"), span(2, 1, component, name))[1]

    assert graph("ChatModel", "ChatModel") == ("agent", "eino.react_agent")
    assert graph("ChatModel", "writer") == ("graph", "eino.graph")
    assert graph("Lambda", "ChatModel") == ("graph", "eino.graph")
    assert graph("Lambda", "converter") == ("agent", "eino.multi_agent_host")
    assert graph("ChatModel", "converter") == ("graph", "eino.graph")


def test_the_model_node_counts_as_a_direct_child_only() -> None:
    spans = [span(1, 0, "Graph"), span(2, 1, "Graph"), span(3, 2, "ChatModel", "ChatModel")]
    assert [rules(*spans)[n][0] for n in (1, 2)] == ["graph", "agent"]


def test_a_model_call_says_what_it_did() -> None:
    said = {
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.3.role": "user",
        "gen_ai.completion.0.content": "Rome",
        "gen_ai.request.model": "gpt",
        "gen_ai.request.max_tokens": "0",
        "gen_ai.request.temperature": "0.5",
        "gen_ai.usage.prompt_tokens": "50",
        "gen_ai.usage.completion_tokens": "20",
        "gen_ai.chat_completions.streaming_time_to_first_token": "0.25",
        "gen_ai.session.id": "s",
    }
    facts = normalized(span(1, 0, "ChatModel", **said))[1].facts
    assert facts.input == '[{"role":"system","content":""},{"role":"user","content":""}]'
    assert facts.output == '[{"role":"assistant","content":"Rome"}]'
    assert (facts.model, facts.usage, facts.first_token_ms) == ("gpt", Usage(50, 20), 250.0)
    assert (facts.conversation_id, facts.agent_name) == ("s", "")
    assert facts.metadata == {"provider": "eino", "temperature": "0.5", "session_id": "s"}


def agentic(content: object) -> tuple[str, Usage | None]:
    text = content if isinstance(content, str) else json.dumps(content)
    facts = normalized(span(1, 0, "AgenticModel", gen_ai__completion__0__content=text))[1].facts
    return facts.model, facts.usage


def test_an_agentic_model_leaves_its_usage_in_its_output() -> None:
    usage = {
        "PromptTokens": 50,
        "CompletionTokens": 20,
        "PromptTokenDetails": {"CachedTokens": 7},
        "completion_token_details": {"reasoning_tokens": 5},
    }
    assert agentic({"TokenUsage": usage, "Config": {"Model": "gpt"}}) == (
        "gpt",
        Usage(50, 20, 5, 7),
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        [],
        {"TokenUsage": 3, "Config": []},
        {"TokenUsage": {"PromptTokens": {}, "PromptTokenDetails": 1}},
    ],
)
def test_an_output_that_is_none_leaves_nothing(content: object) -> None:
    assert agentic(content) == ("", Usage())


def test_tools_lose_the_quotes_of_their_texts() -> None:
    said = {
        "gen_ai__prompt__0__content": r'"{\"city\": 1}"',
        "gen_ai__completion__0__content": '"ok"',
    }
    facts = normalized(span(1, 0, "Tool", "lookup", **said))[1].facts
    assert (facts.input, facts.output, facts.tool_name) == ('{"city": 1}', "ok", "lookup")
    assert (facts.usage, facts.model) == (None, "")


def test_a_run_shows_its_whole_messages_where_it_has_them() -> None:
    root = span(1, 0, "Graph", "trip", gen_ai__input="all", gen_ai__prompt__0__content="part")
    inner = span(2, 1, "Chain", "step", gen_ai__prompt__0__content="part")
    found = normalized(root, inner)
    assert (found[1].facts.input, found[2].facts.input) == ("all", "part")
    assert found[1].facts.agent_name == "trip"
