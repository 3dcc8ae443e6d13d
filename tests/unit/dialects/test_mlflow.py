"""MLflow: its own attributes, and the GenAI mode that loses every name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import MS, START_NS, extract_spans, genai, make_span, normalized, rules

from spanloom.core.model.span import Event
from spanloom.core.model.trajectory import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "mlflow.tracing.provider"
ANSWER = {
    "content": "Sunny.",
    "usage_metadata": {
        "input_tokens": 7,
        "output_tokens": 5,
        "output_token_details": {"reasoning": 3},
    },
}


def own(number: int, parent: int, span_type: str, **said: object) -> Span:
    """Give a span whose values are JSON texts, as MLflow writes them."""
    named = {f"mlflow.{key.replace('__', '.')}": json.dumps(value) for key, value in said.items()}
    said_type = {"mlflow.spanType": json.dumps(span_type)}
    return make_span(number, parent, said_type | named, scope=SCOPE, start=number, end=90)


def nameless(number: int, parent: int, operation: str, start: float, **metadata: str) -> Span:
    said = {"gen_ai.operation.name": operation, "metadata": json.dumps(metadata)}
    return make_span(number, parent, said, scope=SCOPE, name="CHAIN", start=start, end=start + 20)


def call(number: int, parent: int, tokens: tuple[int, int] = (7, 5)) -> Span:
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    return own(number, parent, "CHAT_MODEL", chat__tokenUsage=usage)


@pytest.mark.parametrize(
    ("span_type", "kind"),
    [
        ("CHAT_MODEL", "model"),
        ("LLM", "model"),
        ("TOOL", "tool"),
        ("RETRIEVER", "tool"),
        ("EMBEDDING", "tool"),
        ("RERANKER", "tool"),
        ("AGENT", "agent"),
        ("WORKFLOW", "graph"),
        ("CHAIN", "other"),
        ("PARSER", "other"),
    ],
)
def test_span_types(span_type: str, kind: str) -> None:
    assert rules(own(1, 0, span_type))[1][0] == kind


def test_a_run_goes_by_langchain_s_metadata() -> None:
    said = {"ls_integration": "langchain_create_agent", "lc_agent_name": "planner"}
    inside = {**said, "langgraph_node": "model", "langgraph_checkpoint_ns": "model:1"}
    for dialect in (own(1, 0, "CHAIN"), nameless(1, 0, "CHAIN", 0)):
        spans = [
            dialect._replace(attributes={**dialect.attributes, "metadata": json.dumps(said)}),
            nameless(2, 1, "CHAIN", 1, **inside),
        ]
        found = normalized(*spans)
        assert [str(n.kind) for n in found.values()] == ["agent", "other"]
        assert found[1].facts.agent_name == "planner"


def test_a_call_says_messages_tokens_and_model() -> None:
    span = own(
        1,
        0,
        "CHAT_MODEL",
        spanInputs={"messages": [{"role": "user", "content": "Hi"}], "stop": None},
        spanOutputs={"choices": [{"message": {"role": "assistant", "content": "Ho"}}, "?"]},
        chat__tokenUsage={"input_tokens": "7", "output_tokens": 5, "cache_read_input_tokens": 2},
        llm__model="gpt",
        llm__provider="openai",
    )
    facts = normalized(span)[1].facts
    assert facts.input == '[{"role":"user","content":"Hi"}]'
    assert facts.output == '[{"role":"assistant","content":"Ho"}]'
    assert (facts.usage, facts.model) == (Usage(7, 5, 0, 2), "gpt")
    assert facts.metadata["provider"] == "openai"


def test_the_first_chunk_is_the_first_token() -> None:
    span = call(1, 0)
    chunks = [Event(START_NS + at * MS, "new_token", {}) for at in (0, 4, 9)]
    assert normalized(span._replace(events=chunks))[1].facts.first_token_ms == 3


def test_reasoning_is_heard_from_the_node_around_the_call() -> None:
    node = own(1, 0, "CHAIN", spanOutputs=[{"update": {"messages": [ANSWER]}}])
    assert normalized(node, call(2, 1))[2].facts.usage == Usage(7, 5, 3)
    assert normalized(node, call(2, 1, (7, 6)))[2].facts.usage == Usage(7, 6)


def test_reasoning_is_heard_from_the_last_chunk() -> None:
    chunk = Event(START_NS, "new_token", {"chunk": json.dumps({"message": {"kwargs": ANSWER}})})
    assert normalized(call(1, 0)._replace(events=[chunk]))[1].facts.usage == Usage(7, 5, 3)


def test_a_tool_says_its_name_and_call() -> None:
    said = {**own(1, 0, "TOOL").attributes, "tool_call_id": '"call_1"'}
    found = normalized(make_span(1, 0, said, scope=SCOPE, name="lookup"))[1].facts
    assert (found.tool_name, found.metadata["tool_call_id"]) == ("lookup", "call_1")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"mlflow.chat.tokenUsage": "{}"}, "model"),
        ({"tool_call_id": '"c"'}, "tool"),
        ({}, "other"),
    ],
)
def test_without_a_type_the_other_attributes_tell(said: dict[str, str], kind: str) -> None:
    assert rules(make_span(1, 0, said, scope=SCOPE))[1][0] == kind


def prebuilt_loop(*, with_function: bool) -> list[Span]:
    graph = {"ls_integration": "langgraph"}
    inside = {**graph, "langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:1"}
    spans = [
        nameless(1, 0, "CHAIN", 0, **graph),
        nameless(2, 1, "CHAIN", 1, **inside),
        nameless(4, 2, "CHAIN", 3, **inside)._replace(end_ns=START_NS + 9 * MS),
        make_span(5, 4, genai("chat"), scope=SCOPE, start=4),
    ]
    return [*spans, nameless(3, 2, "CHAIN", 2, **inside)] if with_function else spans


def test_a_nameless_prebuilt_agent_is_known_by_the_function_around_its_call() -> None:
    assert rules(*prebuilt_loop(with_function=True))[1][0] == "agent"
    assert rules(*prebuilt_loop(with_function=False))[1][0] == "graph"


@pytest.mark.parametrize(
    ("node", "namespace", "found"),
    [("agent", "agent:1", "agent"), ("model", "agent:1|model:2", "graph")],
)
def test_or_by_the_function_that_runs_the_sequence_in_its_own_node(
    node: str, namespace: str, found: str
) -> None:
    graph = {"ls_integration": "langgraph"}
    outer = {**graph, "langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:1"}
    inner = {**graph, "langgraph_node": node, "langgraph_checkpoint_ns": namespace}
    spans = [
        nameless(1, 0, "CHAIN", 0, **graph),
        nameless(2, 1, "CHAIN", 1, **outer),
        nameless(3, 2, "CHAIN", 2, **outer),
        nameless(4, 3, "CHAIN", 3, **inner),
        make_span(5, 4, genai("chat"), scope=SCOPE, start=4),
    ]
    assert rules(*spans)[1][0] == found


@pytest.mark.parametrize(
    "hostile", ["", "[", "[[[", '{"choices": 5}', '"\\ud800"', "NaN", "9" * 99]
)
def test_values_of_any_form_are_read(hostile: str) -> None:
    keys = ["spanType", "spanInputs", "spanOutputs", "chat.tokenUsage", "llm.model"]
    said = {f"mlflow.{key}": hostile for key in keys}
    broken = make_span(1, 0, said | {"metadata": hostile}, scope=SCOPE)
    call = make_span(2, 1, {**said, "mlflow.spanType": '"LLM"'}, scope=SCOPE)
    assert extract_spans(broken, call).step_counts["model"] == 1
