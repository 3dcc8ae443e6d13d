"""Sends small requests and measures the delay of each acknowledgement.

Runs in a process of its own (``benchmarks.apart.run_apart``), so that it does not share an
interpreter with the senders that flood the service.
"""

from __future__ import annotations

import time

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PAUSE_S = 0.02


def acknowledge_ms(otlp_http: str, key: str, seconds: float) -> list[float]:
    """Send for ``seconds``; return the delays in ascending order. All requests must be accepted."""
    times: list[float] = []
    headers = {"x-api-key": key, "content-type": "application/x-protobuf"}
    with httpx.Client(base_url=otlp_http, headers=headers) as client:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            body = _one_span(len(times) + 1)
            began = time.perf_counter()
            assert client.post("/v1/traces", content=body).status_code == 200
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(PAUSE_S)
    return sorted(times)


def _one_span(number: int) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.add(
        trace_id=number.to_bytes(16, "big"),
        span_id=number.to_bytes(8, "big"),
        name="quiet",
        start_time_unix_nano=1,
        end_time_unix_nano=2,
    )
    return request.SerializeToString()
