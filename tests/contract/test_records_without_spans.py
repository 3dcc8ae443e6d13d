"""Log records of coding agents stand in for spans that did not arrive, in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.otlp_requests import message_of, spooled, wire_span
from tests.support.span_store import content_event, record_of_agent

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store


def test_they_are_spans_until_theirs_arrives(store: Store, key: TraceKey) -> None:
    record = record_of_agent(key, 7, "claude_code.api_request", 10**9, duration_ms="200")
    store.spans.append([record, content_event(key, 8, "nobody", 7)])
    [span] = store.spans.read_spans([key])[key]
    assert (span.name, span.parent_span_id) == ("claude_code.api_request", f"{7:016x}")
    assert (span.start_ns, span.end_ns, span.row_version) == (800_000_000, 10**9, record.seq + 1)
    assert (span.service_name, span.scope_name) == ("claude-code", "com.anthropic")
    assert span.attributes == {
        "event.name": "claude_code.api_request",
        "duration_ms": "200",
        "log.bridge": "true",
    }
    assert store.spans.read_part(key, 10).spans == [span]
    later = spooled(message_of([wire_span(key.trace_id, 7)]), key.project)
    store.spans.append([later])
    [span] = store.spans.read_spans([key])[key]
    assert span.span_id == f"{7:016x}"
    assert span.events[-1].name == "claude_code.api_request"
    assert span.row_version == later.seq


def test_a_trace_has_its_spans_and_those_that_are_records(store: Store, key: TraceKey) -> None:
    record = record_of_agent(key, 7, "codex.tool_result", 10**9)
    store.spans.append([record])
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    spans = store.spans.read_spans([key])[key]
    assert sorted(span.name for span in spans) == ["codex.tool_result", "step"]
    part = store.spans.read_part(key, 10)
    assert (sorted(part.spans), part.span_count) == (sorted(spans), 2)


def test_a_part_of_a_trace_has_none_whose_span_may_be_in_the_rest(
    store: Store, key: TraceKey
) -> None:
    spans = [wire_span(key.trace_id, n, start_ns=10**18 + n) for n in (1, 2, 3)]
    store.spans.append([spooled(message_of(spans), key.project)])
    store.spans.append([record_of_agent(key, 3, "codex.tool_result", 10**9)])
    part = store.spans.read_part(key, 2)
    assert [span.span_id for span in sorted(part.spans)] == [f"{n:016x}" for n in (1, 2)]
