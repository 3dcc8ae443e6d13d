"""Log records of coding agents become events of their spans, or spans of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.intake.limits import Limits

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.doors.otlp.content_events import ContentEvents

TRACE, SPAN = b"\xab" * 16, b"\xcd" * 8
NOW = 1_795_647_532_000_000_000
CLAUDE = "com.anthropic.claude_code.events"


def text(key: str, value: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=value))


def collect(
    *records: dict[str, str],
    trace_id: bytes = b"",
    span_id: bytes = b"",
    time_ns: int = NOW,
    scope: str = CLAUDE,
    service: str = "claude-code",
    body: str = "",
    key: bytes = b"",
    stores_content: bool = True,
) -> ContentEvents:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add(resource=Resource(attributes=[text("service.name", service)]))
    logs = group.scope_logs.add(scope=InstrumentationScope(name=scope))
    for record in records:
        logs.log_records.add(
            trace_id=trace_id,
            span_id=span_id,
            time_unix_nano=time_ns,
            body=AnyValue(string_value=body),
            attributes=[text(k, v) for k, v in record.items()],
        )
    encoded = request.SerializeToString()
    return collect_content_events(encoded, Limits(), key, stores_content=stores_content)


def spans_of(encoded: bytes) -> list[Span]:
    groups = ExportTraceServiceRequest.FromString(encoded).resource_spans
    return [s for group in groups for scope in group.scope_spans for s in scope.spans]


def bare(**others: str) -> dict[str, str]:
    return {"event.name": "api_request", "session.id": "S", "prompt.id": "P", **others}


def attributes_of(span: Span) -> dict[str, str]:
    return {a.key: a.value.string_value for a in span.attributes}


def test_a_record_of_a_span_is_an_event_of_it() -> None:
    found = collect(bare(model="m"), trace_id=TRACE, span_id=SPAN, body="claude_code.api_request")
    [event] = spans_of(found.body)
    assert (event.trace_id, event.parent_span_id, event.name) == (
        TRACE,
        SPAN,
        "claude_code.api_request",
    )
    assert attributes_of(event) == {
        "session.id": "S",
        "prompt.id": "P",
        "model": "m",
        "event.name": "claude_code.api_request",
        "service.name": "claude-code",
        "otel.scope.name": CLAUDE,
    }
    assert (found.spans, found.dropped) == (b"", 0)


def test_a_record_without_a_span_is_a_span_that_ended_then() -> None:
    found = collect(bare(duration_ms="250"), body="It took 250 ms.")
    [span] = spans_of(found.spans)
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (NOW - 250_000_000, NOW)
    assert (span.name, span.parent_span_id, len(span.span_id)) == (
        "claude_code.api_request",
        b"",
        8,
    )
    attributes = attributes_of(span)
    assert attributes["body"] == "It took 250 ms."
    assert attributes["event.name"] == "claude_code.api_request"
    assert next(a.value.bool_value for a in span.attributes if a.key == "log.bridge")
    [group] = ExportTraceServiceRequest.FromString(found.spans).resource_spans
    assert group.resource.attributes[0].value.string_value == "claude-code"
    assert group.scope_spans[0].scope.name == CLAUDE
    assert found.body == b""


def test_a_trace_id_without_a_span_id_is_kept() -> None:
    [span] = spans_of(collect(bare(), trace_id=TRACE).spans)
    assert span.trace_id == TRACE


def trace_of(record: dict[str, str], service: str = "s", time_ns: int = NOW) -> bytes:
    [span] = spans_of(collect(record, service=service, time_ns=time_ns).spans)
    return span.trace_id


def test_records_of_one_prompt_share_a_trace() -> None:
    first = trace_of(bare())
    assert first == trace_of(bare(duration_ms="3"), time_ns=NOW + 10**15)
    others = [
        trace_of(bare(), service="t"),
        trace_of(bare() | {"session.id": "T"}),
        trace_of(bare() | {"prompt.id": "Q"}),
    ]
    assert len({first, *others}) == 4


@pytest.mark.parametrize("prompt", ["", "S", "S########7", "12"])
def test_where_the_prompt_has_no_id_of_its_own_they_share_one_for_a_second(prompt: str) -> None:
    record = {"event.name": "tool_result", "session.id": "S", "prompt_id": prompt}
    first, soon, later = (trace_of(record, time_ns=NOW + n * 10**8) for n in (0, 9, 10))
    assert first == soon != later
    asked = record | {"event.name": "user_prompt"}
    prompts = {trace_of(asked, time_ns=NOW + n * 10**6) for n in (0, 1)}
    assert len({*prompts, first}) == 3


@pytest.mark.parametrize("prompt", ["23ea4f1d865a1", "S#general-purpose-omj6bc#0"])
def test_where_it_has_they_share_one_with_it(prompt: str) -> None:
    record = {"event.name": "tool_result", "session.id": "S", "prompt_id": prompt}
    asked = record | {"event.name": "user_prompt"}
    assert trace_of(record) == trace_of(asked, time_ns=NOW + 10**12)


def test_a_record_that_names_no_conversation_is_dropped() -> None:
    found = collect({"event.name": "api_request"}, {"event.name": "unknown", "session.id": "S"})
    assert (found.body, found.spans, found.dropped) == (b"", b"", 2)


def test_a_repeat_is_the_same_span_and_anything_else_is_not() -> None:
    records = bare(), bare(), bare(model="m")
    one, again, other = (s.span_id for s in spans_of(collect(*records).spans))
    assert one == again != other
    [keyed] = spans_of(collect(bare(), key=b"secret").spans)
    assert one != keyed.span_id
    assert trace_of(bare(), service="claude-code") != keyed.trace_id


@pytest.mark.parametrize("duration", ["-5", "nan", "inf", "1e300", "soon", "", "90000000"])
def test_an_absurd_duration_is_none(duration: str) -> None:
    [span] = spans_of(collect(bare(duration_ms=duration)).spans)
    assert span.start_time_unix_nano == span.end_time_unix_nano == NOW


def test_nothing_starts_before_time_began() -> None:
    [span] = spans_of(collect(bare(duration_ms="5000"), time_ns=7).spans)
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (0, 7)


def test_a_record_without_a_time_has_the_one_in_its_attribute() -> None:
    stamps = "2026-11-25T10:00:00.250Z", "yesterday", "2026-11-25T10:00:01.250Z"
    records = [bare(**{"event.timestamp": stamp}) for stamp in stamps]
    first, without, third = (
        s.end_time_unix_nano for s in spans_of(collect(*records, time_ns=0).spans)
    )
    assert (third - first, without) == (10**9, 0)


def test_malformed_ids_are_rejected() -> None:
    assert collect(bare(), trace_id=b"x", span_id=SPAN).findings.rejected_by_rule == {"trace_id": 1}
    assert collect(bare(), trace_id=TRACE, span_id=b"x").findings.rejected_by_rule == {"span_id": 1}


def test_without_content_events_of_agents_stay_and_messages_go() -> None:
    names = ("gen_ai.choice", "api_request")
    records = [bare() | {"event.name": name} for name in names]
    found = collect(*records, trace_id=TRACE, span_id=SPAN, stores_content=False)
    assert [event.name for event in spans_of(found.body)] == ["claude_code.api_request"]
    assert (found.withheld, found.dropped) == (1, 0)


def test_each_record_keeps_its_own_resource_and_scope() -> None:
    request = ExportLogsServiceRequest()
    for service in ("a", "b"):
        group = request.resource_logs.add()
        group.resource.attributes.append(text("service.name", service))
        for scope in ("gemini-cli", "qwen-code"):
            logs = group.scope_logs.add(scope=InstrumentationScope(name=scope))
            attributes = [text(k, v) for k, v in bare().items()]
            logs.log_records.add(time_unix_nano=NOW, attributes=attributes)
            logs.log_records.add(time_unix_nano=NOW + 1, attributes=attributes)
    found = collect_content_events(request.SerializeToString(), Limits())
    groups = ExportTraceServiceRequest.FromString(found.spans).resource_spans
    seen = [
        (group.resource.attributes[0].value.string_value, scope.scope.name, len(scope.spans))
        for group in groups
        for scope in group.scope_spans
    ]
    assert seen == [(s, n, 2) for s in ("a", "b") for n in ("gemini-cli", "qwen-code")]
