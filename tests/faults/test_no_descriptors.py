"""F19: a process without free file descriptors loses nothing, and recovers once it has some."""

from __future__ import annotations

import resource
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import programs
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import Load, all_clients
from tests.support.settling import check_api

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
PORTS = ("otlp_http", "otlp_grpc", "api")
FREE = 96
"""Descriptors left to the process after its first work; the engine needs some per thread."""
CONNECTIONS = 128
"""Connections to each port, more than the free descriptors."""
RECOVERED_S = 30.0


@pytest.mark.nightly
def test_a_process_out_of_descriptors_recovers_and_has_lost_nothing(
    start_spanloom: StartSpanloom,
) -> None:
    spanloom = start_spanloom(*QUICK)
    spanloom.wait_until_ready()
    ledger = Ledger()
    with Load(spanloom.addresses, ledger, "before"):
        time.sleep(0.5)
    leave_descriptors(spanloom, FREE)
    with Load(spanloom.addresses, ledger, "meanwhile"), ExitStack() as idle:
        time.sleep(0.3)
        for port in PORTS:
            for _ in range(CONNECTIONS):  # the kernel accepts them, even if the process does not
                idle.enter_context(connect(spanloom, port))
        await_exhaustion(spanloom)
        time.sleep(3)
    ended = time.monotonic()
    assert spanloom.process.poll() is None, spanloom.log
    await_served(spanloom.addresses, ledger, ended + RECOVERED_S)
    assert ledger.requests(Outcome.ACKNOWLEDGED)
    account = ledger.account()
    assert check_api(spanloom.api, account) >= account.acknowledged
    assert spanloom.stop() == 0


def leave_descriptors(spanloom: RunningSpanloom, count: int) -> None:
    """Let a running process open at most ``count`` more files and connections."""
    used = sum(1 for _ in Path(f"/proc/{spanloom.process.pid}/fd").iterdir())
    _, hard = resource.prlimit(spanloom.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(spanloom.process.pid, resource.RLIMIT_NOFILE, (used + count, hard))


def connect(spanloom: RunningSpanloom, port: str) -> socket.socket:
    host, _, number = spanloom.addresses[port].removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(number)), timeout=5)


def await_exhaustion(spanloom: RunningSpanloom) -> None:
    """Wait until a new connection is not answered any more."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            httpx.get(f"{spanloom.api}/healthz", timeout=1)
        except httpx.TransportError:
            return
    raise AssertionError("the process still has descriptors")


def await_served(addresses: Mapping[str, str], ledger: Ledger, until: float) -> None:
    """Send over each transport until acknowledged, then wait until the API is ready."""
    for number, client in enumerate(all_clients(addresses)):
        request = next(make_requests(f"afterwards {number}"))
        while (outcome := client.send(request)) is not Outcome.ACKNOWLEDGED:
            ledger.note(request, outcome)
            assert time.monotonic() < until, f"not served by {type(client).__name__}"
            time.sleep(0.1)
        ledger.note(request, outcome)
        client.close()
    while httpx.get(f"{addresses['api']}/readyz", timeout=30).status_code != 200:
        assert time.monotonic() < until, "the API is not ready"
        time.sleep(0.1)


def limited(soft: int, hard: int) -> tuple[str, ...]:
    """Return arguments that run the command under a limit, like a shell with ``ulimit -n``."""
    limits = f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))"
    return ("-c", f"import resource; {limits}; from spanloom.__main__ import main; main()")


def test_a_low_limit_is_raised_as_far_as_it_may_be(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom(*QUICK, entry=limited(64, 2048))
    spanloom.wait_until_ready()
    now = resource.prlimit(spanloom.process.pid, resource.RLIMIT_NOFILE)
    assert now == (2048, 2048)
    findings = httpx.get(f"{spanloom.api}/v1/doctor", timeout=30).json()["findings"]
    [told] = [finding for finding in findings if finding["name"] == "descriptors"]
    assert (told["status"], "of 2048 files" in told["found"]) == ("ok", True)
    assert spanloom.complaints == []
    assert spanloom.stop() == 0


def test_with_few_it_warns_and_with_too_few_it_does_not_start(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom(*QUICK, entry=limited(512, 512))
    spanloom.wait_until_ready()
    [warning] = spanloom.complaints
    assert "ulimit -n" in warning
    assert spanloom.stop() == 0
    refused = programs.run(*limited(64, 64), "serve", f"--data-dir={tmp_path / 'other'}")
    assert (refused.returncode, refused.stdout) == (1, "")
    [line] = refused.stderr.splitlines()
    assert "only 64 files may be open" in line
    assert "ulimit -n" in line
    assert not (tmp_path / "other").exists()
