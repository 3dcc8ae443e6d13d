"""F29: however long a user's query takes, what is sent is acknowledged and stored meanwhile."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import httpx
from tests.support import slow_lists
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import GrpcClient

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05")
LISTS = 4


def test_spans_are_stored_while_queries_run(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom(*QUICK, entry=(slow_lists.__file__,))
    ledger = Ledger()
    send(spanloom, ledger, "before")
    await_stored(spanloom, ledger)
    with ThreadPoolExecutor(LISTS) as users:
        queries = [users.submit(ask, spanloom) for _ in range(LISTS)]
        time.sleep(0.3)
        send(spanloom, ledger, "meanwhile")
        await_stored(spanloom, ledger)
        assert not any(query.done() for query in queries), "stored after the queries"
        spanloom.process.kill()


def ask(spanloom: RunningSpanloom) -> None:
    with suppress(httpx.TransportError):  # the process is killed before it answers
        httpx.get(f"{spanloom.api}/v1/trajectories", timeout=60)


def send(spanloom: RunningSpanloom, ledger: Ledger, name: str) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    requests = make_requests(name)
    for request in (next(requests) for _ in range(10)):
        assert client.send(request) is Outcome.ACKNOWLEDGED
        ledger.note(request, Outcome.ACKNOWLEDGED)
    client.close()


def await_stored(spanloom: RunningSpanloom, ledger: Ledger) -> None:
    stored = f"\nspanloom_spans_stored_total {float(len(ledger.account().sent))}\n"
    until = time.monotonic() + 60
    while stored not in (text := httpx.get(f"{spanloom.api}/metrics", timeout=60).text):
        assert time.monotonic() < until, text
        time.sleep(0.02)
