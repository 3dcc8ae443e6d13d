"""OpenInference: kinds to be trusted, misleading marks of agents, and where the data is."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import MS, START_NS, make_span, normalized, openinference, rules

from spanloom.core.model.span import Event, Span
from spanloom.core.model.step import Usage


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("LLM", ("model", "openinference.kind_llm")),
        ("llm", ("model", "openinference.kind_llm")),
        ("TOOL", ("tool", "openinference.kind_tool")),
        ("RETRIEVER", ("tool", "openinference.kind_retriever")),
        ("RERANKER", ("tool", "openinference.kind_reranker")),
        ("EMBEDDING", ("tool", "openinference.kind_embedding")),
        ("GUARDRAIL", ("graph", "openinference.kind_guardrail")),
        ("EVALUATOR", ("graph", "openinference.kind_evaluator")),
        ("AGENT", ("agent", "openinference.kind_agent")),
        ("CHAIN", ("other", "openinference.plumbing")),
        ("PROMPT", ("other", "openinference.plumbing")),
        ("", ("other", "openinference.plumbing")),
    ],
)
def test_kinds(kind: str, expected: tuple[str, str]) -> None:
    assert rules(make_span(1, 0, openinference(kind), name="ChatOpenAI agent tool"))[1] == expected


def test_a_tool_s_name_makes_a_tool_of_whatever_kind() -> None:
    said = openinference("AGENT", tool__name="transfer_to_research_agent")
    assert rules(make_span(1, 0, said))[1] == ("tool", "openinference.tool_name")


def test_a_native_agent_mark_on_a_langchain_run_counts_for_nothing() -> None:
    said = openinference("AGENT", metadata='{"ls_integration":"langchain_chat_model"}')
    assert rules(make_span(1, 0, said, name="call_agent"))[1] == ("other", "openinference.plumbing")


def test_a_model_call_says_what_it_did() -> None:
    said = {
        **openinference("LLM", input__value="in", output__value="out", session__id="s"),
        "llm.model_name": "gpt",
        "llm.provider": "openai",
        "llm.input_messages.0.message.role": "user",
        "llm.output_messages.0.message.contents.0.message_content.text": "Rome",
        "llm.token_count.prompt": "50",
        "llm.token_count.completion": "20",
        "llm.token_count.completion_details.reasoning": "5",
        "llm.token_count.prompt_details.cache_read": "7",
        "llm.token_count.prompt_details.cache_write": "3",
    }
    early = Event(START_NS - MS, "First Token Stream Event", {})
    facts = normalized(
        make_span(1, 0, said, events=[early, early._replace(time_ns=START_NS + 4 * MS)])
    )[1].facts
    assert facts.input == '[{"role":"user","content":""}]'
    assert facts.output == '[{"role":"assistant","content":"Rome"}]'
    assert (facts.model, facts.usage) == ("gpt", Usage(50, 20, 5, 7, 3))
    assert (facts.first_token_ms, facts.conversation_id) == (4.0, "s")
    assert facts.metadata == {"provider": "openai"}


def test_without_messages_the_values_have_to_do() -> None:
    facts = normalized(make_span(1, 0, openinference("LLM", input__value="a", output__value="b")))[
        1
    ].facts
    assert (facts.input, facts.output, facts.usage) == ("a", "b", Usage())
    assert facts.first_token_ms is None


CALLING = '{"kwargs":{"tool_calls":[{"name":"add"}]}}'
IN_PARTS = '{"kwargs":{"content":[{"type":"text","text":"Rome"}]}}'


@pytest.mark.parametrize(
    ("value", "flattened", "expected"),
    [
        (CALLING, {"content": ""}, CALLING),
        (CALLING, {"tool_calls.0.tool_call.function.name": "add"}, "tool_calls"),
        ('{"kwargs":{"tool_calls":[]}}', {"content": "Rome"}, "Rome"),
        (r'{"content":"\"tool_calls\":[{"}', {"content": "Rome"}, "Rome"),
        (IN_PARTS, {"role": "assistant"}, IN_PARTS),
        (IN_PARTS, {"role": "system"}, IN_PARTS),
        (IN_PARTS, {"role": "assistant", "content": "Oslo"}, "Oslo"),
    ],
    ids=["lost", "kept", "none", "quoted", "parts lost", "system lost", "parts kept"],
)
def test_messages_flattened_without_calls_or_content_are_not_the_whole(
    value: str, flattened: dict[str, str], expected: str
) -> None:
    said = openinference("LLM", input__value=value, output__value=value)
    for side in ("input", "output"):
        said |= {f"llm.{side}_messages.0.message.{key}": it for key, it in flattened.items()}
    facts = normalized(make_span(1, 0, said))[1].facts
    assert expected in facts.input
    assert expected in facts.output
    assert (facts.output == value) == (expected == value)


@pytest.mark.parametrize(
    ("kwargs", "shown"),
    [
        ({"content": [{"type": "thinking", "thinking": "hm"}]}, '"reasoning_content":"hm"'),
        ({"content": "", "additional_kwargs": {"refusal": "No."}}, '"refusal":"No."'),
        (
            {"content": "", "invalid_tool_calls": [{"name": "f", "args": "{bro", "id": "c"}]},
            '"arguments":"{bro"',
        ),
    ],
    ids=["thought", "refusal", "broken call"],
)
def test_what_is_never_flattened_comes_from_the_whole(kwargs: object, shown: str) -> None:
    message = {"lc": 1, "id": ["AIMessage"], "kwargs": kwargs}
    whole = json.dumps({"generations": [[{"text": "", "message": message}]]})
    said = openinference("LLM", output__value=whole)
    said["llm.output_messages.0.message.role"] = "assistant"
    assert shown in normalized(make_span(1, 0, said))[1].facts.output
    said["output.value"] = whole.replace("generations", "unreadable")
    assert shown not in normalized(make_span(1, 0, said))[1].facts.output


def test_a_tool_of_langchain_without_input_had_no_arguments() -> None:
    said = openinference("TOOL", tool__name="ping", output__value="pong")
    scope = "openinference.instrumentation.langchain"
    assert normalized(make_span(1, 0, said, scope=scope))[1].facts.input == "{}"
    assert normalized(make_span(1, 0, said))[1].facts.input == ""


@pytest.mark.parametrize(
    "output",
    [
        '{"type": "tool", "data": {"content": "3", "tool_call_id": "c1"}}',
        '{"output":{"lc":1,"kwargs":{"content":"3","tool_call_id":"c1"}}}',
        '{"update": {"messages": [{"data": {"content": "3", "tool_call_id": "c1"}}]}}',
    ],
    ids=["Python", "JavaScript", "command"],
)
def test_a_tool_knows_the_call_that_its_message_answers(output: str) -> None:
    said = openinference("TOOL", tool__name="add", input__value="1", output__value=output)
    assert normalized(make_span(1, 0, said))[1].facts.metadata["tool_call_id"] == "c1"


def test_tools_and_runs_have_names() -> None:
    spans = [
        make_span(1, 0, openinference("AGENT", agent__name="planner"), name="Runner.run"),
        make_span(2, 1, openinference("TOOL"), name="lookup"),
        make_span(3, 1, openinference("RETRIEVER", tool__name="docs"), name="Retriever"),
    ]
    found = normalized(*spans)
    assert found[1].facts.agent_name == "planner"
    assert (found[2].facts.tool_name, found[2].facts.data_kind) == ("lookup", "")
    assert (found[3].facts.tool_name, found[3].facts.data_kind) == ("docs", "retrieval")


def test_noise_is_not_described_unless_it_is_the_root() -> None:
    noise = openinference("CHAIN", input__value="x")
    found = normalized(make_span(1, 0, noise), make_span(2, 1, noise))
    assert (found[1].facts.input, found[2].facts.input) == ("x", "")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("tool.name", ("tool", "openinference.tool_name")),
        ("tool.description", ("tool", "openinference.tool_name")),
        ("llm.model_name", ("model", "openinference.kind_llm")),
        ("llm.invocation_parameters", ("model", "openinference.kind_llm")),
        ("retrieval.documents.0.document.content", ("tool", "openinference.kind_retriever")),
        ("agent.name", ("agent", "openinference.kind_agent")),
        ("llm.input_messages.0.message.role", ("other", "openinference.plumbing")),
    ],
)
def test_a_span_that_lost_its_kind_is_told_by_what_only_such_spans_have(
    key: str, expected: tuple[str, str]
) -> None:
    scope = "openinference.instrumentation.any"
    assert rules(make_span(1, 0, {key: "x"}, scope=scope))[1] == expected


def test_an_agent_of_langchain_without_metadata_is_told_by_its_model_node() -> None:
    scope = "openinference.instrumentation.langchain"

    def chain(number: int, parent: int, name: str) -> Span:
        return make_span(number, parent, openinference("CHAIN"), name=name, scope=scope)

    found = rules(chain(1, 0, "bcd"), chain(2, 1, "model"), chain(3, 0, "fgh"), chain(4, 3, "x"))
    assert found[1] == ("agent", "langchain.model_node")
    assert [found[n] for n in (2, 3, 4)] == [("other", "openinference.plumbing")] * 3
