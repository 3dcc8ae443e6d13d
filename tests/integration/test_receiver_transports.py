"""Bytes in over real sockets, acknowledged: gRPC and HTTP, good requests and bad ones."""

from __future__ import annotations

import gzip
import socket
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

import grpc
import httpx
import orjson
import pytest
import uvicorn
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.access import open_access

from spanloom.collector.doors.http import create_app
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.spool.spool import Spool
from spanloom.core.errors import StartupError
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

PROTOBUF, JSON = "application/x-protobuf", "application/json"
TRACE_HEX, SPAN_HEX = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
LIMITS = Limits(max_request_bytes=100_000, max_spans=1_000, workers=8)
ONE_JSON = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%s","name":"n"}]}]}]}'
    % (TRACE_HEX.encode(), SPAN_HEX.encode())
)


def request_of(*spans: Span) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return request.SerializeToString()


ONE_SPAN = Span(trace_id=bytes.fromhex(TRACE_HEX), span_id=bytes.fromhex(SPAN_HEX), name="n")
ONE = request_of(ONE_SPAN)
LARGE = request_of(*[ONE_SPAN] * 1_001)


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return packer.compress(bytes(size)) + packer.flush()


@dataclass
class Receiver:
    exporter: Exporter
    spool: Spool
    metrics: Metrics
    grpc_port: int
    http_port: int
    http: httpx.Client
    grpc_receiver: GrpcReceiver

    def post(
        self,
        body: bytes,
        kind: str | None = PROTOBUF,
        coding: str = "",
        path: str = "/v1/traces",
        **headers: str,
    ) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {"content-type": kind} if kind is not None else {}
        named |= {"content-encoding": coding} if coding else {}
        return self.http.post(path, content=body, headers=named)

    def stored(self) -> list[bytes]:
        """Return the requests in the spool, without the project that intake wrote."""
        requests = [
            ExportTraceServiceRequest.FromString(record.body)
            for record in self.spool.read_batch(1 << 30)
        ]
        for request in requests:
            request.DiscardUnknownFields()
        return [request.SerializeToString() for request in requests]


@pytest.fixture
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    metrics = Metrics()
    spool = Spool(tmp_path_factory.mktemp("spool") / "spool.sqlite", 1 << 30, metrics)
    exporter = Exporter(spool, metrics, LIMITS)
    authenticator = open_access().authenticator
    grpc_receiver = GrpcReceiver(exporter, "127.0.0.1", 0, LIMITS, authenticator)
    grpc_receiver.start()
    grpc_port = grpc_receiver.port
    config = uvicorn.Config(
        create_app(exporter, LIMITS, authenticator),
        host="127.0.0.1",
        port=0,
        log_level="error",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    until = monotonic() + 10
    while not server.started and monotonic() < until:
        sleep(0.005)
    http_port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{http_port}") as client:
        yield Receiver(exporter, spool, metrics, grpc_port, http_port, client, grpc_receiver)
    server.should_exit = True
    thread.join()
    grpc_receiver.stop(0)
    spool.close()


@pytest.fixture
def channel(receiver: Receiver) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{receiver.grpc_port}") as opened:
        yield opened


def call(
    channel: grpc.Channel,
    body: bytes,
    signal: str = "trace",
    compression: grpc.Compression = grpc.Compression.NoCompression,
) -> bytes:
    method = f"/opentelemetry.proto.collector.{signal}.v1.{signal.capitalize()}Service/Export"
    export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method, None, None)
    return export(body, timeout=10, compression=compression)


