"""After a burst the spool's files become small again, even after a kill, and nothing is lost."""

from __future__ import annotations

import signal
import time
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import grpc
import pytest
from tests.support import dying_at
from tests.support.ledger import Ledger, Outcome, as_protobuf, make_requests
from tests.support.settling import check_api, check_store

from spanloom.collector.spool.shrinking import size_on_disk

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 1 << 20
REQUESTS = 40
SMALL = 3 * MIB
"""Maximum size of the files of an idle spool, in bytes."""
GIVEN_BACK_S = 120.0
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


def test_after_a_burst_the_files_are_small_again(start_spanloom: StartSpanloom) -> None:
    ledger, spanloom = Ledger(), start_spanloom("serve", "--root-quiet-s=0.3")
    send_burst(spanloom, ledger, "burst")
    spool = Path(spanloom.addresses["data_dir"]) / "spool.sqlite"
    assert size_on_disk(spool) > 10 * MIB
    await_small(spool)
    in_api = check_api(spanloom.api, ledger.account())
    assert spanloom.stop() == 0
    check_store(spool.parent, ledger.account(), in_api)


@pytest.mark.nightly
@pytest.mark.parametrize("count", [1, 3])
def test_a_kill_while_they_shrink_loses_nothing(start_spanloom: StartSpanloom, count: int) -> None:
    """The next start frees the disk space that the killed process had not freed."""
    entry = (dying_at.__file__, "while the spool shrinks", str(count))
    ledger, spanloom = Ledger(), start_spanloom("serve", "--root-quiet-s=0.3", entry=entry)
    send_burst(spanloom, ledger, "burst")
    assert spanloom.process.wait(GIVEN_BACK_S) == -signal.SIGKILL
    spool = Path(spanloom.addresses["data_dir"]) / "spool.sqlite"
    assert size_on_disk(spool) > SMALL
    again = start_spanloom("serve", "--root-quiet-s=0.3")
    await_small(spool)
    in_api = check_api(again.api, ledger.account())
    assert again.stop() == 0
    check_store(spool.parent, ledger.account(), in_api)


def send_burst(spanloom: RunningSpanloom, ledger: Ledger, name: str) -> None:
    chance = Random(name)
    with grpc.insecure_channel(spanloom.addresses["otlp_grpc"].removeprefix("http://")) as channel:
        export = channel.unary_unary(EXPORT, None, None)
        for request in islice(make_requests(name), REQUESTS):
            message = as_protobuf(request)
            span = message.resource_spans[0].scope_spans[0].spans[0]
            span.attributes.add(key="payload").value.string_value = chance.randbytes(MIB // 2).hex()
            export(message.SerializeToString(), timeout=30)
            ledger.note(request, Outcome.ACKNOWLEDGED)


def await_small(spool: Path) -> None:
    until = time.monotonic() + GIVEN_BACK_S
    while (size := size_on_disk(spool)) >= SMALL:
        assert time.monotonic() < until, f"the files still have {size:,} bytes"
        time.sleep(0.1)
