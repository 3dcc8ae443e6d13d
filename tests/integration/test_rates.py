"""One project floods every receiver port; another is acknowledged as if it were alone."""

from __future__ import annotations

import gzip
import threading
import time
from statistics import quantiles
from typing import TYPE_CHECKING, Self

import grpc
import httpx
import pytest
from benchmarks.apart import run_apart
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.quiet_sender import acknowledge_ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom, Tell

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
RATE = 200
"""Maximum rate of one project, in spans per second."""
LIMIT_MS = 250
BOMB = gzip.compress(b" " * (70 << 20))


def request(spans: int, seed: int) -> bytes:
    made = ExportTraceServiceRequest()
    made.resource_spans.add().scope_spans.add().spans.extend(
        Span(
            trace_id=seed.to_bytes(16, "big"),
            span_id=number.to_bytes(8, "big"),
            name="flood" * 20,
            start_time_unix_nano=1,
            end_time_unix_nano=2,
        )
        for number in range(1, spans + 1)
    )
    return made.SerializeToString()


def percentile_ms(service: RunningSpanloom, key: str, percentile: int, seconds: float) -> float:
    """Send small requests from another process; return a percentile of their times, in ms."""
    times = run_apart(acknowledge_ms, service.addresses["otlp_http"], key, seconds)
    return quantiles(times, n=100)[percentile - 1]


class Flood:
    """Senders that send as fast as they are answered, over HTTP and gRPC."""

    def __init__(self, service: RunningSpanloom, key: str) -> None:
        self._addresses = service.addresses
        self._key = key
        self._stopping = threading.Event()
        self.statuses: list[int] = []
        self.hints: list[float] = []
        senders = (self._over_http, self._over_http, self._over_grpc)
        self._threads = [threading.Thread(target=sender) for sender in senders]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _over_http(self) -> None:
        headers = {
            "x-api-key": self._key,
            "content-type": "application/x-protobuf",
            "content-encoding": "gzip",
        }
        body = gzip.compress(request(2_000, 1 << 64))
        with httpx.Client(base_url=self._addresses["otlp_http"], headers=headers) as client:
            while not self._stopping.is_set():
                answer = client.post("/v1/traces", content=body, timeout=60)
                self.statuses.append(answer.status_code)
                if answer.status_code == 429:
                    self.hints.append(float(answer.headers["retry-after"]))

    def _over_grpc(self) -> None:
        body = request(2_000, 2 << 64)
        with grpc.insecure_channel(self._addresses["otlp_grpc"].removeprefix("http://")) as opened:
            export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = opened.unary_unary(
                EXPORT, None, None
            )
            while not self._stopping.is_set():
                call = export.future(body, timeout=60, metadata=(("x-api-key", self._key),))
                if call.exception() is None:
                    self.statuses.append(200)
                    continue
                assert call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED, call.details()
                details = dict(call.trailing_metadata() or ())["grpc-status-details-bin"]
                assert isinstance(details, bytes)
                hint = RetryInfo()
                assert Status.FromString(details).details[0].Unpack(hint)
                self.statuses.append(429)
                self.hints.append(hint.retry_delay.seconds)


def ingest_key(run_spanloom: RunSpanloom, project: str, data: Path) -> str:
    arguments = (f"--project={project}", "--scopes=ingest", f"--data-dir={data}")
    return run_spanloom("keys", "create", *arguments).stdout.strip()


def post_bomb(service: RunningSpanloom, key: str) -> int:
    """Send 70 MiB of blanks, gzipped to 70 KB, over HTTP; return the status."""
    headers = {"x-api-key": key, "content-type": "application/x-protobuf"}
    url = f"{service.addresses['otlp_http']}/v1/traces"
    return httpx.post(
        url, content=BOMB, headers=headers | {"content-encoding": "gzip"}, timeout=60
    ).status_code


def call_with_bomb(service: RunningSpanloom, key: str) -> int:
    """Send the same bomb over gRPC; return the equivalent HTTP status."""
    with grpc.insecure_channel(service.addresses["otlp_grpc"].removeprefix("http://")) as opened:
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = opened.unary_unary(EXPORT, None, None)
        call = export.future(BOMB, timeout=60, metadata=(("x-api-key", key),))
        assert call.exception() is not None
        told = dict(call.trailing_metadata() or ())["grpc-status-details-bin"]
    assert isinstance(told, bytes)
    has_hint = bool(Status.FromString(told).details)  # only rate limits have a retry hint
    return 429 if has_hint else 413


@pytest.mark.parametrize("send", [post_bomb, call_with_bomb])
def test_bombs_are_counted_by_what_they_were_inflated_to(
    send: Callable[[RunningSpanloom, str], int],
    start_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    loud, quiet = (ingest_key(run_spanloom, project, data) for project in ("loud", "quiet"))
    service = start_spanloom("serve", f"--project-bytes-per-s={1 << 20}", data_dir=data)
    service.wait_until_ready()
    assert [send(service, loud) for _ in range(3)] == [413, 429, 429]
    assert send(service, quiet) == 413, "another project's"


@pytest.mark.parametrize(
    ("percentile", "times"),
    [(50, 5), pytest.param(99, 1, marks=pytest.mark.slow)],  # on a quiet machine
)
def test_a_flood_is_refused_with_a_hint_and_costs_the_other_project_nothing(
    start_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
    tell: Tell,
    percentile: int,
    times: int,
) -> None:
    data = tmp_path / "data"
    loud, quiet = (ingest_key(run_spanloom, project, data) for project in ("loud", "quiet"))
    service = start_spanloom("serve", f"--project-spans-per-s={RATE}", data_dir=data)
    service.wait_until_ready()
    alone_ms = percentile_ms(service, quiet, percentile, 2)
    began = time.monotonic()
    with Flood(service, loud) as flood:
        beside_ms = percentile_ms(service, quiet, percentile, 5)
    lasted_s = time.monotonic() - began
    alone_ms = max(alone_ms, percentile_ms(service, quiet, percentile, 2))  # other load may vary
    tell(
        f"quiet project, p{percentile}: alone {alone_ms:.0f} ms, beside a flood {beside_ms:.0f} ms"
    )
    assert beside_ms < max(LIMIT_MS, times * alone_ms)
    assert flood.statuses.count(429) > flood.statuses.count(200)
    assert set(flood.statuses) == {200, 429}
    assert all(1 <= hint <= 5 for hint in flood.hints)
    # Added are the burst of 2 s, and one request over the limit by each of the three senders.
    assert flood.statuses.count(200) * 2_000 <= RATE * (lasted_s + 2) + 3 * 2_000
