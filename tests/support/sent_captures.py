"""Sends captured runs to a started service as their SDKs did, and measures the results."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import httpx
from tests.support.ground_truth import MEASURES, Answer, measure, print_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.conftest import RunningSpanloom, Tell
    from tests.support.ground_truth import Capture, Json, Measures

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
WHOLLY_TAKEN = {b"", b'{"code":0,"msg":""}'}
DEADLINE_S = 120.0
SETTLE_S = 10.0
SENDERS = 8
QUICK = {"SPANLOOM_NO_ROOT_QUIET_S": "3", "SPANLOOM_ROOT_QUIET_S": "0.5"}
MANY = {**QUICK, "SPANLOOM_POLL_S": "1", "SPANLOOM_BATCH_WAIT_S": "0.5"}
"""For hundreds of runs: many are built at a time, which reduces the work to a third."""


def send(spanloom: RunningSpanloom, capture: Capture) -> None:
    """Send a run over the protocol of its recording."""
    if capture.over_grpc:
        _send_grpc(spanloom.addresses["otlp_grpc"], capture)
        return
    with httpx.Client(base_url=spanloom.addresses["otlp_http"]) as client:
        if logs := capture.logs():
            headers = {"Content-Type": "application/x-protobuf"}
            assert client.post("/v1/logs", content=logs, headers=headers).status_code == 200
        for path, kind, body in capture.posts():
            answer = client.post(path, content=body, headers={"Content-Type": kind})
            assert answer.is_success
            assert answer.content in WHOLLY_TAKEN or answer.json()["errors"] == []


def send_all(spanloom: RunningSpanloom, captures: Iterable[Capture]) -> None:
    """Send several runs concurrently, each request by request."""
    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(lambda capture: send(spanloom, capture), captures))


def _send_grpc(address: str, capture: Capture) -> None:
    with grpc.insecure_channel(address.removeprefix("http://")) as channel:
        export = channel.unary_unary(EXPORT, request_serializer=None, response_deserializer=None)
        for request in capture.requests():
            assert export(request, timeout=20) == b""


def documents_of(
    taker: RunningSpanloom, reader: RunningSpanloom, captures: Sequence[Capture], tell: Tell
) -> dict[str, Json]:
    """Send the runs and assert that all are right; return the documents by trace id."""
    send_all(taker, captures)
    deadline = time.monotonic() + DEADLINE_S
    with httpx.Client(base_url=reader.api, timeout=20) as api:
        results = {c: measure_settled(api, c, deadline) for c in captures}
        found = {trace: _document(api, trace) for c in captures for trace in c.spans_by_trace}
    tell("scenarios that are right\n" + print_matrix(results))
    assert {c.id: r for c, r in results.items() if any(r.values())} == {}
    return found


def measure_settled(
    api: httpx.Client,
    capture: Capture,
    deadline: float,
    measures: Measures = MEASURES,
) -> dict[str, list[str]]:
    """Measure until all is right or time is up: duplicate reports are marked a moment later."""
    patience = float("inf")
    while True:
        answers = [
            _await_answer(api, trace_id, count, deadline)
            for trace_id, count in capture.spans_by_trace.items()
        ]
        measured = measure(capture, answers, measures)
        patience = min(patience, time.monotonic() + SETTLE_S)
        if not any(measured.values()) or time.monotonic() > patience:
            return measured
        time.sleep(0.2)


def _await_answer(api: httpx.Client, trace_id: str, span_count: int, deadline: float) -> Answer:
    """Wait until the trajectory shows every span and is settled."""
    while time.monotonic() < deadline:
        found = api.get(f"/v1/trajectories/{trace_id}")
        if found.status_code == 200:
            document = found.json()
            extraction = document["extraction"]
            if extraction["span_count"] == span_count and extraction["status"] != "live":
                spans = api.get(f"/v1/trajectories/{trace_id}/spans").json()["spans"]
                return Answer(document, spans)
        time.sleep(0.2)
    raise AssertionError(f"{trace_id} was not extracted within {DEADLINE_S} s")


def _document(api: httpx.Client, trace_id: str) -> Json:
    """Return the document without the number of its builds."""
    found: Json = api.get(f"/v1/trajectories/{trace_id}").raise_for_status().json()
    del found["extraction"]["version"]
    return found
