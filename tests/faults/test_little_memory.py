"""F18: a process without free memory gets bombs; it survives or can be restarted without loss."""

from __future__ import annotations

import gzip
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.faults.test_no_descriptors import await_served
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.otlp_door import JSON, PROTOBUF, invalid_request
from tests.support.senders import all_clients
from tests.support.settling import check_api

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom, Tell
    from tests.support.senders import Client

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
MIB = 1 << 20
MORE, PLENTY = 256 * MIB, 1 << 40
"""Additional address space in bytes for a process after its first work."""
RECOVERED_S = 60.0
BOMBS = {
    "zeros": (PROTOBUF, bytes(128 * MIB)),
    "empty spans": (PROTOBUF, invalid_request(1) * (4 * MIB)),
    "empty objects": (JSON, b'{"resourceSpans":[' + b"{}," * (2 * MIB) + b"{}]}"),
}


ROUNDS = 3


@pytest.mark.slow
def test_bombs_at_little_memory_lose_nothing(start_spanloom: StartSpanloom, tell: Tell) -> None:
    first = start_spanloom(*QUICK)
    first.wait_until_ready()
    ledger = Ledger()
    clients = all_clients(first.addresses)
    for number, client in enumerate(clients):
        send(client, ledger, f"before {number}", 5)
    assert len(ledger.requests(Outcome.ACKNOWLEDGED)) == 5 * len(clients)
    leave_memory(first, MORE)
    packed = [(kind, gzip.compress(body, 1)) for kind, body in BOMBS.values()] * ROUNDS
    with ThreadPoolExecutor(len(packed) + len(clients)) as threads:
        answers = [threads.submit(throw, first, *bomb) for bomb in packed]
        for number, client in enumerate(clients):
            threads.submit(send, client, ledger, f"meanwhile {number}", 20)
    for client in clients:
        client.close()
    statuses = sorted({answer.result() for answer in answers})
    lives = first.process.poll() is None
    tell(f"bombs were answered {statuses}; the process {'lives on' if lives else 'has ended'}")
    assert not {200, 400, 500} & set(statuses), "large, or no room at the moment: nothing else"
    if lives:
        leave_memory(first, PLENTY)
        await_served(first.addresses, ledger, time.monotonic() + RECOVERED_S)
        first.process.kill()
        first.process.wait()
    second = start_spanloom(*QUICK)
    account = ledger.account()
    assert check_api(second.api, account) >= account.acknowledged
    assert second.stop() == 0


def leave_memory(spanloom: RunningSpanloom, more: int) -> None:
    """Let a running process map at most ``more`` bytes more."""
    pages = int(Path(f"/proc/{spanloom.process.pid}/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more
    _, hard = resource.prlimit(spanloom.process.pid, resource.RLIMIT_AS)
    resource.prlimit(spanloom.process.pid, resource.RLIMIT_AS, (limit, hard))


def throw(spanloom: RunningSpanloom, kind: str, body: bytes) -> int:
    """Send a bomb; return the status of the answer, or 0 if there is none."""
    headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    try:
        return httpx.post(url, content=body, headers=headers, timeout=60).status_code
    except httpx.TransportError:
        return 0


def send(client: Client, ledger: Ledger, name: str, count: int) -> None:
    """Send up to ``count`` normal requests, until one is not acknowledged; note all outcomes."""
    requests = make_requests(name)
    for request in (next(requests) for _ in range(count)):
        try:
            outcome = client.send(request)
        except AssertionError:  # an unexpected answer, such as 500
            outcome = Outcome.UNKNOWN
        ledger.note(request, outcome)
        if outcome is not Outcome.ACKNOWLEDGED:
            return
