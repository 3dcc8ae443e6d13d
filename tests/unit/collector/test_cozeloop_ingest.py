"""Coze Loop's JSON becomes OTLP: times, ids, tags with their types, and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.cozeloop import decode_ingest
from spanloom.collector.intake.export import Exporter
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

SPAN: dict[str, object] = {
    "started_at_micros": 1_795_188_160_617_949,
    "duration_micros": 65_543,
    "trace_id": "7dbe9604897075f3530bfe1059121a58",
    "span_id": "5ec06c9c00b6546f",
    "parent_id": "0",
    "span_name": "ChatOpenAI",
    "span_type": "model",
    "status_code": 0,
    "input": "in",
    "output": "",
    "service_name": "",
    "tags_string": {"model_name": "gpt"},
    "tags_long": {"input_tokens": 101},
    "tags_double": None,
    "tags_bool": {"stream": True},
    "system_tags_string": {"runtime": "{}"},
}


def decode(limits: Limits, *spans: object) -> ExportTraceServiceRequest:
    body = json.dumps({"spans": spans}).encode()
    return ExportTraceServiceRequest.FromString(decode_ingest(body, limits).body)


def only_span(request: ExportTraceServiceRequest) -> Span:
    (resource,) = request.resource_spans
    (span,) = resource.scope_spans[0].spans
    return span


def test_a_span_keeps_its_ids_times_and_the_types_of_its_tags(limits: Limits) -> None:
    span = only_span(decode(limits, SPAN))
    assert span.trace_id.hex() == SPAN["trace_id"]
    assert span.span_id.hex() == SPAN["span_id"]
    assert span.parent_span_id == b""
    assert span.start_time_unix_nano == 1_795_188_160_617_949_000
    assert span.end_time_unix_nano - span.start_time_unix_nano == 65_543_000
    said = {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in span.attributes}
    assert said == {
        "cozeloop.span_type": "model",
        "cozeloop.input": "in",
        "cozeloop.tag.model_name": "gpt",
        "cozeloop.tag.input_tokens": 101,
        "cozeloop.tag.stream": True,
        "cozeloop.system_tag.runtime": "{}",
    }
    assert span.status.code == 0


def test_a_status_is_an_error_with_the_tag_s_text(limits: Limits) -> None:
    span = only_span(
        decode(limits, {**SPAN, "status_code": -1, "tags_string": {"error": "it broke"}})
    )
    assert (span.status.code, span.status.message) == (2, "it broke")


def test_services_have_resources_of_their_own(limits: Limits) -> None:
    request = decode(limits, SPAN, {**SPAN, "service_name": "shop"}, {**SPAN})
    assert [len(r.scope_spans[0].spans) for r in request.resource_spans] == [2, 1]
    assert request.resource_spans[1].resource.attributes[0].value.string_value == "shop"


@pytest.mark.parametrize("body", [b"{}", b"[]", b"x", b'{"spans":3}', b'{"spans":[3]}'])
def test_what_is_no_request_is_refused(limits: Limits, body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        decode_ingest(body, limits)


def test_a_span_without_usable_ids_is_rejected_alone(
    spool: Spool, metrics: Metrics, limits: Limits
) -> None:
    spans = [SPAN, {**SPAN, "span_id": "xyz"}, {**SPAN, "trace_id": 7}]
    exporter = Exporter(spool, metrics, limits)
    body = decode_ingest(json.dumps({"spans": spans}).encode(), limits).body
    outcome = exporter.export_traces(body, "")
    assert outcome.rejected == 2
    assert spool.depth().records == 1


def test_any_value_becomes_some_attribute(limits: Limits) -> None:
    odd = {"a": [1, {"b": None}], "b": 2**70, "c": None, "d": "", "e": 1.5, "f": False}
    span = only_span(decode(limits, {**SPAN, "tags_string": odd}))
    said = {a.key: a.value for a in span.attributes}
    assert said["cozeloop.tag.a"].string_value == '[1,{"b":null}]'
    assert "cozeloop.tag.c" not in said
    assert said["cozeloop.tag.f"].HasField("bool_value")
    nested: object = 1
    for _ in range(500):
        nested = [nested]
    with pytest.raises(InvalidRequestError):
        decode(limits, {**SPAN, "tags_string": {"deep": nested}})
