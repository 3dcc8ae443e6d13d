"""Agent runs as OpenInference reports them: 14 spans a trace, about 12 attributes a span.

Everything is derived from a seed. Spans come in the order in which an SDK exports them, by their
ends, so that a trace's root is its last span.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from benchmarks.texts import make_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SECOND = 1_000_000_000
START_NS = 1_763_600_000 * SECOND
TURNS = 6
SPANS_PER_TRACE = 2 * TURNS + 2
SCOPE = ("openinference.instrumentation.langchain", "0.1.80")
RESOURCE = {"service.name": "travel-agents", "service.version": "2.4.1"}
MODELS = ("gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5")

Value = str | int | list[str]


class Shape(NamedTuple):
    """The sizes of spans and requests."""

    label: str
    text_chars: int
    """Length of a longer text of a span; others are half as long."""
    traces_per_request: int


TINY = Shape("0.7 KB", 85, 20)
SMALL = Shape("1.1 KB", 280, 20)
BIG = Shape("6.6 KB", 3_070, 10)


def make_requests(
    shape: Shape, span_count: int, start_ns: int = START_NS, seed: int = 7
) -> Iterator[bytes]:
    """Yield requests of whole traces, until they have ``span_count`` spans in total."""
    random = Random(seed)
    traces = -(-span_count // SPANS_PER_TRACE)
    for first in range(0, traces, shape.traces_per_request):
        spans: list[Span] = []
        for n in range(first, min(first + shape.traces_per_request, traces)):
            spans += agent_trace(random, shape.text_chars, start_ns + n * SECOND // 100)
        yield wrap(spans)


def agent_trace(random: Random, text_chars: int, start_ns: int, turns: int = TURNS) -> list[Span]:
    """Return one run: a graph, its agent, and in each turn a model call and a tool run."""
    run = _Run(random, text_chars)
    root, agent = run.new_id(), run.new_id()
    spans: list[Span] = []
    for turn in range(turns):
        began = start_ns + turn * SECOND
        spans.append(run.span("ChatOpenAI", agent, began, 700, run.model_attributes()))
        spans.append(
            run.span("search", agent, began + 7 * SECOND // 10, 250, run.tool_attributes())
        )
    lasted = turns * 1000
    spans.append(run.span("agent", root, start_ns, lasted, run.chain_attributes("AGENT"), agent))
    spans.append(run.span("LangGraph", b"", start_ns, lasted, run.chain_attributes("CHAIN"), root))
    return spans


def wrap(spans: Sequence[Span]) -> bytes:
    """Encode spans of one process as an export request."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    for key, value in RESOURCE.items():
        group.resource.attributes.add(key=key).value.string_value = value
    scope = group.scope_spans.add()
    scope.scope.name, scope.scope.version = SCOPE
    scope.spans.extend(spans)
    return request.SerializeToString()


class _Run:
    """Data common to the spans of one trace."""

    def __init__(self, random: Random, text_chars: int) -> None:
        self._random = random
        self._chars = text_chars
        self._trace_id = random.randbytes(16)
        self._session = f"thread-{random.randrange(1000)}"

    def new_id(self) -> bytes:
        return self._random.randbytes(8)

    def span(
        self,
        name: str,
        parent: bytes,
        start_ns: int,
        duration_ms: int,
        attributes: Mapping[str, Value],
        span_id: bytes = b"",
    ) -> Span:
        span = Span(
            trace_id=self._trace_id,
            span_id=span_id or self.new_id(),
            parent_span_id=parent,
            name=name,
            kind=Span.SPAN_KIND_INTERNAL,
            start_time_unix_nano=start_ns,
            end_time_unix_nano=start_ns + duration_ms * SECOND // 1000,
            status=Status(code=Status.STATUS_CODE_OK),
        )
        for key, value in attributes.items():
            _set(span, key, value)
        return span

    def chain_attributes(self, kind: str) -> dict[str, Value]:
        question, answer = self._text(), self._text(0.5)
        return {
            "openinference.span.kind": kind,
            "input.value": json.dumps({"messages": [["user", question]]}),
            "input.mime_type": "application/json",
            "output.value": answer,
            "output.mime_type": "text/plain",
            "session.id": self._session,
            "metadata": json.dumps({"thread_id": self._session, "langgraph_path": ["agent"]}),
        }

    def model_attributes(self) -> dict[str, Value]:
        question, answer = self._text(0.5), self._text(0.5)
        prompt, completion = self._random.randrange(50, 4000), self._random.randrange(5, 800)
        return {
            "openinference.span.kind": "LLM",
            "input.value": json.dumps({"messages": [{"role": "user", "content": question}]}),
            "input.mime_type": "application/json",
            "output.value": json.dumps({"role": "assistant", "content": answer}),
            "llm.model_name": self._random.choice(MODELS),
            "llm.invocation_parameters": '{"temperature": 0.2}',
            "llm.token_count.prompt": prompt,
            "llm.token_count.completion": completion,
            "llm.token_count.total": prompt + completion,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": question,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": answer,
            "session.id": self._session,
            "tag.tags": ["travel", "planner"],
        }

    def tool_attributes(self) -> dict[str, Value]:
        arguments = json.dumps({"query": self._text(1.1)})
        return {
            "openinference.span.kind": "TOOL",
            "input.value": arguments,
            "input.mime_type": "application/json",
            "output.value": self._text(),
            "output.mime_type": "text/plain",
            "tool.name": "search",
            "tool.description": "Searches trains, museums and the weather.",
            "tool.parameters": '{"query": "string"}',
            "session.id": self._session,
            "metadata": json.dumps({"thread_id": self._session, "langgraph_node": "tools"}),
        }

    def _text(self, share: float = 1.0) -> str:
        return make_text(self._random, int(self._chars * share))


def _set(span: Span, key: str, value: Value) -> None:
    any_value = span.attributes.add(key=key).value
    match value:
        case str():
            any_value.string_value = value
        case int():
            any_value.int_value = value
        case _:
            for item in value:
                any_value.array_value.values.add().string_value = item
