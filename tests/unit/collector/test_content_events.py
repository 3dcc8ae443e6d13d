"""Which log records are kept, and what they become."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.intake.limits import Limits
from spanloom.core.errors import InvalidRequestError

TRACE, SPAN = b"\xab" * 16, b"\xcd" * 8


def logs(*records: dict[str, object]) -> bytes:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for record in records:
        ParseDict(record, scope.log_records.add(trace_id=TRACE, span_id=SPAN))
    return request.SerializeToString()


def message(text: str, time_ns: int = 7) -> dict[str, object]:
    body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": text}}]}}
    return {"eventName": "gen_ai.user.message", "body": body, "timeUnixNano": time_ns}


def test_an_event_becomes_a_message_below_its_span() -> None:
    found = collect_content_events(logs(message("Hi"), {"eventName": "other"}), Limits())
    [span] = ExportTraceServiceRequest.FromString(found.body).resource_spans[0].scope_spans[0].spans
    assert (span.trace_id, span.parent_span_id) == (TRACE, SPAN)
    assert (span.name, span.start_time_unix_nano) == ("gen_ai.user.message", 7)
    assert {a.key: a.value.string_value for a in span.attributes} == {"content": "Hi"}
    assert found.dropped == 1


def test_a_repeat_is_the_same_and_anything_else_is_not() -> None:
    def ids(*records: dict[str, object]) -> list[bytes]:
        request = ExportTraceServiceRequest.FromString(
            collect_content_events(logs(*records), Limits()).body
        )
        return [span.span_id for span in request.resource_spans[0].scope_spans[0].spans]

    first, again, other, later = ids(message("a"), message("a"), message("b"), message("a", 8))
    assert first == again
    assert len({first, other, later}) == 3


def test_older_sdks_name_the_event_in_an_attribute_and_tell_when_they_saw_it() -> None:
    name = {"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}
    record = {
        "attributes": [name],
        "observedTimeUnixNano": 9,
        "body": {"stringValue": "Hello"},
    }
    found = collect_content_events(logs(record), Limits())
    [span] = ExportTraceServiceRequest.FromString(found.body).resource_spans[0].scope_spans[0].spans
    assert (span.name, span.start_time_unix_nano) == ("gen_ai.choice", 9)
    assert span.attributes[-1].value.string_value == "Hello"


def test_what_belongs_to_no_span_is_dropped() -> None:
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    records.add(event_name="gen_ai.choice", trace_id=TRACE)
    records.add(event_name="gen_ai.choice", trace_id=bytes(16), span_id=SPAN)
    found = collect_content_events(request.SerializeToString(), Limits())
    assert (found.body, found.dropped, found.findings.rejected) == (b"", 2, 0)


def test_malformed_ids_are_rejected_one_by_one() -> None:
    request = ExportLogsServiceRequest.FromString(logs(message("kept"), {"eventName": "other"}))
    records = request.resource_logs[0].scope_logs[0].log_records
    records.add(event_name="gen_ai.choice", trace_id=TRACE[1:], span_id=SPAN)
    records.add(event_name="gen_ai.choice", trace_id=TRACE, span_id=SPAN * 2)
    records.add(event_name="other", trace_id=TRACE, span_id=SPAN * 2)
    found = collect_content_events(request.SerializeToString(), Limits())
    assert found.findings.rejected_by_rule == {"trace_id": 1, "span_id": 1}
    assert found.dropped == 2
    assert len(ExportTraceServiceRequest.FromString(found.body).resource_spans) == 1


def test_the_place_in_the_request_goes_with_an_event_and_is_no_part_of_what_it_says() -> None:
    def spans(*records: dict[str, object]) -> list[tuple[int, bytes]]:
        body = collect_content_events(logs(*records), Limits()).body
        [group] = ExportTraceServiceRequest.FromString(body).resource_spans
        return [(span.flags, span.span_id) for span in group.scope_spans[0].spans]

    [(first, a), (second, b)] = spans(message("a"), message("b"))
    assert (first, second) == (0, 1)
    assert spans(message("b"), message("a")) == [(0, b), (1, a)]


def test_broken_requests_are_refused() -> None:
    with pytest.raises(InvalidRequestError):
        collect_content_events(b"\xff" * 20, Limits())
