"""OpenTelemetry's GenAI conventions, old and new."""

from __future__ import annotations

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

from spanloom.core.model.step import Usage


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("chat", "model"),
        ("text_completion", "model"),
        ("generate_content", "model"),
        ("execute_tool", "tool"),
        ("embeddings", "tool"),
        ("retrieval", "tool"),
        ("rerank", "tool"),
        ("invoke_agent", "agent"),
        ("invoke_workflow", "graph"),
    ],
)
def test_the_operation_decides(operation: str, kind: str) -> None:
    assert rules(make_span(1, 0, genai(operation), name="x"))[1] == (
        kind,
        f"otel_genai.{operation}",
    )


@pytest.mark.parametrize("operation", ["create_agent", "execute_task", "agent_step", "CHAIN"])
def test_construction_and_unknown_operations_are_no_steps(operation: str) -> None:
    assert rules(make_span(1, 0, genai(operation)))[1] == ("other", "otel_genai.other_operation")


def test_before_operations_a_system_and_a_model_mean_a_call() -> None:
    said = {"gen_ai.system": "openai", "gen_ai.request.model": "gpt"}
    assert rules(make_span(1, 0, said))[1] == ("model", "otel_genai.system_and_model")
    assert rules(make_span(1, 0, {"gen_ai.system": "openai"}))[1][0] == "other"


@pytest.mark.parametrize(
    "name", ["RunnableSequence", "RunnableParallel<a,b>", "ChatOpenAI", "AzureChatOpenAI"]
)
def test_a_workflow_named_like_a_langchain_class_is_a_chain(name: str) -> None:
    said = genai("invoke_workflow", workflow__name=name)
    assert rules(make_span(1, 0, said))[1] == ("other", "otel_genai.workflow_is_a_chain")


@pytest.mark.parametrize("name", ["", "trip", "Runnables", "Chatty", "my RunnableSequence"])
def test_any_other_workflow_is_a_graph(name: str) -> None:
    assert rules(make_span(1, 0, genai("invoke_workflow", workflow__name=name)))[1][0] == "graph"


def test_an_agent_that_holds_nothing_but_one_other_only_passes_on() -> None:
    graph = make_span(9, 0, genai("invoke_workflow", workflow__name="trip"))
    wrapper, run = make_span(1, 9, genai("invoke_agent")), make_span(2, 1, genai("invoke_agent"))
    passes_on = ("other", "otel_genai.agent_only_passes_on")
    assert rules(graph, wrapper, run, make_span(3, 2, chat()))[1] == passes_on
    assert rules(graph, wrapper, run, make_span(3, 1, chat()))[1][0] == "agent"
    assert rules(graph, wrapper)[1][0] == "agent"


def test_a_run_that_begins_with_an_agent_is_one_also_if_it_only_hands_over() -> None:
    outer, inner = make_span(1, 0, genai("invoke_agent")), make_span(2, 1, genai("invoke_agent"))
    spans = (outer, inner, make_span(3, 2, chat()))
    assert [rules(*spans)[n][0] for n in (1, 2, 3)] == ["agent", "agent", "model"]
    assert extract_spans(*spans).root_type == "agent"
    assert owners(extract_spans(*spans)) == {1: [2], 2: [3]}


def test_a_model_call_says_what_it_did() -> None:
    said = chat(
        50,
        20,
        input__messages="[1]",
        output__messages="[2]",
        request__model="gpt",
        response__model="gpt-1",
        response__id="r",
        conversation__id="c",
        agent__name="owner",
        usage__reasoning__output_tokens=5,
        usage__cache_read__input_tokens=7,
        usage__cache_write__input_tokens=3,
        response__time_to_first_chunk="0.25",
        provider__name="openai",
        system="ignored",
    )
    facts = normalized(make_span(1, 0, said))[1].facts
    assert (facts.input, facts.output, facts.model) == ("[1]", "[2]", "gpt-1")
    assert (facts.usage, facts.first_token_ms) == (Usage(50, 20, 5, 7, 3), 250.0)
    assert (facts.response_id, facts.conversation_id) == ("r", "c")
    assert facts.metadata == {"provider": "openai", "response_id": "r"}


def test_older_names_mean_the_same() -> None:
    said = {
        **genai("chat"),
        "gen_ai.usage.prompt_tokens": "50",
        "gen_ai.usage.completion_tokens": "20",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.completion.0.content": "Rome",
    }
    facts = normalized(make_span(1, 0, said))[1].facts
    assert facts.usage == Usage(50, 20)
    assert facts.input == '[{"role":"user","content":""}]'
    assert facts.output == '[{"role":"assistant","content":"Rome"}]'


def test_a_tool_run_says_what_it_did() -> None:
    said = genai(
        "execute_tool",
        tool__name="f",
        tool__call__arguments="{}",
        tool__call__result="4",
        tool__call__id="i",
    )
    facts = normalized(make_span(1, 0, said, name="execute_tool f"))[1].facts
    assert (facts.tool_name, facts.input, facts.output) == ("f", "{}", "4")
    assert facts.metadata == {"tool_call_id": "i"}
    assert facts.usage is None


def test_a_retrieval_says_what_was_looked_for_and_found() -> None:
    told = {"retrieval__query__text": "refunds?", "retrieval__documents": '[{"id":"a"}]'}
    facts = normalized(make_span(1, 0, genai("retrieval", **told)))[1].facts
    assert (facts.input, facts.output) == ("refunds?", '[{"id":"a"}]')


def test_runs_are_called_by_their_agent_or_workflow() -> None:
    run = normalized(make_span(1, 0, genai("invoke_agent", agent__name="planner")))[1]
    graph = normalized(
        make_span(1, 0, genai("invoke_workflow", workflow__name="trip", agent__name="x"))
    )[1]
    assert (run.facts.agent_name, graph.facts.agent_name) == ("planner", "trip")
