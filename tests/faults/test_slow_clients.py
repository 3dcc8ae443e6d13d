"""F28: slow and idle connections are cut in time, and normal senders do not notice them."""

from __future__ import annotations

import socket
import statistics
import time
from contextlib import ExitStack, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from tests.support.ledger import Outcome, make_requests
from tests.support.senders import GrpcClient, HttpClient, refusal_of
from tests.support.settling import await_under_way

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.senders import Client

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
CHECK = "/grpc.health.v1.Health/Check"
SLOW_EACH, SLOW_GRPC = 55, 60
NORMAL = 100
LIMIT_S, TIMES = 0.25, 4
"""Bound of the percentile in seconds, or, on a busy machine, as a multiple of that before or after.
The 99th also depends on other tests; slow connections that hold threads slow all requests down."""
CUT_S, DRIP_S, BUSY_S = 10.0, 0.5, 20.0
"""Seconds until a slow head or body is cut, between its bytes, and added by a busy machine."""
HEAD = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
BEGINNINGS = {
    "idle": b"",
    "slow head": HEAD,
    "slow body": HEAD + b"Content-Length: 900\r\n\r\nab",
    "idle after an answer": HEAD + b"Content-Length: 0\r\n\r\n",
}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom()
    started.wait_until_ready()
    return started


class Drip(Thread):
    """A thread with a connection that sends a byte every ``DRIP_S`` seconds until it is cut."""

    def __init__(self, address: str, beginning: bytes) -> None:
        super().__init__(daemon=True)
        host, _, port = address.removeprefix("http://").rpartition(":")
        self._connection = socket.create_connection((host, int(port)), timeout=DRIP_S)
        self._began = time.monotonic()
        self._connection.sendall(beginning)
        self.lasted_s = 0.0
        self.answer = b""

    def run(self) -> None:
        with self._connection, suppress(ConnectionError):
            while True:
                with suppress(TimeoutError):
                    self.answer = self._connection.recv(1000)
                    break
                self._connection.sendall(b"a")
        self.lasted_s = time.monotonic() - self._began


@pytest.fixture(scope="module", autouse=True)
def drips(spanloom: RunningSpanloom) -> Mapping[str, Drip]:
    """Start slow connections that last while the other tests run, to save time."""
    address = spanloom.addresses["otlp_http"]
    started = {kind: Drip(address, BEGINNINGS[kind]) for kind in ("slow head", "slow body")}
    for drip in started.values():
        drip.start()
    return started


class SlowCalls:
    """gRPC calls that send no message until they are closed."""

    def __init__(self, address: str, count: int, method: str = EXPORT) -> None:
        self._stop = Event()
        channel = grpc.insecure_channel(address.removeprefix("http://"))
        call = channel.stream_unary(method, None, None)
        self.calls = [call.future(self._nothing(), timeout=60) for _ in range(count)]
        self._channel = channel

    def close(self) -> None:
        self._stop.set()
        self._channel.close()

    def _nothing(self) -> Iterator[bytes]:
        self._stop.wait(60)
        yield from ()


@pytest.mark.parametrize(
    "percentile",
    [50, pytest.param(99, marks=pytest.mark.slow)],  # 99 on a quiet machine
)
def test_220_slow_connections_do_not_slow_the_others(
    spanloom: RunningSpanloom, percentile: int
) -> None:
    clients = normal_clients(spanloom.addresses)
    measure(clients, percentile)  # warm up
    before = measure(clients, percentile)
    host, _, port = spanloom.addresses["otlp_http"].removeprefix("http://").rpartition(":")
    with ExitStack() as slow:
        for beginning in BEGINNINGS.values():
            for _ in range(SLOW_EACH):
                connection = socket.create_connection((host, int(port)), timeout=30)
                slow.enter_context(connection)
                connection.sendall(beginning)
        slow.callback(SlowCalls(spanloom.addresses["otlp_grpc"], SLOW_GRPC).close)
        meanwhile = measure(clients, percentile)
    afterwards = measure(clients, percentile)
    for client in clients:
        client.close()
    for kind, beside, *without in zip(("gRPC", "HTTP"), meanwhile, before, afterwards, strict=True):
        assert beside <= max(LIMIT_S, TIMES * max(without)), kind


