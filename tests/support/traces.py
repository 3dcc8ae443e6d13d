"""Made-up traces: hand-made spans, and Hypothesis strategies for any trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from spanloom.core.model.span import Event, Span, TraceKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
KEY = TraceKey("project", TRACE_ID)
START_NS = 1_760_000_000_000_000_000


def make_span(
    number: int,
    parent: int | None = None,
    attributes: Mapping[str, str] | None = None,
    *,
    name: str = "",
    start: int | None = None,
    end: int | None = None,
    scope: str = "test",
    status: str = "Unset",
    message: str = "",
    events: Sequence[Event] = (),
) -> Span:
    """Return span ``number`` below span ``parent``; times are milliseconds after a fixed start."""
    first = number if start is None else start
    return Span(
        trace_id=TRACE_ID,
        span_id=f"{number:016x}",
        parent_span_id="" if parent is None else f"{parent:016x}",
        name=name or f"span {number}",
        kind="Internal",
        start_ns=START_NS + first * 1_000_000,
        end_ns=START_NS + (first + 10 if end is None else end) * 1_000_000,
        status_code=status,
        status_message=message,
        service_name="service",
        scope_name=scope,
        scope_version="1",
        attributes=dict(attributes or {}),
        events=events,
        links=(),
        row_version=1,
    )


def model(inputs: int = 10, outputs: int = 5, **more: str) -> dict[str, str]:
    """Return the attributes of a GenAI model call."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": str(inputs),
        "gen_ai.usage.output_tokens": str(outputs),
        **more,
    }


def operation(name: str, **more: str) -> dict[str, str]:
    """Return the attributes of a GenAI operation."""
    return {"gen_ai.operation.name": name, **more}


_TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", "null", "-1", "1e999", "NaN", "{", "[[[[", '{"a":{"b":[1]}}', '"x"', "9" * 40]
    ),
)
_SAID = st.dictionaries(
    st.sampled_from(
        [
            "gen_ai.operation.name",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "gen_ai.prompt.0.content",
            "gen_ai.prompt.x.y",
            "gen_ai.output.messages",
            "openinference.span.kind",
            "metadata",
            "tool.name",
            "llm.token_count.prompt",
            "llm.input_messages.0.message.role",
            "langsmith.span.kind",
            "langsmith.metadata.usage_metadata",
            "traceloop.span.kind",
            "traceloop.entity.name",
            "traceloop.entity.input",
            "runinfo.component",
            "gen_ai.completion.0.content",
            "gen_ai.agent.name",
            "error.type",
            "cozeloop.span_type",
            "cozeloop.input",
            "cozeloop.output",
            "cozeloop.tag.input_tokens",
            "cozeloop.tag.latency_first_resp",
            "cozeloop.tag.call_options",
            "langfuse.observation.type",
            "langfuse.observation.input",
            "langfuse.observation.usage_details",
            "langfuse.observation.completion_start_time",
            "langfuse.observation.model.parameters",
        ]
    ),
    _TEXTS,
    max_size=6,
)
_MEANT = st.sampled_from(
    [
        {},
        model(),
        model(3, 4),
        operation("execute_tool"),
        operation("invoke_agent", **{"gen_ai.agent.name": "a"}),
        operation("invoke_workflow"),
        operation("embeddings"),
        {"openinference.span.kind": "LLM", "llm.token_count.prompt": "7"},
        {"openinference.span.kind": "AGENT"},
        {"openinference.span.kind": "RETRIEVER"},
        {"openinference.span.kind": "CHAIN", "metadata": '{"langgraph_checkpoint_ns":"a:1"}'},
        {"langsmith.span.kind": "llm"},
        {"runinfo.component": "Agent"},
        {"runinfo.component": "Graph"},
        {"cozeloop.span_type": "chain"},
        {"cozeloop.span_type": "graph"},
        {"cozeloop.span_type": "model", "cozeloop.tag.input_tokens": "7"},
        {"cozeloop.tag.eino_run_info_component": "Graph"},
        {"langfuse.observation.type": "agent"},
        {"langfuse.observation.type": "generation"},
        {"langfuse.ingestion.sdk_version": "eino", "langfuse.observation.input": '{"Input":'},
        {"langfuse.ingestion.sdk_version": "eino"},
        {"runinfo.component": "ChatModel", "runinfo.name": "ChatModel"},
    ]
)


@st.composite
def traces(draw: st.DrawFn, max_size: int = 14) -> list[Span]:
    """Return spans of one trace with any parents at all: orphans, cycles, many roots or none."""
    size = draw(st.integers(1, max_size))
    parents = st.one_of(st.none(), st.integers(1, size + 2))
    return [
        make_span(
            number,
            draw(parents),
            {**draw(_MEANT), **draw(_SAID)} if draw(st.booleans()) else draw(_MEANT),
            start=draw(st.integers(0, 20)),
            end=draw(st.integers(0, 30)),
            scope=draw(
                st.sampled_from(
                    ["a", "b", "langfuse-ingestion", "opentelemetry.instrumentation.langchain"]
                )
            ),
            status=draw(st.sampled_from(["Unset", "Ok", "Error"])),
            message=draw(_TEXTS),
            events=draw(st.sampled_from([(), (Event(1, "exception", {"exception.type": "E"}),)])),
        )
        for number in range(1, size + 1)
    ]
