"""Spans of unknown conventions, and those that known dialects pass on, are read by evidence."""

from __future__ import annotations

import pytest
from tests.support.spans import extract_spans, make_span, normalized

from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind

COUNTS = {"gen_ai.usage.prompt_tokens": "44", "gen_ai.usage.completion_tokens": "21"}
CALL = {**COUNTS, "gen_ai.response.model": "m"}
TOOL = {"gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": "{}"}
OPERATION = "gen_ai.operation.name"


def kinds(*spans: object) -> list[Kind]:
    return [n.kind for n in normalized(*spans).values()]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("chat.completions", Kind.MODEL),
        ("chat_completion", Kind.MODEL),
        ("gen_ai.generate_text", Kind.MODEL),
        ("messages.create", Kind.MODEL),
        ("llm_call", Kind.MODEL),
        ("tool_call", Kind.TOOL),
        ("tools/call", Kind.TOOL),
        ("agent_call", Kind.AGENT),
        ("create.chat.completions", Kind.MODEL),
        ("ai.run.doGenerate", Kind.MODEL),
        ("ai.toolCall.doCall", Kind.TOOL),
        ("run_my_agent", Kind.AGENT),
        ("list_messages", Kind.OTHER),
        ("workflow", Kind.OTHER),
        ("execute_task", Kind.OTHER),
        ("agent_step", Kind.OTHER),
        ("of_my_own", Kind.OTHER),
    ],
)
def test_operation_counts_in_any_spelling(operation: str, kind: Kind) -> None:
    assert kinds(make_span(1, attributes={OPERATION: operation})) == [kind]


@pytest.mark.parametrize("key", ["sentry.op", "span.type", "gen_ai.span.kind", "fi.span.kind"])
def test_operation_counts_under_any_key(key: str) -> None:
    assert kinds(make_span(1, attributes={key: "LLM"})) == [Kind.MODEL]


def test_unknown_operation_yields_to_evidence() -> None:
    assert kinds(make_span(1, attributes={**CALL, OPERATION: "of_my_own"})) == [Kind.MODEL]


def test_known_operation_is_final() -> None:
    assert kinds(make_span(1, attributes={**CALL, OPERATION: "create_agent"})) == [Kind.OTHER]


def test_counts_and_a_model_make_a_call() -> None:
    (call,) = normalized(make_span(1, attributes=CALL)).values()
    assert (call.kind, call.rule) == (Kind.MODEL, "evidence.call")
    assert (call.facts.model, call.facts.usage) == ("m", Usage(44, 21))


@pytest.mark.parametrize("missing", CALL)
def test_call_needs_counts_of_both_sides_and_a_model(missing: str) -> None:
    left = {key: value for key, value in CALL.items() if key != missing}
    assert kinds(make_span(1, attributes=left)) == [Kind.OTHER]


def test_call_of_an_embedding_model_is_no_model_call() -> None:
    call = {**CALL, "gen_ai.response.model": "text-embedding-3-small"}
    (read,) = normalized(make_span(1, attributes=call)).values()
    assert (read.kind, read.facts.data_kind) == (Kind.TOOL, "embedding")


def test_sum_of_calls_is_no_call() -> None:
    inner = make_span(2, 1, CALL)
    assert kinds(make_span(1, attributes=CALL, end=99), inner) == [Kind.OTHER, Kind.MODEL]
    agent = {**CALL, "agent.name": "a"}
    assert kinds(make_span(1, attributes=agent, end=99), inner) == [Kind.AGENT, Kind.MODEL]


def test_an_account_of_a_call_is_no_second_call() -> None:
    call = {**CALL, OPERATION: "chat"}
    spans = [
        make_span(1, end=99),
        make_span(2, 1, call),
        make_span(3, 1, CALL, start=20),
        make_span(4, 2, CALL, start=5),
        make_span(5, 1, {**CALL, "gen_ai.usage.prompt_tokens": "45"}, start=30),
        make_span(6, 1, {**CALL, "gen_ai.output.messages": "Hi"}, start=40),
        make_span(7, 1, {**CALL, "ag2.span.type": "usage"}, start=50),
    ]
    read = normalized(*spans)
    assert [n for n in read if read[n].kind is Kind.MODEL] == [2, 5, 6]
    assert read[3].rule == "evidence.counts_of_a_call"


def test_tool_is_known_by_name_and_arguments_result_or_id() -> None:
    (tool,) = normalized(make_span(1, attributes=TOOL)).values()
    assert (tool.kind, tool.facts.tool_name, tool.rule) == (Kind.TOOL, "t", "evidence.tool")
    assert kinds(make_span(1, attributes={"tool_name": "t", "tool_input": "{}"})) == [Kind.TOOL]
    assert kinds(make_span(1, attributes={"gen_ai.tool.name": "t"})) == [Kind.OTHER]


