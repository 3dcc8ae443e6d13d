"""Failures of a ClickHouse server, of the network to it, and of extractors (F12, F14, F23, F24).

A proxy between service and server makes the network fail. After any failure, acknowledged spans
are stored exactly once without help, and meanwhile the service reports what is wrong.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import clickhouse_connect
import httpx
import pytest
from tests.support.faulty_link import Fault, FaultyLink
from tests.support.feed_follower import Follower
from tests.support.ledger import Ledger
from tests.support.senders import Load
from tests.support.server_roles import start_roles
from tests.support.settling import check_api
from tests.support.stored import COPIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom, Tell
    from tests.support.served_store import ServedStore

EAGER = ("--root-quiet-s=0.3", "--no-root-quiet-s=1")
LOAD_S = 0.7
NOTICED_S = 60.0
LONG = pytest.mark.slow


@contextmanager
def load_on(spanloom: RunningSpanloom, ledger: Ledger, name: str) -> Iterator[None]:
    """Let all clients send during the block and for ``LOAD_S`` seconds after it."""
    with Load(spanloom.addresses, ledger, name):
        yield
        time.sleep(LOAD_S)


def await_word(spanloom: RunningSpanloom, status: int) -> str:
    """Wait until ``/readyz`` answers with this status; return the body."""
    until = time.monotonic() + NOTICED_S
    while (answer := httpx.get(f"{spanloom.api}/readyz", timeout=20)).status_code != status:
        assert time.monotonic() < until, answer.text
        time.sleep(0.1)
    return answer.text


def await_hits(link: FaultyLink, count: int = 3) -> None:
    until = time.monotonic() + NOTICED_S
    while link.hits < count:
        assert time.monotonic() < until, f"{link.fault} was met {link.hits} times"
        time.sleep(0.05)


def check_once(server: ServedStore, spanloom: RunningSpanloom, ledger: Ledger) -> None:
    """Assert that each acknowledged span is once in the API and once in the server's table."""
    account = ledger.account()
    assert check_api(spanloom.api, account) >= account.acknowledged
    client = clickhouse_connect.get_client(dsn=server.url)
    copies: dict[str, int] = {str(key): n for key, n in client.query(COPIES).result_rows}
    client.close()
    assert {key: n for key, n in copies.items() if n != 1} == {}
    assert account.acknowledged <= copies.keys() <= account.sent.keys()


@contextmanager
def service_over(
    server: ServedStore, start_spanloom: StartSpanloom
) -> Iterator[tuple[FaultyLink, RunningSpanloom]]:
    """Start a service over the server, with a proxy between them."""
    with FaultyLink(server.address) as link:
        spanloom = start_spanloom("serve", f"--store-url={server.url_at(link.address)}", *EAGER)
        spanloom.wait_until_ready()
        yield link, spanloom


@pytest.mark.nightly
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault.SLOW, marks=LONG),
        Fault.CUT,
        pytest.param(Fault.REFUSED, marks=LONG),
    ],
)
def test_a_fault_of_the_network_is_outlasted(
    start_spanloom: StartSpanloom, ready_server: ServedStore, fault: Fault
) -> None:
    ledger = Ledger()
    with service_over(ready_server, start_spanloom) as (link, spanloom):
        link.switch(fault)
        with load_on(spanloom, ledger, fault.name):
            await_hits(link)
            if fault is Fault.REFUSED:
                assert "the store does not answer" in await_word(spanloom, 503)
        link.switch(Fault.NONE)
        await_word(spanloom, 200)
        account = ledger.account()
        assert account.acknowledged == account.sent.keys()  # nothing was refused
        check_once(ready_server, spanloom, ledger)


def test_a_server_that_is_killed_is_outlasted(
    start_spanloom: StartSpanloom, ready_server: ServedStore
) -> None:
    ledger = Ledger()
    with service_over(ready_server, start_spanloom) as (_, spanloom):
        with load_on(spanloom, ledger, "killed"):
            ready_server.end(signal.SIGKILL)
            assert "the store does not answer" in await_word(spanloom, 503)
        read = httpx.get(f"{spanloom.api}/v1/trajectories", timeout=20)
        assert (read.status_code, read.json()["title"]) == (503, "Service Unavailable")
        ready_server.start()
        await_word(spanloom, 200)
        check_once(ready_server, spanloom, ledger)


@LONG
def test_a_server_that_only_reads_is_outlasted(
    start_spanloom: StartSpanloom, ready_server: ServedStore
) -> None:
    ledger = Ledger()
    with service_over(ready_server, start_spanloom) as (_, spanloom):
        ready_server.set_read_only(to=True)
        with load_on(spanloom, ledger, "read-only"):
            await_line(spanloom, "lacks a right that it needs")
            await_word(spanloom, 200)  # stored runs can be read
        ready_server.set_read_only(to=False)
        check_once(ready_server, spanloom, ledger)


def await_line(spanloom: RunningSpanloom, words: str) -> None:
    until = time.monotonic() + NOTICED_S
    while words not in spanloom.log:
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.1)


@pytest.mark.nightly
def test_an_extractor_of_two_may_be_killed(
    start_spanloom: StartSpanloom, ready_server: ServedStore, tell: Tell
) -> None:
    survive_kills(start_spanloom, ready_server, tell, rounds=2)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_an_extractor_of_two_may_be_killed_100_times(
    start_spanloom: StartSpanloom, ready_server: ServedStore, tell: Tell
) -> None:
    survive_kills(start_spanloom, ready_server, tell, rounds=100)


def survive_kills(
    start_spanloom: StartSpanloom, server: ServedStore, tell: Tell, rounds: int
) -> None:
    """Kill one of two extractors under load and start another, ``rounds`` times; then check."""
    chance = Random(7)
    ledger, follower = Ledger(), Follower()
    roles = start_roles(start_spanloom, server.url, *EAGER)
    extracts = list(roles.extracts)
    for number in range(rounds):
        load = Load(roles.collect.addresses, ledger, f"round {number}")
        with load, follower.at(roles.api.api):
            time.sleep(chance.uniform(0.2, 0.8))
            assert extracts.pop(0).stop(signal.SIGKILL) == -signal.SIGKILL
        extracts.append(start_spanloom("extract", f"--store-url={server.url}", *EAGER))
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    check_once(server, roles.api, ledger)
    follower.check(roles.api.api)
    tell(f"{rounds} kills of one of two extractors: {len(account.sent)} spans, each there once")
