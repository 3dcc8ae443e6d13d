"""Hypothesis strategies for stored spans, most with attributes of a dialect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from tests.support.spans import make_span, raised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span

MAX_NS = 2**64 - 1
NESTED = '{"a":' * 1000 + "1" + "}" * 1000
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
names = st.sampled_from(["planner", "LangGraph", "model", "agent", "call_model", "x"]) | texts
counts = st.sampled_from(["1", "7", "0", "-5", "9" * 30, "9" * 5000, "1e308", "NaN", "12.5", "x"])
json_texts = st.sampled_from(
    [
        "{",
        "[]",
        "null",
        '"x"',
        "[" * 5000,
        NESTED,
        '{"type":[]}',
        '{"type":{},"content":[{"type":"text","text":"hi"}]}',
        '[{"role":"assistant","content":"hi"}]',
        '{"TokenUsage":{"PromptTokens":5,"CompletionTokens":"7"},"Config":{"Model":3}}',
        '{"input_tokens":5,"output_token_details":{"reasoning":1e300}}',
        json.dumps({"metadata": {"ls_integration": "langgraph", "langgraph_checkpoint_ns": "m:1"}}),
    ]
)
metadata = st.fixed_dictionaries(
    {},
    optional={
        "ls_integration": st.sampled_from(["langgraph", "langchain_create_agent", "other"]),
        "lc_agent_name": names,
        "langgraph_node": names,
        "langgraph_checkpoint_ns": st.sampled_from(["", "m:1", "m:1|n:2"]),
    },
)
operations = st.sampled_from(
    [
        "chat",
        "execute_tool",
        "invoke_agent",
        "invoke_workflow",
        "embeddings",
        "retrieval",
        "vector_db_retrieve",
        "create_agent",
        "",
    ]
)
genai = st.fixed_dictionaries(
    {"gen_ai.operation.name": operations},
    optional={
        "gen_ai.usage.input_tokens": counts,
        "gen_ai.usage.output_tokens": counts,
        "gen_ai.usage.reasoning_tokens": counts,
        "gen_ai.request.model": names,
        "gen_ai.response.id": st.sampled_from(["a", "b"]),
        "gen_ai.response.time_to_first_chunk": counts,
        "gen_ai.agent.name": names,
        "gen_ai.tool.name": names,
        "gen_ai.output.messages": json_texts | texts,
        "gen_ai.workflow.name": names,
        "gen_ai.conversation.id": st.sampled_from(["", "c"]),
    },
)
kinds = st.sampled_from(["LLM", "TOOL", "CHAIN", "AGENT", "RETRIEVER", "EMBEDDING", "odd", ""])
openinference = st.fixed_dictionaries(
    {"openinference.span.kind": kinds, "metadata": metadata.map(json.dumps) | json_texts},
    optional={
        "tool.name": names,
        "llm.token_count.prompt": counts,
        "llm.token_count.completion": counts,
        "output.value": json_texts | texts,
    },
)
langsmith_kinds = st.sampled_from(["llm", "tool", "chain", "retriever", "embedding", "odd"])


def _prefixed(prefix: str) -> st.SearchStrategy[dict[str, str]]:
    return metadata.map(lambda said: {prefix + key: value for key, value in said.items()})


def _merged(*parts: st.SearchStrategy[dict[str, str]]) -> st.SearchStrategy[dict[str, str]]:
    return st.tuples(*parts).map(lambda found: {k: v for part in found for k, v in part.items()})


langsmith = _merged(
    st.fixed_dictionaries(
        {"langsmith.span.kind": langsmith_kinds},
        optional={
            "langsmith.metadata.usage_metadata": json_texts,
            "gen_ai.usage.input_tokens": counts,
        },
    ),
    _prefixed("langsmith.metadata."),
)
traceloop = _merged(
    genai,
    st.fixed_dictionaries(
        {"traceloop.entity.name": names},
        optional={
            "traceloop.span.kind": st.sampled_from(["tool", "agent", "task", "workflow"]),
            "traceloop.entity.input": json_texts,
            "llm.request.type": st.sampled_from(["chat", "rerank"]),
        },
    ),
    _prefixed("traceloop.association.properties."),
)
announcements = st.fixed_dictionaries(
    {
        "gen_ai.operation.name": st.just("invoke_agent"),
        "gen_ai.agent.name": names,
        "traceloop.entity.path": st.just(""),
    }
)
eino = _merged(
    st.fixed_dictionaries(
        {
            "runinfo.component": st.sampled_from(
                [
                    "Agent",
                    "Graph",
                    "Chain",
                    "Workflow",
                    "ChatModel",
                    "AgenticModel",
                    "Tool",
                    "Lambda",
                ]
            ),
            "runinfo.name": st.sampled_from(["ChatModel", "converter", "x", ""]),
        },
        optional={
            "gen_ai.completion.0.content": json_texts,
            "gen_ai.usage.prompt_tokens": counts,
            "gen_ai.chat_completions.streaming_time_to_first_token": counts,
        },
    )
)
prefixes = ["gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages."]
tails = st.sampled_from(
    ["0", "0.role", "1.message.role", "0" + ".a" * 1000, "9" * 5000, "", "²", "0..", "x"]
)
hostile = st.dictionaries(
    st.builds(str.__add__, st.sampled_from(prefixes), tails)
    | st.sampled_from(["metadata", "error.code", "error", "error.type", "input.value"])
    | texts,
    json_texts | counts | texts,
    max_size=4,
)
attributes: st.SearchStrategy[Mapping[str, str]] = st.one_of(
    genai,
    openinference,
    langsmith,
    traceloop,
    announcements,
    eino,
    hostile,
    _merged(genai, openinference, hostile),
    _merged(announcements, eino),
)
events = st.lists(
    st.builds(raised, st.sampled_from(["", "ValueError", "x.GraphInterrupt"]), texts), max_size=1
)


@st.composite
def traces(draw: st.DrawFn, max_size: int = 12) -> list[Span]:
    """Return the spans of one trace: trees, orphans, cycles, several roots or none."""
    count = draw(st.integers(1, max_size))
    return [draw(_spans(number, count)) for number in range(1, count + 1)]


@st.composite
def _spans(draw: st.DrawFn, number: int, count: int) -> Span:
    # The parent is mostly an earlier span, so that complete trees are common.
    parent = draw(st.integers(0, number - 1) | st.integers(0, count + 2))
    start, length = draw(st.integers(0, 6)), draw(st.integers(-1, 9))
    span = make_span(
        number,
        parent,
        draw(attributes),
        start=start,
        end=start + length,
        name=draw(names),
        scope=draw(
            st.sampled_from(["framework", "client", "opentelemetry.instrumentation.langchain"])
        ),
        status=draw(st.sampled_from(["Unset", "Ok", "Error"])),
        message=draw(texts),
        events=draw(events),
    )
    if draw(st.integers(0, 19)) == 0:
        return span._replace(start_ns=draw(st.sampled_from([0, MAX_NS])), end_ns=MAX_NS)
    return span
