"""F20: the wall clock jumps ahead, back and to 1970 under load; no span is lost or misordered."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import shifted_clock
from tests.support.ledger import Ledger, Outcome, SentSpan
from tests.support.senders import GrpcClient, Load
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
HOUR_NS = 3600 * 10**9
FOUND_S = 60.0
SPAN = SentSpan("c" * 32, "c" * 16, "", "", 1_760_000_000_000_000_000)


@pytest.mark.nightly
def test_the_order_of_requests_does_not_follow_the_clock(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """The last sent version of a span counts, whatever time the clock showed."""
    file = tmp_path / "ahead"
    file.write_text("0")
    entry = (shifted_clock.__file__, str(file))
    spanloom = start_spanloom(*QUICK, entry=entry, fresh=True)
    ledger = Ledger()
    for number, ahead_ns in enumerate((0, HOUR_NS, -HOUR_NS, -time.time_ns() + HOUR_NS)):
        set_clock(file, ahead_ns)
        again = ledger.requests(Outcome.ACKNOWLEDGED)[:20]
        with Load(spanloom.addresses, ledger, f"clock {number}", again):
            time.sleep(0.3)
        send_again(spanloom, ledger, SPAN._replace(name=f"version {number}"))
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    assert account.sent[SPAN.key].name == "version 3"
    in_api = check_api(spanloom.api, account)
    assert spanloom.stop() == 0
    check_store(Path(spanloom.addresses["data_dir"]), account, in_api)


def set_clock(file: Path, ahead_ns: int) -> None:
    """Set the clock by replacing its file atomically, because it is read all the time."""
    written = file.with_suffix(".new")
    written.write_text(str(ahead_ns))
    written.replace(file)


def send_again(spanloom: RunningSpanloom, ledger: Ledger, span: SentSpan) -> None:
    """Send a new version of a span, and wait until the API shows it."""
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    assert client.send((span,)) is Outcome.ACKNOWLEDGED
    ledger.note((span,), Outcome.ACKNOWLEDGED)
    client.close()
    until = time.monotonic() + FOUND_S
    while span.name not in (shown := spans_of(spanloom, span.trace_id)):
        assert time.monotonic() < until, f"{span.name} is not shown: {shown}"
        time.sleep(0.1)


def spans_of(spanloom: RunningSpanloom, trace_id: str) -> list[str]:
    answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}/spans", timeout=20)
    return [s["name"] for s in answer.json()["spans"]] if answer.status_code == 200 else []
