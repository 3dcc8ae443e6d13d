"""MLflow: its own attributes, and its GenAI mode, in which every name is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import MS, START_NS, extract_spans, genai, make_span, normalized, rules

from spanloom.core.model.span import Event
from spanloom.core.model.step import Usage

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
    """Return a span whose attribute values are JSON, as MLflow writes them."""
    named = {f"mlflow.{key.replace('__', '.')}": json.dumps(value) for key, value in said.items()}
    said_type = {"mlflow.spanType": json.dumps(span_type)}
    return make_span(number, parent, said_type | named, scope=SCOPE, start=number, end=90)


def called(name: str, number: int, parent: int, span_type: str, **said: object) -> Span:
    """Return an MLflow span with a name of its own, such as that of a library's method."""
    return own(number, parent, span_type, **said)._replace(name=name)


def with_said(span: Span, **said: object) -> Span:
    """Return the span with further attributes, which are not MLflow's own."""
    written = {key: json.dumps(value) for key, value in said.items()}
    return span._replace(attributes={**span.attributes, **written})


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


def runner(number: int, parent: int) -> Span:
    return called("AgentRunner.run", number, parent, "AGENT", spanInputs="Hi")


def test_openai_agents_runner_is_the_frame_of_an_agent() -> None:
    spans = [
        runner(1, 0),
        called("Agent workflow", 2, 1, "CHAIN"),
        called("planner", 3, 2, "AGENT", spanOutputs={"output_type": "str"}),
        call(4, 3),
    ]
    found = normalized(*spans)
    assert [str(n.kind) for n in found.values()] == ["other", "other", "agent", "model"]
    assert found[3].facts.output == ""


@pytest.mark.parametrize(("second", "kind"), [("writer", "graph"), ("planner", "other")])
def test_openai_agents_trace_is_a_graph_of_the_agents_that_start_in_it(
    second: str, kind: str
) -> None:
    spans = [
        called("trip", 1, 0, "AGENT"),
        runner(2, 1),
        called("Agent workflow", 3, 1, "CHAIN"),
        called("planner", 4, 3, "AGENT"),
        runner(5, 1),
        called("Agent workflow", 6, 1, "CHAIN"),
        called(second, 7, 6, "AGENT"),
        called("took over", 8, 6, "AGENT"),
    ]
    assert rules(*spans)[1][0] == kind


def test_an_author_s_agent_that_runs_another_stays_one() -> None:
    spans = [called("trip", 1, 0, "AGENT"), runner(2, 1), called("planner", 3, 2, "AGENT")]
    assert [kind for kind, _ in rules(*spans).values()] == ["agent", "other", "agent"]


def test_a_handoff_is_a_tool_by_its_end_or_as_what_ended_a_turn() -> None:
    named = called("Handoff", 1, 0, "CHAIN", spanOutputs={"to_agent": "writer"})
    assert rules(named)[1][0] == "tool"
    agent = with_said(make_span(1, 0, genai("invoke_agent"), scope=SCOPE), handoffs=["writer"])
    turn, model = nameless(2, 1, "CHAIN", 1), make_span(3, 2, genai("chat"), scope=SCOPE, start=2)
    found = rules(agent, turn, model, nameless(4, 2, "CHAIN", 3))
    assert [kind for kind, _ in found.values()] == ["agent", "other", "model", "tool"]
    alone = with_said(agent, handoffs=[])
    assert rules(alone, turn, model, nameless(4, 2, "CHAIN", 3))[4][0] == "other"


def test_a_method_that_starts_the_same_run_reports_it_again() -> None:
    spans = [called("Agent.run_sync", 1, 0, "AGENT"), called("Agent.run", 2, 1, "AGENT")]
    assert normalized(*spans)[2].part_of == spans[0].span_id
    nested = [called("Agent.run", 1, 0, "AGENT"), called("Agent.run", 2, 1, "AGENT")]
    assert normalized(*nested)[2].part_of is None


def test_an_agent_and_a_tool_are_called_by_name_where_the_span_is_by_method() -> None:
    agent = with_said(called("Agent.run", 1, 0, "AGENT"), name="planner")
    assert normalized(agent)[1].facts.agent_name == "planner"
    assert normalized(called("planner.run", 1, 0, "AGENT"))[1].facts.agent_name == "planner"
    tool = with_said(called("FunctionTool.acall", 1, 0, "TOOL"), name="lookup")
    assert normalized(tool)[1].facts.tool_name == "lookup"
    assert normalized(called("Tool.lookup", 1, 0, "TOOL"))[1].facts.tool_name == "lookup"


def test_a_workflow_is_a_graph_above_its_steps() -> None:
    steps = [called("Trip.run", 1, 0, "CHAIN"), called("Trip.plan", 2, 1, "CHAIN")]
    assert [kind for kind, _ in rules(*steps).values()] == ["graph", "other"]
    assert (
        rules(called("Trip.run", 1, 0, "CHAIN"), called("Else.plan", 2, 1, "CHAIN"))[1][0]
        == "other"
    )