def refusal(channel: grpc.Channel, body: bytes, **kwargs: object) -> tuple[grpc.StatusCode, Status]:
    """Return the status of a call that must fail."""
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, body, **kwargs)  # type: ignore[arg-type]  # passed on
    error = caught.value
    assert isinstance(error, grpc.Call)
    trailers = {m.key: m.value for m in error.trailing_metadata() or ()}
    details = trailers.get("grpc-status-details-bin", b"")
    return error.code(), Status.FromString(details)


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

    @pytest.mark.parametrize(
        ("body", "kind", "coding"),
        [
            pytest.param(b"\xff" * 20, PROTOBUF, "", id="random bytes"),
            pytest.param(ONE[:-3], PROTOBUF, "", id="truncated"),
            pytest.param(b"\x0a\xff\xff\xff\xff\x0f", PROTOBUF, "", id="length overflow"),
            pytest.param(b"\x0b" * 1000, PROTOBUF, "", id="groups"),
            pytest.param(ONE.replace(b"n", b"\xff"), PROTOBUF, "", id="not UTF-8"),
            pytest.param(ONE_JSON, PROTOBUF, "", id="JSON as protobuf"),
            pytest.param(ONE, JSON, "", id="protobuf as JSON"),
            pytest.param(b"", JSON, "", id="empty JSON"),
            pytest.param(b"[]", JSON, "", id="JSON array"),
            pytest.param(ONE_JSON + b"x", JSON, "", id="trailing data"),
            pytest.param(b"[" * 50_000, JSON, "", id="deep JSON"),
            pytest.param(ONE, PROTOBUF, "gzip", id="plain body called gzip"),
            pytest.param(gzip.compress(ONE)[:-4], PROTOBUF, "gzip", id="truncated gzip"),
            pytest.param(gzip.compress(b"") * 100, PROTOBUF, "gzip", id="many members"),
        ],
    )
    def test_bad_input_is_400_with_a_status(
        self, body: bytes, kind: str, coding: str, receiver: Receiver
    ) -> None:
        answer = receiver.post(body, kind, coding)
        assert (answer.status_code, answer.headers["content-type"]) == (400, kind)
        if kind == JSON:
            assert answer.json()["details"][0]["@type"].endswith("google.rpc.BadRequest")
        else:
            status = Status.FromString(answer.content)
            assert status.message
            assert status.details[0].Is(BadRequest.DESCRIPTOR)
        assert receiver.post(ONE).status_code == 200, "the connection stays usable"

    @pytest.mark.parametrize(
        ("body", "coding"),
        [
            pytest.param(bytes(LIMITS.max_request_bytes + 1), "", id="plain"),
            pytest.param(bomb(64 << 20), "gzip", id="bomb"),
            pytest.param(b"\x0a\x00" * 10_001, "", id="resources"),
            pytest.param(LARGE, "", id="spans"),
        ],
    )
    def test_too_much_is_413(self, body: bytes, coding: str, receiver: Receiver) -> None:
        answer = receiver.post(body, coding=coding)
        assert (answer.status_code, answer.headers["connection"]) == (413, "close")
        assert "retry-after" not in answer.headers
        assert Status.FromString(answer.content).code == 8

    def test_the_limit_itself_is_allowed(self, receiver: Receiver) -> None:
        # An unknown field fills the request up to the limit.
        filler = LIMITS.max_request_bytes - len(ONE) - 5
        body = (
            ONE + b"\xa2\x06" + bytes([filler & 127 | 128, filler >> 7 & 127 | 128, filler >> 14])
        )
        body += bytes(filler)
        assert len(body) == LIMITS.max_request_bytes
        assert receiver.post(body).status_code == 200

    def test_a_chunked_body_is_bounded_while_it_streams(self, receiver: Receiver) -> None:
        chunks = (bytes(10_000) for _ in range(1_000))
        answer = receiver.http.post("/v1/traces", content=chunks, headers={"content-type": JSON})
        assert answer.status_code == 413
        assert answer.json()["code"] == 8

    def test_a_large_content_length_is_refused_before_the_body(self, receiver: Receiver) -> None:
        with socket.create_connection(("127.0.0.1", receiver.http_port), timeout=5) as client:
            client.sendall(
                b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 10737418240\r\n\r\n"
            )
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 413 ")

    @pytest.mark.parametrize("kind", [None, "invalid", "text/plain", "multipart/form-data"])
    def test_other_media_types_are_415(self, kind: str | None, receiver: Receiver) -> None:
        answer = receiver.post(ONE, kind)
        assert (answer.status_code, answer.headers["content-type"]) == (415, JSON)
        assert PROTOBUF in answer.json()["message"]

    @pytest.mark.parametrize("coding", ["br", "gzip, gzip", "junk"])
    def test_other_codings_are_415(self, coding: str, receiver: Receiver) -> None:
        assert receiver.post(ONE, coding=coding).status_code == 415

    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
    def test_other_methods_are_405(self, method: str, receiver: Receiver) -> None:
        answer = receiver.http.request(method, "/v1/traces")
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")

    def test_other_paths_are_404(self, receiver: Receiver) -> None:
        answer = receiver.post(ONE, path="/v2/traces")
        assert answer.status_code == 404
        assert "/v1/traces" in Status.FromString(answer.content).message

    def test_shutting_down_is_503_with_a_hint(self, receiver: Receiver) -> None:
        receiver.exporter.close()
        answer = receiver.post(ONE)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert Status.FromString(answer.content).details[0].Is(RetryInfo.DESCRIPTOR)

    def test_a_fault_of_ours_is_500_and_tells_nothing(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(receiver.spool, "put", lambda *_: 1 / 0)
        answer = receiver.post(ONE_JSON, JSON)
        assert answer.status_code == 500
        assert "division" not in answer.text

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
                b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
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


class TestGrpc:
    def test_the_health_service_tells_until_the_end(
        self, receiver: Receiver, channel: grpc.Channel
    ) -> None:
        health = HealthStub(channel)
        service = "opentelemetry.proto.collector.trace.v1.TraceService"
        for name in ("", service):
            answer = health.Check(HealthCheckRequest(service=name), timeout=10)
            assert answer.status == HealthCheckResponse.SERVING
        watched = health.Watch(HealthCheckRequest(service=service), timeout=30)
        assert next(watched).status == HealthCheckResponse.SERVING
        stopping = Thread(target=receiver.grpc_receiver.stop, args=(5,))
        stopping.start()
        assert next(watched).status == HealthCheckResponse.NOT_SERVING
        watched.cancel()
        stopping.join()

    @pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
    def test_success(
        self, compression: grpc.Compression, receiver: Receiver, channel: grpc.Channel
    ) -> None:
        assert call(channel, ONE, compression=compression) == b""
        assert receiver.stored() == [ONE]

    @pytest.mark.parametrize("signal", ["trace", "logs", "metrics"])
    def test_nothing_is_a_success(self, signal: str, channel: grpc.Channel) -> None:
        assert call(channel, b"", signal) == b""

    def test_partial_success(self, receiver: Receiver, channel: grpc.Channel) -> None:
        response = ExportTraceServiceResponse.FromString(
            call(channel, request_of(ONE_SPAN, *[Span()] * 900))
        )
        assert response.partial_success.rejected_spans == 900
        assert response.ByteSize() < 8192
        assert receiver.stored() == [ONE]

    @pytest.mark.parametrize("body", [b"\xff" * 20, ONE[:-3], b"\x0b" * 1000])
    def test_bad_input_is_invalid_argument(self, body: bytes, channel: grpc.Channel) -> None:
        code, status = refusal(channel, body)
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert status.details[0].Is(BadRequest.DESCRIPTOR)

    @pytest.mark.parametrize(
        ("body", "compression"),
        [
            pytest.param(bytes(100_001), grpc.Compression.NoCompression, id="plain"),
            pytest.param(bytes(16 << 20), grpc.Compression.Gzip, id="bomb"),
            pytest.param(LARGE, grpc.Compression.NoCompression, id="spans"),
        ],
    )
    def test_too_much_is_exhausted_for_good(
        self, body: bytes, compression: grpc.Compression, channel: grpc.Channel
    ) -> None:
        code, status = refusal(channel, body, compression=compression)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert not any(detail.Is(RetryInfo.DESCRIPTOR) for detail in status.details)

    def test_shutting_down_is_unavailable_with_a_hint(
        self, receiver: Receiver, channel: grpc.Channel
    ) -> None:
        receiver.exporter.close()
        code, status = refusal(channel, ONE)
        assert code is grpc.StatusCode.UNAVAILABLE
        hint = RetryInfo()
        assert status.details[0].Unpack(hint)
        assert 1 <= hint.retry_delay.seconds <= 5

    def test_unknown_methods_are_unimplemented(self, channel: grpc.Channel) -> None:
        unknown: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/foo.Bar/Baz", None, None
        )
        with pytest.raises(grpc.RpcError) as caught:
            unknown(b"", timeout=5)
        assert isinstance(caught.value, grpc.Call)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED

    def test_many_calls_at_one_time(self, receiver: Receiver, channel: grpc.Channel) -> None:
        bodies = [
            request_of(Span(trace_id=b"t" * 16, span_id=n.to_bytes(8, "big"))) for n in range(1, 65)
        ]
        with ThreadPoolExecutor(64) as threads:
            answers = list(threads.map(lambda body: call(channel, body), bodies))
        assert answers == [b""] * 64
        assert sorted(receiver.stored()) == sorted(bodies)

    def test_a_port_in_use_ends_the_start_in_one_line(self, receiver: Receiver) -> None:
        second = GrpcReceiver(
            receiver.exporter, "127.0.0.1", receiver.grpc_port, LIMITS, open_access().authenticator
        )
        with pytest.raises(StartupError, match=rf"127\.0\.0\.1:{receiver.grpc_port}"):
            second.start()
