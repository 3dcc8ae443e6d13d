"""Requests that the receiver accepts over HTTP, on real sockets, and its answers."""

from __future__ import annotations

import gzip
import socket

import orjson
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.receiver import (
    JSON,
    LIMITS,
    ONE,
    ONE_JSON,
    ONE_SPAN,
    PROTOBUF,
    SPAN_HEX,
    TRACE_HEX,
    Receiver,
    request_of,
)

pytestmark = pytest.mark.service


class TestHttp:
    def test_success(self, receiver: Receiver) -> None:
        answer = receiver.post(ONE)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-type"] == PROTOBUF
        assert receiver.stored() == [ONE]

    def test_json_stores_what_protobuf_does(self, receiver: Receiver) -> None:
        answer = receiver.post(ONE_JSON, JSON)
        assert (answer.status_code, answer.content) == (200, b"{}")
        assert answer.headers["content-type"] == JSON
        [stored] = receiver.stored()
        expected = ExportTraceServiceRequest.FromString(ONE)
        assert ExportTraceServiceRequest.FromString(stored) == expected

    @pytest.mark.parametrize("coding", ["gzip", "identity"])
    def test_codings(self, coding: str, receiver: Receiver) -> None:
        body = gzip.compress(ONE) if coding == "gzip" else ONE
        assert receiver.post(body, coding=coding).status_code == 200
        assert receiver.stored() == [ONE]

    @pytest.mark.parametrize(
        "kind",
        ["APPLICATION/JSON", "application/json; charset=utf-8", "Application/X-Protobuf;x=y"],
    )
    def test_media_types_in_any_writing(self, kind: str, receiver: Receiver) -> None:
        body = ONE_JSON if "json" in kind.lower() else ONE
        assert receiver.post(body, kind).status_code == 200

    @pytest.mark.parametrize(("body", "kind"), [(b"", PROTOBUF), (b"{}", JSON)])
    def test_nothing_is_a_success(self, body: bytes, kind: str, receiver: Receiver) -> None:
        answer = receiver.post(body, kind)
        assert (answer.status_code, answer.content) == (200, body)

    @pytest.mark.parametrize("path", ["/v1/logs", "/v1/metrics"])
    def test_logs_and_metrics_are_taken(self, path: str, receiver: Receiver) -> None:
        assert receiver.post(b"{}", JSON, path=path).content == b"{}"
        assert receiver.post(b"", path=path).status_code == 200

    def test_partial_success(self, receiver: Receiver) -> None:
        answer = receiver.post(request_of(ONE_SPAN, Span(span_id=b"x" * 8)))
        partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
        assert (answer.status_code, partial.rejected_spans) == (200, 1)
        assert "trace_id" in partial.error_message
        assert receiver.stored() == [ONE]

    def test_partial_success_of_logs(self, receiver: Receiver) -> None:
        event = {"eventName": "gen_ai.choice", "traceId": TRACE_HEX, "spanId": "ab"}
        logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [event]}]}]}
        answer = receiver.post(orjson.dumps(logs), JSON, path="/v1/logs")
        partial = answer.json()["partialSuccess"]
        assert (answer.status_code, partial["rejectedLogRecords"]) == (200, "1")
        assert "span_id" in partial["errorMessage"]
        assert receiver.stored() == []

    @pytest.mark.parametrize("trace_id", ["xyz", TRACE_HEX[:-1], "W47/95gDgQPSabYzgT/GDA==", ""])
    def test_a_malformed_id_in_json_rejects_its_span(
        self, trace_id: str, receiver: Receiver
    ) -> None:
        body = ONE_JSON.replace(TRACE_HEX.encode(), trace_id.encode())
        answer = receiver.post(body, JSON)
        assert answer.status_code == 200
        assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"
        assert receiver.stored() == []

    def test_answers_are_compressed_where_asked_and_worth_it(self, receiver: Receiver) -> None:
        changed = Span(trace_id=b"t" * 16, span_id=b"s" * 8, parent_span_id=b"p")
        changed.attributes.add(key="k" * 1000)
        changed.links.extend(Span.Link() for _ in range(LIMITS.max_links + 1))
        body = request_of(Span(), Span(trace_id=b"t" * 16), changed)
        packed = receiver.post(body, accept_encoding="br, gzip;q=0.5")
        plain = receiver.post(body, accept_encoding="gzip;q=0")
        small = receiver.post(ONE, accept_encoding="gzip")
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.content == plain.content  # the client has inflated it
        assert "content-encoding" not in plain.headers
        assert "content-encoding" not in small.headers

    def test_a_client_that_leaves_stores_nothing(self, receiver: Receiver) -> None:
        with socket.create_connection(("127.0.0.1", receiver.http_port), timeout=5) as client:
            client.sendall(
                b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/x-protobuf\r\n"
                b"Content-Length: 1000\r\n\r\n" + ONE
            )
        assert receiver.post(b"").status_code == 200
        assert receiver.stored() == []

    def test_requests_are_counted(self, receiver: Receiver) -> None:
        receiver.post(ONE)
        receiver.post(b"\xff")
        text = receiver.metrics.render().decode()
        for outcome in ("success", "invalid"):
            labels = f'outcome="{outcome}",signal="traces",transport="http"'
            assert f"spanloom_export_requests_total{{{labels}}} 1.0" in text

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/v1/traces", b"{}"),
            ("/v1/logs", b'{"resourceLogs":[]}'),
            ("/v1/metrics", b'{"resourceMetrics":[]}'),
            ("/v1/loop/traces/ingest", b'{"spans":[]}'),
        ],
    )
    def test_bytes_and_acknowledgements_of_every_door_are_counted(
        self, path: str, body: bytes, receiver: Receiver
    ) -> None:
        assert receiver.post(gzip.compress(body), JSON, "gzip", path).status_code == 200
        text = receiver.metrics.render().decode()
        assert f"spanloom_received_bytes_total {float(len(body))}" in text
        assert "spanloom_acknowledge_seconds_count 1.0" in text

    @pytest.mark.parametrize(
        "bad",
        [{"started_at_micros": "soon"}, {"started_at_micros": -1}, {"duration_micros": 2**63}],
        ids=str,
    )
    def test_a_bad_time_of_a_coze_span_drops_that_span_alone(
        self, bad: dict[str, object], receiver: Receiver
    ) -> None:
        good = {"trace_id": TRACE_HEX, "span_id": SPAN_HEX, "span_name": "good"}
        body = orjson.dumps({"spans": [good, good | bad | {"span_id": "ab" * 8}]})
        answer = receiver.post(body, JSON, path="/v1/loop/traces/ingest")
        assert (answer.status_code, answer.json()["code"]) == (200, 0)
        assert "times must be" in answer.json()["msg"]
        [stored] = receiver.stored()
        [group] = ExportTraceServiceRequest.FromString(stored).resource_spans
        assert [span.name for span in group.scope_spans[0].spans] == ["good"]
        rejected = 'spanloom_spans_rejected_total{rule="time"} 1.0'
        assert rejected in receiver.metrics.render().decode()
