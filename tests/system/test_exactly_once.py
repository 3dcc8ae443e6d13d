"""Restarts, lost answers and repeats of one service: no span is missing or stored twice."""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.agents import await_trajectory
from tests.support.ledger import Ledger, Outcome, Request, as_protobuf, make_requests
from tests.support.senders import GrpcClient, Load
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")


def send(spanloom: RunningSpanloom, *requests: Request) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for request in requests:
        assert client.send(request) is Outcome.ACKNOWLEDGED
    client.close()


def test_sigterm_under_load_ends_with_0_and_loses_nothing(start_spanloom: StartSpanloom) -> None:
    ledger = Ledger()
    first = start_spanloom(*QUICK)
    with Load(first.addresses, ledger, "until SIGTERM") as load:
        time.sleep(0.7)
        assert first.stop() == 0
        load.wait_until_refused(30)
    assert first.complaints == []
    account = ledger.account()
    assert account.acknowledged
    second = start_spanloom(*QUICK)
    in_api = check_api(second.api, account)
    assert second.stop() == 0
    check_store(Path(second.addresses["data_dir"]), account, in_api)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=lambda end: end.name)
def test_a_trace_goes_on_over_restarts(start_spanloom: StartSpanloom, end: signal.Signals) -> None:
    """The service is stopped after each acknowledgement; the trace is complete in the end."""
    source = make_requests(f"over {end.name}")
    requests = [next(source) for _ in range(3)]
    trace_id = requests[0][0].trace_id
    for request in requests[1:]:  # the children first, the root last
        spanloom = start_spanloom(*QUICK)
        send(spanloom, request)
        spanloom.stop(end)
    spanloom = start_spanloom(*QUICK)
    send(spanloom, requests[0])
    spanloom.stop(end)
    last = start_spanloom(*QUICK)
    spans = {span.span_id for request in requests for span in request}
    document = await_trajectory(last.api, trace_id, len(spans))
    assert document["root_step"]["id"] == requests[0][0].span_id
    assert document["extraction"]["warnings"] == []


def test_a_late_span_makes_a_new_version_also_after_a_kill(start_spanloom: StartSpanloom) -> None:
    source = make_requests("late")
    early, late = next(source), next(source)
    trace_id = early[0].trace_id
    first = start_spanloom(*QUICK)
    send(first, early)
    before = await_trajectory(first.api, trace_id, len(early))
    send(first, late)
    first.stop(signal.SIGKILL)
    second = start_spanloom(*QUICK)
    after = await_trajectory(second.api, trace_id, len(early) + len(late))
    assert before["extraction"]["version"] < after["extraction"]["version"]
    assert after["root_step"]["id"] == before["root_step"]["id"]


def test_repeats_and_lost_answers_change_nothing(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom(*QUICK)
    request = next(make_requests("repeated"))
    address = f"{spanloom.api}/v1/trajectories/{request[0].trace_id}"
    for _ in range(3):
        send_and_hang_up(spanloom, request)
    await_trajectory(spanloom.api, request[0].trace_id, len(request))
    await_accepted(spanloom, 3 * len(request))
    time.sleep(1.5)  # until written, settled and extracted again
    before = httpx.get(address).content
    send(spanloom, request, request)
    time.sleep(1.5)
    assert httpx.get(address).content == before
    ledger = Ledger()
    ledger.note(request, Outcome.ACKNOWLEDGED)
    in_api = check_api(spanloom.api, ledger.account())
    assert spanloom.stop() == 0
    check_store(Path(spanloom.addresses["data_dir"]), ledger.account(), in_api)


def send_and_hang_up(spanloom: RunningSpanloom, request: Request) -> None:
    """Send a whole request and disconnect before the answer can arrive."""
    body = as_protobuf(request).SerializeToString()
    port = int(spanloom.addresses["otlp_http"].rpartition(":")[2])
    head = (
        "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(head.encode() + body)


def await_accepted(spanloom: RunningSpanloom, spans: int) -> None:
    until = time.monotonic() + 20
    line = f"\nspanloom_spans_accepted_total {float(spans)}\n"
    while line not in httpx.get(f"{spanloom.api}/metrics").text:
        assert time.monotonic() < until, f"{spans} spans were not accepted"
        time.sleep(0.05)
