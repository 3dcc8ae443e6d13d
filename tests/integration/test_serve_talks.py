"""`spanloom serve` logs which services send spans, and which mistakes senders make."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import grpc
import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

WAIT_S = 20.0


def request(service: str, trace_id: bytes = b"t" * 16) -> ExportTraceServiceRequest:
    made = ExportTraceServiceRequest()
    resource = made.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    now = time.time_ns()
    span = resource.scope_spans.add().spans.add(trace_id=trace_id, span_id=b"s" * 8, name="run")
    span.start_time_unix_nano, span.end_time_unix_nano = now, now + 1
    return made


def send(spanloom: RunningSpanloom, message: ExportTraceServiceRequest) -> None:
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    headers = {"content-type": "application/x-protobuf"}
    httpx.post(url, content=message.SerializeToString(), headers=headers).raise_for_status()


def speak_grpc_to_http(spanloom: RunningSpanloom) -> None:
    target = spanloom.addresses["otlp_http"].removeprefix("http://")
    with grpc.insecure_channel(target) as channel:
        call = TraceServiceStub(channel).Export.future(request("lost"), timeout=3)
        assert call.exception() is not None


def await_line(spanloom: RunningSpanloom, event: str) -> dict[str, Any]:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        for line in map(json.loads, spanloom.log.splitlines()):
            if line["event"] == event:
                return dict(line)
        time.sleep(0.1)
    raise AssertionError(f"no {event!r} in:\n{spanloom.log}")


def test_it_greets_services_and_tells_what_senders_do_wrong(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom("serve", "--root-quiet-s=0.2")
    send(spanloom, request("travel"))
    assert await_line(spanloom, "the first spans of a service")["service"] == "travel"
    send(spanloom, request("travel", trace_id=b""))
    refused = await_line(spanloom, "spans are refused")
    assert (refused["level"], refused["spans"]) == ("warning", 1)
    speak_grpc_to_http(spanloom)
    speak_grpc_to_http(spanloom)
    wrong = await_line(spanloom, "a sender speaks gRPC to a port of HTTP")
    assert str(wrong["port"]) == spanloom.addresses["otlp_http"].rpartition(":")[2]
    assert spanloom.log.count("speaks gRPC") == 1, "at most once a minute"
    assert spanloom.stop() == 0


def test_quiet_leaves_the_warnings(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom("serve", "--quiet", "--root-quiet-s=0.2")
    send(spanloom, request("travel"))
    send(spanloom, request("travel", trace_id=b""))
    await_line(spanloom, "spans are refused")
    time.sleep(3)
    assert '"info"' not in spanloom.log
    assert spanloom.stop() == 0