def test_slow_calls_beyond_the_bound_are_refused_with_a_hint_and_normal_ones_go_on(
    spanloom: RunningSpanloom,
) -> None:
    """There are far more calls than threads; some are refused at once, others cut in seconds."""
    slow = SlowCalls(spanloom.addresses["otlp_grpc"], 400)
    until = time.monotonic() + 20
    refusals = [refused(call) for call in slow.calls[-100:]]
    assert Outcome.REFUSED in refusals
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    request = next(make_requests("beside"))
    while client.send(request) is not Outcome.ACKNOWLEDGED:
        assert time.monotonic() < until
        time.sleep(0.1)
    client.close()
    slow.close()


def test_more_calls_at_once_than_are_handled_are_all_taken_or_told_to_try_again(
    spanloom: RunningSpanloom,
) -> None:
    target = spanloom.addresses["otlp_grpc"].removeprefix("http://")
    with grpc.insecure_channel(target) as channel:
        export = channel.unary_unary(EXPORT, None, None)
        calls = [export.future(b"", timeout=30) for _ in range(3_000)]
        outcomes = [refused(call) for call in calls]  # each error must be retryable
    assert Outcome.ACKNOWLEDGED in outcomes


def test_health_checks_that_send_nothing_hold_no_thread_for_ever(
    spanloom: RunningSpanloom,
) -> None:
    slow = SlowCalls(spanloom.addresses["otlp_grpc"], 100, CHECK)
    began = time.monotonic()
    assert {refused(call) for call in slow.calls} <= {Outcome.UNKNOWN, Outcome.REFUSED}
    assert time.monotonic() - began < CUT_S + BUSY_S
    slow.close()


def test_health_is_not_serving_while_the_process_drains(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom("serve", "--shutdown-s=30")
    spanloom.wait_until_ready()
    host, _, port = spanloom.addresses["otlp_http"].removeprefix("http://").rpartition(":")
    target = spanloom.addresses["otlp_grpc"].removeprefix("http://")
    with socket.create_connection((host, int(port)), timeout=30) as under_way:
        under_way.sendall(BEGINNINGS["slow body"])  # unfinished, so the stop waits
        await_under_way(spanloom.api)
        spanloom.process.terminate()
        until = time.monotonic() + CUT_S
        while check(target) != HealthCheckResponse.NOT_SERVING:
            assert time.monotonic() < until
            time.sleep(0.05)
        client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
        assert client.send(next(make_requests("late"))) is Outcome.REFUSED
        client.close()
        assert spanloom.process.poll() is None
    assert spanloom.process.wait(30) == 0


@pytest.mark.parametrize(("kind", "answer"), [("slow head", b""), ("slow body", b"HTTP/1.1 408 ")])
def test_a_slow_request_is_cut_after_ten_seconds(
    kind: str, answer: bytes, drips: Mapping[str, Drip]
) -> None:
    drip = drips[kind]
    drip.join(CUT_S + BUSY_S)
    assert not drip.is_alive()
    assert CUT_S - DRIP_S <= drip.lasted_s <= CUT_S + BUSY_S
    assert drip.answer[: len(answer) or None] == answer


def check(target: str) -> int:
    """Return the gRPC health status, queried over a new connection."""
    with grpc.insecure_channel(target) as channel:
        return int(HealthStub(channel).Check(HealthCheckRequest(), timeout=30).status)


def refused(call: grpc.Future[bytes]) -> Outcome:
    """Wait for the end of a gRPC call; return its outcome."""
    try:
        call.result()
    except grpc.RpcError as error:
        return refusal_of(error)
    return Outcome.ACKNOWLEDGED


def normal_clients(addresses: Mapping[str, str]) -> list[Client]:
    return [
        GrpcClient(addresses["otlp_grpc"], packed=False),
        HttpClient(addresses["otlp_http"], packed=False, as_text=False),
    ]


def measure(clients: list[Client], percentile: int) -> list[float]:
    """Return a percentile of each client's response times, in seconds."""
    return [percentile_s(client, percentile) for client in clients]


def percentile_s(client: Client, percentile: int) -> float:
    requests = make_requests(f"normal {time.monotonic_ns()}")
    times = []
    for _ in range(NORMAL):
        began = time.monotonic()
        assert client.send(next(requests)) is Outcome.ACKNOWLEDGED
        times.append(time.monotonic() - began)
    return statistics.quantiles(times, n=100)[percentile - 1]
