"""Log records with the content of spans: which are kept, and which events they become."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.redaction.redactor import Redactor
from spanloom.collector.intake.redaction.rules import Place
from spanloom.collector.intake.validate import validate_request
from spanloom.core.conventions.evaluations import trace_of_response
from spanloom.core.errors import InvalidRequestError
from spanloom.metrics import Metrics

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


RESULT = "gen_ai.evaluation.result"


def result(**said: object) -> dict[str, object]:
    attributes = [{"key": k, "value": {"stringValue": str(v)}} for k, v in said.items()]
    return {"eventName": RESULT, "timeUnixNano": 7, "attributes": attributes}


def test_results_of_evaluations_name_their_sender() -> None:
    request = ExportLogsServiceRequest.FromString(logs(result(**{"gen_ai.evaluation.name": "n"})))
    resource = request.resource_logs[0]
    resource.resource.attributes.add(key="service.name").value.string_value = "judges"
    resource.scope_logs[0].scope.name = "judge"
    found = collect_content_events(request.SerializeToString(), Limits())
    [span] = ExportTraceServiceRequest.FromString(found.body).resource_spans[0].scope_spans[0].spans
    said = {a.key: a.value.string_value for a in span.attributes}
    assert (said["service.name"], said["otel.scope.name"]) == ("judges", "judge")


def test_a_result_may_name_a_trace_or_a_response_alone() -> None:
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    records.add(event_name=RESULT, trace_id=TRACE)
    response = records.add(event_name=RESULT, span_id=SPAN)
    response.attributes.add(key="gen_ai.response.id").value.string_value = "r"
    records.add(event_name=RESULT, span_id=SPAN)
    found = collect_content_events(request.SerializeToString(), Limits())
    spans = ExportTraceServiceRequest.FromString(found.body).resource_spans[0].scope_spans[0].spans
    assert [(s.trace_id.hex(), s.parent_span_id) for s in spans] == [
        (TRACE.hex(), b""),
        (trace_of_response("r"), b""),
    ]
    assert found.dropped == 0
    assert dict(found.findings.rejected_by_rule) == {"no_target": 1}


def test_without_content_results_pass_for_their_names_and_numbers() -> None:
    body = logs(message("secret"), result(**{"gen_ai.evaluation.name": "n"}))
    found = collect_content_events(body, Limits(), stores_content=False)
    assert found.withheld == 1
    secret = b"0" * 32
    redactor = Redactor((), secret, Metrics(), no_content=True)
    said = {
        "gen_ai.evaluation.name": "n",
        "gen_ai.evaluation.score.value": "0.75",
        "gen_ai.evaluation.score.label": "good",
        "gen_ai.evaluation.explanation": "secret",
        "spanloom.score.text": "secret",
    }
    body = collect_content_events(logs(result(**said)), Limits(), stores_content=False).body
    redaction = redactor.begin(Place.EVENT)
    kept = validate_request(body, Limits(), redaction=redaction).body
    assert b"secret" not in kept
    assert all(text in kept for text in (b"0.75", b"good", b"gen_ai.evaluation.name"))
