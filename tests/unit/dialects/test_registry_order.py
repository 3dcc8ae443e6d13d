"""Which dialect reads a span that has the marks of several."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations
from typing import TYPE_CHECKING

import pytest
from tests.support.each_capture import each_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.mutations import traces_of
from tests.support.spans import make_span, normalized

from spanloom.core.conventions.view import Signature, read_signature
from spanloom.core.dialects.base import find_later, own_claim
from spanloom.core.dialects.eino.langfuse import SCOPE
from spanloom.core.dialects.registry import DIALECTS, KEYS_WITH_VALUES, find_dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

BY_ID = {dialect.id: dialect for dialect in DIALECTS}

OVERLAYS = {
    "agent_logs": {"log.bridge": "true"},
    "eino_cozeloop": {"cozeloop.tag.eino_run_info_component": "Lambda"},
    "eino_langfuse": {"langfuse.ingestion.sdk_version": "eino"},
    "cozeloop": {"cozeloop.span_type": "chain"},
    "openinference": {"openinference.span.kind": "CHAIN"},
    "langfuse": {"langfuse.observation.type": "span"},
    "langsmith": {"langsmith.span.kind": "chain"},
    "mlflow": {"mlflow.spanType": '"CHAIN"'},
    "logfire_pending": {"logfire.pending_parent_id": "0"},
}
LIBRARIES = {
    "eino": {"runinfo.component": "Lambda"},
    "vercel_ai": {"ai.operationId": "ai.generateText"},
    "autogen": {"gen_ai.system": "autogen"},
    "spring_ai": {"spring.ai.kind": "advisor"},
    "mcp": {"mcp.method.name": "tools/call"},
}
SHARED = {
    "litellm": {"litellm.call_id": "1"},
    "traceloop": {"traceloop.entity.path": ""},
    "otel_genai": {"gen_ai.operation.name": "chat"},
    "evidence": {"gen_ai.tool.name": "t", "gen_ai.tool.call.id": "1"},
    "fallback": {},
}
MARKS = OVERLAYS | LIBRARIES | SHARED
SCOPES = {
    "a2a": "a2a-python-sdk",
    "logfire_openai_agents": "logfire.openai_agents",
    "imported": "spanloom.import",
    "vercel_ai_genai": "gen_ai",
    "google_adk": "gcp.vertex.agent",
    "agent_framework": "agent_framework",
    "claude_code": "com.anthropic.claude_code.tracing",
    "codex": "codex_exec",
    "copilot": "github.copilot",
    "gemini_cli": "gemini-cli",
    "opencode": "opencode",
    "qwen_code": "qwen-code",
    "invariant": "invariant",
    "mastra": "@mastra/otel-exporter",
    "autogen": "autogen-core",
    "strands": "strands.telemetry.tracer",
    "anthropic_sdk": "com.anthropic.sdk.python",
    "pydantic_ai": "pydantic-ai",
    "openinference": "openinference.instrumentation.openai",
    "openinference_openai_agents": "openinference.instrumentation.openai_agents",
    "openinference_crewai": "openinference.instrumentation.crewai._event_listener",
    "openinference_llamaindex": "openinference.instrumentation.llama_index",
    "openinference_smolagents": "openinference.instrumentation.smolagents",
    "openinference_agno": "openinference.instrumentation.agno",
    "openinference_autogen": "openinference.instrumentation.autogen_agentchat",
    "openinference_google_adk": "openinference.instrumentation.google_adk",
    "openinference_dspy": "openinference.instrumentation.dspy",
    "openinference_haystack": "openinference.instrumentation.haystack",
    "mlflow": "mlflow.tracing.provider",
    "openlit": "openlit.instrumentation.langgraph",
    "traceloop_sdk": "traceloop.tracer",
    "traceloop_openai_agents": "opentelemetry.instrumentation.openai_agents",
    "traceloop_crewai": "opentelemetry.instrumentation.crewai.instrumentation",
    "traceloop_llamaindex": "opentelemetry.instrumentation.llamaindex",
    "traceloop_agno": "opentelemetry.instrumentation.agno",
    "traceloop_mcp": "opentelemetry.instrumentation.mcp.instrumentation",
    "haystack": "opentelemetry.instrumentation.haystack",
    "traceloop_js": "@traceloop/instrumentation-langchain",
    "traceloop": "opentelemetry.instrumentation.langchain",
}


def test_each_dialect_is_known_by_its_mark_or_scope() -> None:
    logfire = make_span(1, 0, {"request_data": "{}"}, scope="logfire.openai")
    overlay = make_span(1, 0, {"openinference.span.kind": "LLM"}, scope="pydantic-ai")
    mastra = make_span(1, 0, {"openinference.span.kind": "LLM"}, scope="@mastra/otel")
    by_mark = {find_dialect(make_span(1, 0, mark, scope=SCOPE)).id for mark in MARKS.values()}
    by_scope = {find_dialect(make_span(1, 0, {}, scope=scope)).id for scope in SCOPES.values()}
    assert by_mark == set(MARKS)
    assert by_scope == set(SCOPES)
    others = {find_dialect(span).id for span in (logfire, overlay, mastra)}
    assert by_mark | by_scope | others == {dialect.id for dialect in DIALECTS}


@pytest.mark.parametrize("name", SCOPES)
def test_a_scope_of_its_own_wins_over_the_conventions_it_borrows(name: str) -> None:
    borrowed = {"gen_ai.operation.name": "chat", "traceloop.span.kind": "task"}
    if name.startswith("openinference_"):
        borrowed["openinference.span.kind"] = "CHAIN"
    assert find_dialect(make_span(1, 0, borrowed, scope=SCOPES[name])).id == name


@pytest.mark.parametrize(
    ("name", "others"),
    [
        *((overlay, [*LIBRARIES, *SHARED]) for overlay in OVERLAYS if overlay != "openinference"),
        ("openinference", [*LIBRARIES, *(SHARED.keys() - {"otel_genai"})]),
        *((library, [*SHARED]) for library in LIBRARIES),
        *((name, [*SHARED][at:]) for at, name in enumerate(SHARED)),
        ("openinference", ["langfuse", "langsmith", "mlflow"]),
        ("eino_cozeloop", ["cozeloop"]),
        ("eino_langfuse", ["langfuse"]),
    ],
)
def test_the_more_particular_mark_wins(name: str, others: list[str]) -> None:
    marks = {key: value for each in (name, *others) for key, value in MARKS[each].items()}
    assert find_dialect(make_span(1, 0, marks, scope=SCOPE)).id == name


def test_openinference_next_to_an_operation_is_laid_over_it() -> None:
    marks = MARKS["openinference"] | MARKS["otel_genai"]
    assert find_dialect(make_span(1, 0, marks)).id == "openinference_overlay"


@pytest.mark.parametrize("mark", ["langfuse", "langsmith", "mlflow"])
def test_openinference_laid_over_a_framework_wins_over_other_overlays(mark: str) -> None:
    marks = MARKS["openinference"] | MARKS[mark]
    span = make_span(1, 0, marks, scope="strands.telemetry.tracer")
    assert find_dialect(span).id == "openinference_overlay"


def test_those_that_recognise_one_captured_span_are_ordered_by_what_they_declare() -> None:
    both = {
        pair
        for capture in all_captures()
        for span in chain.from_iterable(traces_of(capture).values())
        for pair in combinations(_recognising(read_signature(span, KEYS_WITH_VALUES)), 2)
    }
    assert {pair for pair in both if not _is_declared(*pair)} == set()


@cache
def _recognising(signature: Signature) -> Sequence[str]:
    return [dialect.id for dialect in DIALECTS if dialect.recognises(signature)]


def _is_declared(earlier: str, later: str) -> bool:
    """Return whether more than the names decides the order of the two dialects."""
    if own_claim(BY_ID[earlier]) < own_claim(BY_ID[later]):
        return True
    after = find_later(BY_ID[earlier], BY_ID)
    return later in after or any(_is_declared(other, later) for other in after)


def test_what_nobody_claims_shows_its_texts_as_root() -> None:
    found = normalized(make_span(1, 0, {"input.value": "in", "output.value": "out"}))[1]
    assert (found.dialect, str(found.kind)) == ("fallback", "other")
    assert (found.facts.input, found.facts.output) == ("in", "out")


@each_capture(all_captures())
def test_the_signature_tells_the_dialect_as_the_whole_span_does(capture: Capture) -> None:
    for span in chain.from_iterable(traces_of(capture).values()):
        whole = read_signature(span, tuple(span.attributes))
        asked = next(dialect for dialect in DIALECTS if dialect.recognises(whole))
        assert find_dialect(span) is asked