def test_agent_is_the_outermost_with_its_name_around_steps() -> None:
    named = {"gen_ai.agent.name": "a"}
    spans = [
        make_span(1, attributes=named, end=99),
        make_span(2, 1, named, end=90),
        make_span(3, 2, {**CALL, **named}),
        make_span(4, 1, named),
    ]
    assert kinds(*spans) == [Kind.AGENT, Kind.OTHER, Kind.MODEL, Kind.OTHER]


def test_agent_with_an_operation_is_told_by_it_alone() -> None:
    named = {"gen_ai.agent.name": "a"}
    inner = make_span(2, 1, {**named, OPERATION: "invoke_agent"}, end=90)
    spans = [make_span(1, attributes=named, end=99), inner, make_span(3, 2, {**CALL, **named})]
    assert kinds(*spans) == [Kind.OTHER, Kind.AGENT, Kind.MODEL]


def test_genkit_is_read_by_its_marks() -> None:
    usage = '{"message":{"role":"model"},"usage":{"inputTokens":3,"outputTokens":2}}'
    flow = {"genkit:type": "flow", "genkit:name": "ask"}
    model = {
        "genkit:type": "action",
        "genkit:metadata:subtype": "model",
        "genkit:name": "googleai/gemini-2.5-flash",
        "genkit:output": usage,
    }
    tool = {"genkit:metadata:subtype": "tool", "genkit:name": "rain", "genkit:input": "{}"}
    spans = [make_span(1, attributes=flow, end=99), make_span(2, 1, model), make_span(3, 1, tool)]
    read = list(normalized(*spans).values())
    assert [n.kind for n in read] == [Kind.GRAPH, Kind.MODEL, Kind.TOOL]
    assert read[1].facts.usage == Usage(3, 2)
    assert read[2].facts.tool_name == "rain"


def test_livekit_is_read_by_its_names() -> None:
    spans = [
        make_span(1, attributes={"lk.agent_name": "a"}, name="agent_turn", end=99),
        make_span(2, 1, {"lk.chat_ctx": "[]", **CALL}, name="llm_request"),
        make_span(3, 1, {"lk.function_tool.name": "rain"}, name="function_tool"),
    ]
    assert kinds(*spans) == [Kind.AGENT, Kind.MODEL, Kind.TOOL]


SCOPES = (
    *("litellm", "langfuse-sdk", "pydantic-ai", "autogen-core", "agent_framework", "haystack"),
    *("logfire.openai", "logfire.openai_agents", "org.springframework.boot", "a2a-python-sdk"),
    *("gcp.vertex.agent", "langsmith", "strands.telemetry.tracer", "gen_ai", "ai", "sentry"),
    *("openinference.instrumentation.langchain", "openinference.instrumentation.crewai"),
    *("openinference.instrumentation.agno", "openinference.instrumentation.llama_index"),
    *("opentelemetry.instrumentation.langchain", "@traceloop/instrumentation-langchain"),
    *("openlit.instrumentation.openai", "mlflow", "pipecat", "livekit-agents", "genkit-tracer"),
    "@mastra/otel-exporter",
)
"""Scopes of the libraries whose dialects claim spans."""


@pytest.mark.parametrize("scope", SCOPES)
def test_known_library_passes_on_what_it_does_not_know(scope: str) -> None:
    for operation in ({}, {OPERATION: "of_my_own"}):
        spans = [
            make_span(1, attributes={"a": "b"}, scope=scope, name="mine", end=99),
            make_span(2, 1, {**CALL, **operation}, scope=scope, name="think"),
            make_span(3, 1, {**TOOL, **operation}, scope=scope, name="act", start=20),
        ]
        read = normalized(*spans)
        assert [n.kind for n in read.values()] == [Kind.OTHER, Kind.MODEL, Kind.TOOL]
        assert (read[2].facts.usage, read[3].facts.tool_name) == (Usage(44, 21), "t")


@pytest.mark.parametrize("scope", SCOPES)
def test_what_nobody_reads_is_named_whoever_claims_it(scope: str) -> None:
    own = {"of.my.own.input_tokens": "7", "of.my.own.messages": "[]"}
    trajectory = extract_spans(make_span(1, attributes=own, scope=scope, name="mine"))
    assert [w for w in trajectory.warnings if w.startswith("not read")] == [
        "not read: of.my.own.input_tokens (1 spans)",
        "not read: of.my.own.messages (1 spans)",
    ]


@pytest.mark.parametrize(
    ("scope", "own"),
    [
        ("org.springframework.boot", {"spring.ai.kind": "advisor"}),
        ("haystack", {"haystack.component.name": "llm"}),
        ("openinference.instrumentation.x", {"openinference.span.kind": "CHAIN"}),
        ("langsmith", {"langsmith.span.kind": "chain"}),
        ("mlflow", {"mlflow.spanType": '"CHAIN"'}),
    ],
)
def test_spans_with_attributes_of_the_library_are_its_own(scope: str, own: dict[str, str]) -> None:
    assert kinds(make_span(1, attributes={**CALL, **own}, scope=scope)) == [Kind.OTHER]


