"""Many small bodies that inflate to a lot: memory is bounded, and other requests are served.

The bound is 4 MiB; each of the bodies has 32 KB and inflates to 32 MiB.
"""

from __future__ import annotations

import gzip
import re
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.memory_of import own_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 1 << 20
BOUND, INFLATED = 4 * MIB, 32 * MIB
MAX_GROWTH = 160 * MIB
"""Tens of MiB for the engine's own memory; 24 such bodies at once would inflate to 768 MiB."""
ATTACKERS, FOR_S = 24, 0.5
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
GZIP = {"Content-Encoding": "gzip"}
PATHS = {
    "/v1/traces": PROTOBUF,
    "/v1/logs": PROTOBUF,
    "/v1/metrics": JSON,
    "/v1/loop/traces/ingest": JSON,
    "/v1/loop/files/upload": {},
    "/api/public/otel/v1/traces": JSON,
    "/api/public/ingestion": JSON,
}
BOMB = gzip.compress(b" " * INFLATED)


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(env={"SPANLOOM_MAX_IN_FLIGHT_BYTES": str(BOUND)})
    started.wait_until_ready()
    for _ in range(3):  # the process keeps some memory after its first work
        assert post_normal(started) == 200
    return started


def one_span() -> bytes:
    request = ExportTraceServiceRequest()
    span = Span(trace_id=b"t" * 16, span_id=b"s" * 8, name="normal")
    request.resource_spans.add().scope_spans.add().spans.append(span)
    return request.SerializeToString()


def post_normal(spanloom: RunningSpanloom) -> int:
    """Send one span, again after each 503 as exporters do, and return the last HTTP status."""
    url = spanloom.addresses["otlp_http"] + "/v1/traces"
    until = time.monotonic() + 60
    while True:
        answer = httpx.post(url, content=one_span(), headers=PROTOBUF, timeout=60)
        if answer.status_code != 503 or time.monotonic() > until:
            return answer.status_code
        assert int(answer.headers["retry-after"]) >= 1
        time.sleep(0.05)


def attack_http(spanloom: RunningSpanloom, stop: Event, number: int) -> set[int]:
    """Post bombs to each path in turn until ``stop``; return the HTTP statuses of the answers."""
    seen: set[int] = set()
    paths = list(PATHS.items())
    with httpx.Client(base_url=spanloom.addresses["otlp_http"], timeout=30) as client:
        while not stop.is_set():
            path, headers = paths[number % len(paths)]
            answer = client.post(path, content=BOMB, headers=headers | GZIP)
            seen.add(answer.status_code)
            if answer.status_code == 503:
                assert int(answer.headers["retry-after"]) >= 1
            number += 1
    return seen


def attack_grpc(spanloom: RunningSpanloom, stop: Event, _: int) -> set[int]:
    """Call ``Export`` with bombs until ``stop``; return the gRPC status codes of the answers."""
    seen: set[int] = set()
    with grpc.insecure_channel(spanloom.addresses["otlp_grpc"].removeprefix("http://")) as channel:
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(EXPORT, None, None)
        while not stop.is_set():
            with pytest.raises(grpc.RpcError) as caught:
                export(b" " * INFLATED, timeout=30, compression=grpc.Compression.Gzip)
            assert isinstance(caught.value, grpc.Call)
            trailers = {m.key: m.value for m in caught.value.trailing_metadata() or ()}
            status = Status.FromString(trailers["grpc-status-details-bin"])
            assert any(detail.Is(RetryInfo.DESCRIPTOR) for detail in status.details)
            seen.add(caught.value.code().value[0])
    return seen


@pytest.mark.parametrize(
    ("attack", "attackers", "answers"),
    [
        pytest.param(attack_http, ATTACKERS, {503}, id="HTTP"),
        pytest.param(attack_grpc, ATTACKERS // 4, {14}, id="gRPC"),
    ],
)
def test_memory_stays_bounded_and_neighbours_are_answered(
    attack: Callable[[RunningSpanloom, Event, int], set[int]],
    attackers: int,
    answers: set[int],
    spanloom: RunningSpanloom,
) -> None:
    before = own_bytes(spanloom.process.pid)
    stop = Event()
    peak, answered = before, []
    with ThreadPoolExecutor(attackers) as threads:
        attacks = [threads.submit(attack, spanloom, stop, n) for n in range(attackers)]
        until = time.monotonic() + FOR_S
        while time.monotonic() < until:
            answered.append(post_normal(spanloom))
            peak = max(peak, own_bytes(spanloom.process.pid))
        stop.set()
    seen: set[int] = set().union(*(attack.result() for attack in attacks))
    assert seen == answers
    assert set(answered) == {200}
    assert peak - before < MAX_GROWTH
    assert in_flight_bytes(spanloom) == 0


def in_flight_bytes(spanloom: RunningSpanloom) -> float:
    """Return the metric, once it is 0 or 30 s have passed, as some answers may be under way."""
    until = time.monotonic() + 30
    while True:
        text = httpx.get(f"{spanloom.api}/metrics").text
        found = re.search(r"^spanloom_in_flight_bytes (\S+)$", text, re.MULTILINE)
        assert found is not None
        if float(found[1]) == 0 or time.monotonic() > until:
            return float(found[1])
        time.sleep(0.05)