def test_what_calls_nothing_is_no_call() -> None:
    assert rules(with_said(own(1, 0, "LLM"), signature="q -> a"))[1][0] == "other"
    assert rules(called("Like._prepare_chat_with_tools", 1, 0, "LLM"))[1][0] == "other"
    prepared, calls = genai("generate_content"), genai("generate_content")
    spans = [
        nameless(1, 0, "CHAIN", 0),
        make_span(2, 1, prepared, scope=SCOPE, start=1),
        make_span(3, 1, calls, scope=SCOPE, start=2),
        make_span(4, 3, genai("chat"), scope=SCOPE, start=3),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["other", "other", "model", "model"]


COUNTED = {
    "prompt_tokens": 7,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 2},
    "completion_tokens_details": {"reasoning_tokens": 3},
}


def test_details_are_read_from_the_client_s_own_usage() -> None:
    usage = {"input_tokens": 7, "output_tokens": 5}
    answer = own(1, 0, "CHAT_MODEL", chat__tokenUsage=usage, spanOutputs={"usage": COUNTED})
    assert normalized(answer)[1].facts.usage == Usage(7, 5, 3, 2)
    assert normalized(with_said(own(1, 0, "LLM"), usage=COUNTED))[1].facts.usage == Usage(
        7, 5, 3, 2
    )
    other = with_said(call(1, 0, (8, 5)), usage=COUNTED)
    assert normalized(other)[1].facts.usage == Usage(8, 5)


def test_a_stream_s_chunks_tell_the_first_token_and_the_details() -> None:
    said = {"mlflow.chunk.value": json.dumps({"response": {"usage": COUNTED}})}
    chunks = [
        Event(START_NS + 4 * MS, "mlflow.chunk.item.0", {"mlflow.chunk.value": "{}"}),
        Event(START_NS + 9 * MS, "mlflow.chunk.item.1", said),
    ]
    facts = normalized(call(1, 0)._replace(events=chunks))[1].facts
    assert (facts.first_token_ms, facts.usage) == (3, Usage(7, 5, 3, 2))


def test_the_only_call_of_a_run_has_the_run_s_tokens() -> None:
    run = own(1, 0, "CHAIN", chat__tokenUsage={"input_tokens": 7, "output_tokens": 5})
    inside = own(2, 1, "CHAT_MODEL")
    assert normalized(run, inside)[2].facts.usage == Usage(7, 5)
    assert normalized(run, inside, own(3, 1, "CHAT_MODEL"))[2].facts.usage == Usage()


def test_openai_agents_instructions_are_said_first() -> None:
    asked = own(1, 0, "CHAT_MODEL", spanInputs=[{"role": "user", "content": "Hi"}])
    facts = normalized(with_said(asked, instructions="Be brief."))[1].facts
    assert facts.input.startswith('[{"role":"system","content":"Be brief."}')


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ({"user_prompt": "Hi"}, {"output": "Ho", "_state": {}}),
        ({"task": "Hi"}, {"_value": "Ho"}),
        ({"user_msg": "Hi"}, {"result": {"response": {"blocks": [{"text": "Ho"}, {}]}}}),
        ("Hi", "Ho"),
    ],
)
def test_a_run_shows_the_question_and_the_answer(asked: object, answered: object) -> None:
    span = called("Agent.run", 1, 0, "AGENT", spanInputs=asked, spanOutputs=answered)
    facts = normalized(span)[1].facts
    assert (facts.input, facts.output) == ("Hi", "Ho")


def test_what_mlflow_adds_to_another_s_span_does_not_make_it_its_own() -> None:
    said = genai("chat") | {"gen_ai.system": "strands-agents", "mlflow.spanType": '"CHAT_MODEL"'}
    span = make_span(1, 0, said, scope="strands.telemetry.tracer")
    assert normalized(span)[1].dialect == "strands"


def test_what_the_processor_marks_with_no_type_is_read_by_its_own_dialect() -> None:
    marked = {**genai("execute_tool", tool__name="weather"), "mlflow.spanType": "null"}
    assert rules(make_span(1, 0, marked, scope="another"))[1] == ("tool", "otel_genai.execute_tool")


def test_details_stand_in_the_output_of_the_node_around_whatever_is_between() -> None:
    node = own(1, 0, "CHAIN", spanOutputs={"messages": [ANSWER]})
    between = make_span(2, 1, scope="another", start=2, end=90)
    counted = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12}
    call = own(3, 2, "CHAT_MODEL", chat__tokenUsage=counted)
    usage = normalized(node, between, call)[3].facts.usage
    assert usage is not None
    assert usage.reasoning_tokens == 3


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"spanOutputs": {"triggered": False}}, "graph"),
        ({"spanOutputs": {"triggered": True}, "spanInputs": None}, "graph"),
        ({"spanOutputs": {"triggered": True}, "spanInputs": {"a": 1}}, "tool"),
        ({"spanOutputs": {"triggered": True, "by": "x"}}, "tool"),
    ],
)
def test_a_guardrail_of_openai_agents_is_no_tool(said: dict[str, object], kind: str) -> None:
    span = called("no_homework", 1, 0, "TOOL", **said)
    assert rules(span)[1][0] == kind
    assert normalized(span)[1].facts.data_kind == ("guardrail" if kind == "graph" else "")
