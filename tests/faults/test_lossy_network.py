"""F11, F13: if the network loses an answer, the client sends again and one copy is stored."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.lossy_proxy import LossyProxy
from tests.support.senders import GrpcClient, HttpClient
from tests.support.settling import check_api

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.ledger import Request
    from tests.support.senders import Client

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
SENT_S = 30.0
FAULTS = {
    "reset before the answer": (1, 0.0),
    "answers lost": (3, 0.5),
}
"""How often, and how many seconds after the request; half a second is ample for an answer."""


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(*QUICK)
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    """Return the ledger of all requests that the tests of the module send to their one service."""
    return Ledger()


def client_of(kind: str, address: str) -> Client:
    if kind == "gRPC":
        return GrpcClient(address, packed=False)
    return HttpClient(address, packed=False, as_text=kind == "JSON")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["gRPC", "protobuf", "JSON"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_request_without_an_answer_is_sent_again_and_stored_once(
    fault: str, kind: str, spanloom: RunningSpanloom, ledger: Ledger
) -> None:
    times, after_s = FAULTS[fault]
    requests = make_requests(f"{fault} {kind}")
    port = "otlp_grpc" if kind == "gRPC" else "otlp_http"
    with LossyProxy(spanloom.addresses[port], fault.encode(), times, after_s) as proxy:
        client = client_of(kind, proxy.address)
        for request in (next(requests) for _ in range(3)):
            outcomes = send_until_acknowledged(client, ledger, request)
        client.close()
    assert outcomes == [Outcome.ACKNOWLEDGED], "the last request met no fault"
    assert proxy.left == 0
    unanswered = [r for r in ledger.requests(Outcome.UNKNOWN) if r[0].name.startswith(fault)]
    assert len(unanswered) >= times
    check_api(spanloom.api, ledger.account())


def send_until_acknowledged(client: Client, ledger: Ledger, request: Request) -> list[Outcome]:
    """Send a request until it is acknowledged, as an exporter does; return all outcomes."""
    outcomes: list[Outcome] = []
    until = time.monotonic() + SENT_S
    while Outcome.ACKNOWLEDGED not in outcomes:
        assert time.monotonic() < until, outcomes
        outcomes.append(client.send(request))
        ledger.note(request, outcomes[-1])
        time.sleep(0.05)
    return outcomes
