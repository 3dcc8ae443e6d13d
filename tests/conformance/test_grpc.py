"""Section B: OTLP over gRPC; docstrings of the tests are answers in ``docs/conformance.md``."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tests.conformance.samples import nested_value
from tests.support.ledger import Ledger
from tests.support.memory_of import Growth
from tests.support.otlp_door import (
    EXPORT,
    PROTOBUF,
    Door,
    invalid_request,
    make_span,
    new_trace,
    padded_request,
    request_of,
)
from tests.support.senders import Load
from tests.support.settling import check_api, check_store
from tests.support.work_of import Work

from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from tests.conformance.conftest import Locked
    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 1 << 20
LIMIT = MIB
EXHAUSTED, UNAVAILABLE = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE
QUICK = ("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")


@pytest.mark.otlp(21)
def test_a_stock_exporter(door: Door) -> None:
    """An SDK exports with only an endpoint configured; the default port is 4317."""
    assert Settings.model_fields["otlp_grpc_port"].default == 4317
    provider = TracerProvider()
    exporter = OTLPSpanExporter(endpoint=door.addresses["otlp_grpc"], insecure=True)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("t").start_as_current_span("from the SDK") as span:
        trace = f"{span.get_span_context().trace_id:032x}"
    provider.shutdown()
    assert door.names(trace, 1) == ["from the SDK"]


@pytest.mark.otlp(22, 23)
def test_the_size_of_messages(door: Door, spanloom: RunningSpanloom) -> None:
    """64 MiB (`--max-request-bytes`), also decompressed; larger ones fail without RetryInfo."""
    assert Settings.model_fields["max_request_bytes"].default == 64 * MIB
    assert door.rpc(padded_request(LIMIT)).code is grpc.StatusCode.OK
    growth = Growth(spanloom.process.pid)
    for body, compression in (
        (padded_request(LIMIT + 1), grpc.Compression.NoCompression),
        (padded_request(LIMIT + 1), grpc.Compression.Gzip),
        (bytes(256 * MIB), grpc.Compression.Gzip),
    ):
        reply = door.rpc(body, compression)
        assert (reply.code, reply.hint_s) == (EXHAUSTED, None)
    # The engine's own memory varies by tens of MiB.
    assert growth.at_most() < 64 * MIB


@pytest.mark.otlp(24)
def test_the_size_of_responses(door: Door) -> None:
    """A message names each rule once: for 100,000 rejected spans it has less than 8 KiB."""
    reply = door.rpc(invalid_request(100_000))
    response = ExportTraceServiceResponse.FromString(reply.body)
    assert response.partial_success.rejected_spans == 100_000
    assert len(reply.body) < 8192


@pytest.mark.otlp(25, 26)
def test_64_calls_at_one_time(door: Door) -> None:
    """All get the response message, and each span is stored once."""
    trace = new_trace()
    bodies = [request_of(make_span(trace, number)) for number in range(1, 65)]
    with ThreadPoolExecutor(64) as threads:
        replies = list(threads.map(door.rpc, bodies))
    assert {reply.code for reply in replies} == {grpc.StatusCode.OK}
    for reply in replies:
        assert not ExportTraceServiceResponse.FromString(reply.body).HasField("partial_success")
    assert door.names(trace, 64) == sorted(map(str, range(1, 65)))


@pytest.mark.service
@pytest.mark.otlp(27)
def test_no_room(full_door: Door) -> None:
    """UNAVAILABLE with RetryInfo while the spool is full."""
    reply = full_door.rpc(request_of(make_span(new_trace())))
    assert reply.code is UNAVAILABLE
    assert reply.hint_s is not None
    assert 1 <= reply.hint_s <= 5


@pytest.mark.otlp(28)
@pytest.mark.parametrize("body", [b"\xff" * 20, b"\x0a\x05abc", b"\x0b" * 100])
def test_bad_data(body: bytes, door: Door) -> None:
    """INVALID_ARGUMENT with BadRequest."""
    reply = door.rpc(body)
    assert (reply.code, reply.is_bad_request) == (grpc.StatusCode.INVALID_ARGUMENT, True)


@pytest.mark.otlp(29)
def test_too_much_in_flight(door: Door) -> None:
    """UNAVAILABLE with RetryInfo, counted; nothing of the request is stored."""
    counted = (
        'spanloom_export_requests_total{outcome="unavailable",signal="traces",transport="grpc"}'
    )
    before, trace = door.metric(counted), new_trace()
    span = make_span(trace)
    span.attributes.add(key="k").value.string_value = "x" * (LIMIT // 2)
    head = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n"
    head += b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(4):  # almost all of the 4 MiB in flight, as these bodies never end
            client = stack.enter_context(door.connect())
            client.sendall(head % (PROTOBUF.encode(), 1_010_000) + bytes(1_000_000))
        until = time.monotonic() + 30
        while door.metric("spanloom_in_flight_bytes ") < 4_000_000:
            assert time.monotonic() < until
            time.sleep(0.02)
        reply = door.rpc(request_of(span))
    assert reply.code is UNAVAILABLE
    assert reply.hint_s is not None
    assert door.metric(counted) == before + 1
    span.attributes.clear()
    span.name = "again"
    until = time.monotonic() + 30
    while door.rpc(request_of(span)).code is not grpc.StatusCode.OK:
        assert time.monotonic() < until
    assert door.names(trace, 1) == ["again"]


@pytest.mark.otlp(30, 31)
def test_a_full_quota(locked: Locked, full_door: Door) -> None:
    """A project over its rate or quota: RESOURCE_EXHAUSTED with RetryInfo, of 1 to 5 s."""
    body = request_of(make_span(new_trace()))
    replies = [locked.door.rpc(body, key=locked.ingest) for _ in range(2)]
    assert [reply.code for reply in replies] == [grpc.StatusCode.OK, EXHAUSTED]
    for reply in (replies[1], full_door.rpc(body)):
        assert reply.hint_s is not None
        assert 1 <= reply.hint_s <= 5


@pytest.mark.otlp(32)
def test_keys(locked: Locked) -> None:
    """No or an invalid key: UNAUTHENTICATED; no scope `ingest`: PERMISSION_DENIED."""
    replies = [locked.door.rpc(b"", key=key) for key in ("", "bad", locked.read)]
    unauthenticated = grpc.StatusCode.UNAUTHENTICATED
    codes = [unauthenticated, unauthenticated, grpc.StatusCode.PERMISSION_DENIED]
    assert [reply.code for reply in replies] == codes
    assert [reply.hint_s for reply in replies] == [None] * 3


@pytest.mark.otlp(33)
def test_other_methods(door: Door) -> None:
    """UNIMPLEMENTED; there are services for logs and metrics, not for profiles."""
    service = "/opentelemetry.proto.collector.{0}.v1.{1}Service/Export"
    profiles = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
    for method in ("/foo.Bar/Baz", EXPORT + "s", profiles):
        assert door.rpc(b"", method=method).code is grpc.StatusCode.UNIMPLEMENTED
    for names in (("logs", "Logs"), ("metrics", "Metrics")):
        assert door.rpc(b"", method=service.format(*names)).code is grpc.StatusCode.OK


@pytest.mark.otlp(34)
def test_clients_that_give_up(door: Door, spanloom: RunningSpanloom) -> None:
    """Cancelled calls are stored once or not at all; after a repeat each span is stored once."""
    trace = new_trace()
    bodies = [request_of(make_span(trace, number)) for number in range(1, 21)]
    export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = door.channel.unary_unary(
        EXPORT, None, None
    )
    for number, body in enumerate(bodies):
        call = export.future(body, timeout=30)
        time.sleep(number * 0.001)
        call.cancel()  # type: ignore[no-untyped-call]  # its stubs have no types
    assert {door.rpc(body).code for body in bodies} == {grpc.StatusCode.OK}
    assert door.names(trace, 20) == sorted(map(str, range(1, 21)))
    assert '"level":"error"' not in spanloom.log.replace(" ", "")


@pytest.mark.otlp(35)
def test_pings(door: Door) -> None:
    """Pings without calls are allowed; old connections are not closed.

    Two seconds of ten pings stand for a minute of six: a server that counts them as abuse
    closes the connection at the third.
    """
    options = [
        ("grpc.keepalive_time_ms", 200),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    target = door.addresses["otlp_grpc"].removeprefix("http://")
    states: list[grpc.ChannelConnectivity] = []
    with grpc.insecure_channel(target, options=options) as channel:
        channel.subscribe(states.append, try_to_connect=True)
        grpc.channel_ready_future(channel).result(timeout=20)
        time.sleep(2.5)
        assert states[-1] is grpc.ChannelConnectivity.READY
        assert states.count(grpc.ChannelConnectivity.READY) == 1


@pytest.mark.otlp(36)
def test_nested_values(door: Door, spanloom: RunningSpanloom) -> None:
    """Values may nest 40 levels deep; more are INVALID_ARGUMENT at once."""
    for depth, code in (
        (40, grpc.StatusCode.OK),
        (41, grpc.StatusCode.INVALID_ARGUMENT),
        (48, grpc.StatusCode.INVALID_ARGUMENT),
        (5_000, grpc.StatusCode.INVALID_ARGUMENT),
    ):
        work = Work(spanloom.process.pid)
        assert door.rpc(nested_value(depth)).code is code, depth
        assert work.spent_s() < 1  # it takes some milliseconds by design


@pytest.mark.otlp(37)
def test_health_and_the_end(start_spanloom: StartSpanloom) -> None:
    """Health is served; spans acknowledged before SIGTERM are stored once after a restart."""
    ledger = Ledger()
    first = start_spanloom(*QUICK)
    with grpc.insecure_channel(first.addresses["otlp_grpc"].removeprefix("http://")) as channel:
        health = HealthStub(channel).Check(HealthCheckRequest(), timeout=20)
        assert health.status == HealthCheckResponse.SERVING
    with Load(first.addresses, ledger, "until the end") as load:
        time.sleep(0.3)
        assert first.stop() == 0
        load.wait_until_refused(30)
    account = ledger.account()
    assert account.acknowledged
    second = start_spanloom(*QUICK)
    in_api = check_api(second.api, account)
    assert second.stop() == 0
    check_store(Path(second.addresses["data_dir"]), account, in_api)
