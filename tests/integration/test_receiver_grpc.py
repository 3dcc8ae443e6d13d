"""Requests that the receiver accepts or refuses over gRPC, on real sockets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.access import open_access
from tests.support.receiver import LARGE, LIMITS, ONE, ONE_SPAN, Receiver, request_of

from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.core.errors import StartupError

pytestmark = pytest.mark.service


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
    """Return the status code and the status details of a gRPC call that must fail."""
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, body, **kwargs)  # type: ignore[arg-type]  # passed on
    error = caught.value
    assert isinstance(error, grpc.Call)
    trailers = {m.key: m.value for m in error.trailing_metadata() or ()}
    details = trailers.get("grpc-status-details-bin", b"")
    return error.code(), Status.FromString(details)


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
