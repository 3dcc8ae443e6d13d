"""LangSmith's export: the span kind can be trusted, the operation cannot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import genai, make_span, normalized, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

KIND = "langsmith.span.kind"
METADATA = "langsmith.metadata."


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("llm", ("model", "langsmith.kind_llm")),
        ("tool", ("tool", "langsmith.kind_tool")),
        ("retriever", ("tool", "langsmith.kind_retriever")),
        ("embedding", ("tool", "langsmith.kind_embedding")),
        ("chain", ("other", "langsmith.plumbing")),
        ("prompt", ("other", "langsmith.plumbing")),
        ("parser", ("other", "langsmith.plumbing")),
    ],
)
@pytest.mark.parametrize("operation", ["chat", "embeddings", "execute_tool", "invoke_agent"])
def test_the_span_kind_decides_not_the_operation(
    kind: str, expected: tuple[str, str], operation: str
) -> None:
    assert (
        rules(make_span(1, 0, {**genai(operation), KIND: kind}, name="ChatOpenAI"))[1] == expected
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (genai("chat"), ("other", "langsmith.plumbing")),
        (genai("chat", request__model="gpt-4o"), ("model", "langsmith.kind_llm")),
        (genai("execute_tool"), ("tool", "langsmith.kind_tool")),
    ],
)
def test_without_a_span_kind_the_operation_decides(
    said: dict[str, str], expected: tuple[str, str]
) -> None:
    assert rules(make_span(1, 0, said, scope="langsmith"))[1] == expected


def chain(number: int, parent: int, name: str, **metadata: str) -> Span:
    said = {KIND: "chain", **{METADATA + key: value for key, value in metadata.items()}}
    return make_span(number, parent, said, name=name, start=number)


def test_runs_go_by_metadata() -> None:
    own = {"ls_integration": "langchain_create_agent", "lc_agent_name": "planner"}
    node = chain(2, 1, "model", **own, langgraph_node="model", langgraph_checkpoint_ns="model:1")
    found = normalized(chain(1, 0, "planner", **own), node)
    assert (str(found[1].kind), found[1].rule) == ("agent", "langchain.create_agent")
    assert found[1].facts.agent_name == "planner"
    assert found[2].rule == "langsmith.plumbing"


def call(usage_metadata: str = "", **counts: int) -> Usage | None:
    said = {KIND: "llm", METADATA + "usage_metadata": usage_metadata}
    said |= {f"gen_ai.usage.{key}": str(n) for key, n in counts.items()}
    return normalized(make_span(1, 0, said))[1].facts.usage


def test_token_details_come_out_of_the_metadata() -> None:
    details = {
        "input_tokens": 19,
        "output_tokens": "8",
        "input_token_details": {"cache_read": 7, "cache_creation": 6},
        "output_token_details": {"reasoning": 5},
    }
    assert call(json.dumps(details), input_tokens=50, output_tokens=20) == Usage(50, 20, 5, 7, 6)
    assert call(json.dumps(details)) == Usage(19, 8, 5, 7, 6)


@pytest.mark.parametrize(
    "usage",
    ["", "{", "[]", '{"input_tokens":[1],"input_token_details":3,"output_token_details":null}'],
)
def test_broken_details_are_none(usage: str) -> None:
    assert call(usage, input_tokens=1) == Usage(1)


def test_a_wrapper_s_usage_is_not_counted() -> None:
    said = {KIND: "chain", "gen_ai.usage.input_tokens": "50"}
    found = normalized(make_span(1, 0, said, name="ChatOpenAI"))[1]
    assert (str(found.kind), found.facts.usage) == ("other", None)


def test_prompt_and_completion_are_texts() -> None:
    said = {
        KIND: "tool",
        "gen_ai.prompt": "in",
        "gen_ai.completion": "out",
        "gen_ai.tool.name": "f",
        METADATA + "thread_id": "t",
    }
    facts = normalized(make_span(1, 0, said))[1].facts
    assert (facts.input, facts.output, facts.tool_name, facts.conversation_id) == (
        "in",
        "out",
        "f",
        "t",
    )