def test_spring_ai_passes_on_kinds_that_it_does_not_know() -> None:
    image = {**CALL, "spring.ai.kind": "image_model"}
    assert kinds(make_span(1, attributes=image, scope="org.springframework.boot")) == [Kind.MODEL]


def test_pipecat_is_read_by_its_attributes() -> None:
    model = {"gen_ai.system": "openai", "gen_ai.request.model": "m"}
    told = {"input": '[{"role":"user","content":"Hi"}]', "output": "Hello."}
    counts = {"gen_ai.usage.input_tokens": "9", "gen_ai.usage.output_tokens": "2"}
    voice = {**model, "text": "Hello.", "metrics.character_count": "6"}
    spans = [
        make_span(1, attributes={"conversation.id": "c"}, name="conversation", end=99),
        make_span(2, 1, {"turn.number": "1"}, name="turn", end=90),
        make_span(3, 2, {**model, OPERATION: "speech_to_text", "transcript": "Hi"}, name="stt"),
        make_span(4, 2, {**model, **told, **counts, OPERATION: "chat"}, name="llm", start=20),
        make_span(5, 2, {**voice, OPERATION: "text_to_speech"}, name="tts", start=40),
    ]
    assert kinds(*spans) == [Kind.OTHER, Kind.OTHER, Kind.OTHER, Kind.MODEL, Kind.OTHER]
    trajectory = extract_spans(*spans)
    assert (trajectory.root.input, trajectory.root.output) == ("Hi", "Hello.")
    assert trajectory.conversation_id == "c"


def test_calls_that_sentry_renamed_are_read_without_the_ai_sdk() -> None:
    attributes = {
        "sentry.op": "gen_ai.chat",
        "gen_ai.request.messages": '[{"role":"user","content":"Hi"}]',
        "gen_ai.response.text": "Hello.",
        "gen_ai.response.model": "m",
    }
    tool = {"sentry.op": "gen_ai.execute_tool", "gen_ai.tool.name": "t", "gen_ai.tool.input": "{}"}
    agent = {"sentry.op": "gen_ai.invoke_agent", "gen_ai.agent.name": "a"}
    spans = [
        make_span(1, attributes=agent, end=99),
        make_span(2, 1, attributes),
        make_span(3, 1, {**tool, "gen_ai.tool.output": "done"}, start=20),
    ]
    assert kinds(*spans) == [Kind.AGENT, Kind.MODEL, Kind.TOOL]
    root = extract_spans(*spans).root
    assert (root.name, root.input, root.output) == ("a", "Hi", "Hello.")


def test_known_library_keeps_what_nobody_knows() -> None:
    (span,) = normalized(make_span(1, attributes={"a": "b"}, scope="litellm")).values()
    assert (span.kind, span.rule) == (Kind.OTHER, "litellm.plumbing")


def test_observation_of_langfuse_is_not_passed_on() -> None:
    own = {**CALL, "langfuse.observation.type": "span"}
    assert kinds(make_span(1, attributes=own, scope="langfuse-sdk")) == [Kind.OTHER]


def test_span_without_evidence_is_the_fallbacks() -> None:
    (span,) = normalized(make_span(1, attributes={"sentry.op": "http.server"})).values()
    assert span.rule == "fallback.no_convention"


def test_run_of_unknown_spans_has_steps() -> None:
    named = {"gen_ai.agent.name": "a"}
    trajectory = extract_spans(
        make_span(1, attributes=named, end=99), make_span(2, 1, CALL), make_span(3, 1, TOOL)
    )
    assert [s.name for s in trajectory.agent_steps[0].steps] == ["step", "t"]
    assert trajectory.root_metrics.input_tokens == 44


def test_a_function_that_runs_calls_and_tools_is_an_agent() -> None:
    outer = make_span(1, attributes={"sentry.op": "ai.generateText"}, name="typed", end=9)
    call = make_span(2, 1, {**CALL, "sentry.op": "ai.run.doGenerate"}, end=4)
    tool = make_span(3, 1, {"sentry.op": "ai.toolCall.doCall"}, start=5, end=6)
    assert kinds(outer, call, tool) == [Kind.AGENT, Kind.MODEL, Kind.TOOL]
    assert kinds(outer, call) == [Kind.MODEL, Kind.MODEL]


@pytest.mark.parametrize(("text", "answer"), [('["Rome"]', "Rome"), ('["a","b"]', '["a","b"]')])
def test_a_list_with_one_text_is_the_text(text: str, answer: str) -> None:
    (call,) = normalized(make_span(1, attributes={**CALL, "gen_ai.response.text": text})).values()
    assert call.facts.output == answer


@pytest.mark.parametrize(
    ("name", "kind"), [("run t", Kind.TOOL), ("t", Kind.TOOL), ("trip", Kind.OTHER)]
)
def test_a_span_named_after_its_tool_is_a_run_of_it(name: str, kind: Kind) -> None:
    assert kinds(make_span(1, attributes={"gen_ai.tool.name": "t"}, name=name)) == [kind]
