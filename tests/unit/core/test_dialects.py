"""What each convention's marks mean, on spans whose names say nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.traces import make_span, model, operation

from spanloom.core.dialects.registry import normalize
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.span import Span


def read(*spans: Span) -> Sequence[NormalizedSpan]:
    return normalize(SpanTree(spans))


def kinds(*spans: Span) -> list[str]:
    return [n.kind.value for n in read(*spans)]


def oi(kind: str, **metadata: object) -> dict[str, str]:
    said = {"openinference.span.kind": kind}
    return {**said, "metadata": json.dumps(metadata)} if metadata else said


def test_an_unknown_span_is_noise() -> None:
    (found,) = read(make_span(1, None, {"http.method": "GET"}))
    assert (found.kind, found.rule, found.dialect) == (
        Kind.OTHER,
        "fallback.no_convention",
        "fallback",
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("chat", "model"),
        ("text_completion", "model"),
        ("generate_content", "model"),
        ("execute_tool", "tool"),
        ("embeddings", "tool"),
        ("retrieval", "tool"),
        ("invoke_agent", "agent"),
        ("invoke_workflow", "graph"),
        ("create_agent", "other"),
        ("something_new", "other"),
    ],
)
def test_genai_goes_by_the_operation(name: str, kind: str) -> None:
    assert kinds(make_span(1, None, operation(name))) == [kind]


def test_genai_before_operations_goes_by_system_and_model() -> None:
    old = {
        "gen_ai.system": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": "3",
    }
    (found,) = read(make_span(1, None, old))
    assert found.kind is Kind.MODEL
    assert found.facts.usage is not None
    assert found.facts.usage.input_tokens == 3


def test_genai_agent_that_only_holds_another_is_a_wrapper() -> None:
    wrapper, inner = make_span(1, None, operation("invoke_agent")), operation("invoke_agent")
    assert kinds(wrapper, make_span(2, 1, inner), make_span(3, 2, model())) == [
        "other",
        "agent",
        "model",
    ]


def test_genai_workflow_with_a_langchain_class_name_is_a_chain() -> None:
    def flow(name: str) -> Span:
        return make_span(1, None, operation("invoke_workflow", **{"gen_ai.workflow.name": name}))

    assert kinds(flow("RunnableSequence")) == kinds(flow("ChatOpenAI")) == ["other"]
    assert kinds(flow("runners")) == kinds(flow("chatty_team")) == ["graph"]


def test_openinference_a_tool_name_beats_the_kind() -> None:
    said = {**oi("AGENT"), "tool.name": "transfer"}
    assert kinds(make_span(1, None, said)) == ["tool"]


def test_openinference_agent_mark_counts_outside_langchain_only() -> None:
    assert kinds(make_span(1, None, oi("AGENT"))) == ["agent"]
    assert kinds(
        make_span(1, None, oi("AGENT", ls_integration="langgraph", langgraph_node="x"))
    ) == ["other"]


def langgraph(integration: str) -> list[Span]:
    """A run around a node around another run: the names say nothing."""
    outer = {"ls_integration": "langgraph"}
    node = {**outer, "langgraph_node": "q", "langgraph_checkpoint_ns": "q:1"}
    run = {**node, "ls_integration": integration}
    inner = {**run, "langgraph_node": "r", "langgraph_checkpoint_ns": "q:1|r:2"}
    return [
        make_span(1, None, oi("CHAIN", **outer), name="p"),
        make_span(2, 1, oi("CHAIN", **node), name="q"),
        make_span(3, 2, oi("CHAIN", **run), name="q"),
        make_span(4, 3, oi("CHAIN", **inner), name="r"),
        make_span(5, 4, oi("LLM", **inner), name="s"),
    ]


def test_a_langgraph_run_is_told_from_its_node_by_structure() -> None:
    assert kinds(*langgraph("langgraph")) == ["graph", "other", "graph", "other", "model"]
    assert kinds(*langgraph("langchain_create_agent")) == [
        "graph",
        "other",
        "agent",
        "other",
        "model",
    ]


def test_the_prebuilt_loop_is_an_agent() -> None:
    outer = {"ls_integration": "langgraph"}
    node = {**outer, "langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:1"}
    spans = [
        make_span(1, None, oi("CHAIN", **outer), name="x"),
        make_span(2, 1, oi("AGENT", **node), name="agent"),
        make_span(3, 2, oi("CHAIN", **node), name="call_model"),
    ]
    assert kinds(*spans) == ["agent", "other", "other"]


def test_a_run_whose_inside_has_not_arrived_goes_by_its_own_name() -> None:
    said = {"ls_integration": "langchain_create_agent", "lc_agent_name": "x"}
    assert kinds(make_span(1, None, oi("CHAIN", **said), name="x")) == ["agent"]
    assert kinds(make_span(1, None, oi("CHAIN", **said), name="y")) == ["other"]


def test_langsmith_goes_by_its_span_kind_not_by_the_operation() -> None:
    prompt = {"langsmith.span.kind": "prompt", "gen_ai.operation.name": "chat"}
    retriever = {"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings"}
    call = {"langsmith.span.kind": "llm", "gen_ai.operation.name": "chat"}
    spans = [make_span(i, None, said) for i, said in enumerate((prompt, retriever, call), 1)]
    found = read(*spans)
    assert [n.kind.value for n in found] == ["other", "tool", "model"]
    assert found[1].facts.data_kind == "retrieval"


def test_langsmith_token_details_come_from_the_metadata() -> None:
    usage = {"input_tokens": 9, "input_token_details": {"cache_read": 4}}
    said = {"langsmith.span.kind": "llm", "langsmith.metadata.usage_metadata": json.dumps(usage)}
    (found,) = read(make_span(1, None, said))
    assert found.facts.usage is not None
    assert (found.facts.usage.input_tokens, found.facts.usage.cache_read_tokens) == (9, 4)


LC = "opentelemetry.instrumentation.langchain"


def announcement(number: int, parent: int | None, name: str) -> Span:
    said = operation("invoke_agent", **{"gen_ai.agent.name": name})
    return make_span(number, parent, said, scope=LC)


def twin(number: int, parent: int, name: str, integration: str) -> Span:
    said = operation("execute_task", **{"traceloop.entity.name": name})
    said["traceloop.span.kind"] = "task"
    said["traceloop.association.properties.ls_integration"] = integration
    return make_span(number, parent, said, scope=LC)


def test_traceloop_an_announced_run_is_what_its_twin_is() -> None:
    inside = operation("execute_task", **{"traceloop.span.kind": "task"})
    inside["traceloop.association.properties.langgraph_checkpoint_ns"] = "n:1"
    spans = [
        announcement(1, None, "x"),
        twin(2, 1, "x", "langgraph"),
        make_span(3, 2, inside, scope=LC),
    ]
    found = read(*spans)
    assert [n.kind.value for n in found] == ["graph", "graph", "other"]
    assert [n.part_of for n in found] == [None, spans[0].span_id, None]


def test_traceloop_runs_of_one_name_are_paired_in_order() -> None:
    inside = operation("execute_task", **{"traceloop.span.kind": "task"})
    inside["traceloop.association.properties.langgraph_checkpoint_ns"] = "n:1"
    spans = [make_span(1, None, inside, scope=LC)]
    for first in (2, 5):
        spans += [
            announcement(first, 1, "x"),
            twin(first + 1, 1, "x", "langchain_create_agent"),
            make_span(first + 2, first + 1, inside, scope=LC),
        ]
    found = {n.span.span_id[-1]: n for n in read(*spans)}
    assert found["3"].part_of == spans[1].span_id
    assert found["6"].part_of == spans[4].span_id


def eino(number: int, parent: int | None, component: str, name: str = "x") -> Span:
    said = {"runinfo.component": component, "runinfo.name": name, "gen_ai.span.kind": "workflow"}
    return make_span(number, parent, said)


def test_eino_an_adk_agents_inside_is_private() -> None:
    spans = [
        eino(1, None, "Agent"),
        eino(2, 1, "Chain"),
        eino(3, 2, "Graph", "ReAct"),
        eino(4, 3, "ChatModel", "ChatModel"),
        eino(5, 3, "ToolsNode"),
        eino(6, 5, "Tool"),
    ]
    assert kinds(*spans) == ["agent", "other", "other", "model", "other", "tool"]


def test_eino_react_agents_and_hosts_are_graphs_by_component() -> None:
    assert kinds(eino(1, None, "Graph"), eino(2, 1, "ChatModel", "ChatModel"))[0] == "agent"
    assert kinds(eino(1, None, "Graph"), eino(2, 1, "Lambda", "converter"))[0] == "agent"
    assert kinds(eino(1, None, "Graph"), eino(2, 1, "ChatModel", "mine"))[0] == "graph"
    assert kinds(eino(1, None, "Workflow")) == ["graph"]


def test_eino_usage_of_an_agentic_model_is_in_its_output() -> None:
    usage = {"PromptTokens": 5, "CompletionTokens": 2, "PromptTokenDetails": {"CachedTokens": 1}}
    said = {
        "runinfo.component": "AgenticModel",
        "gen_ai.completion.0.content": json.dumps({"TokenUsage": usage, "Config": {"Model": "m"}}),
    }
    (found,) = read(make_span(1, None, said))
    assert found.facts.usage is not None
    assert found.facts.usage[:2] == (5, 2)
    assert found.facts.usage.cache_read_tokens == 1
    assert found.facts.model == "m"
