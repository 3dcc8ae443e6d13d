"""A run that is still going is shown soon after its first spans, and whole when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.agents import await_spans
from tests.support.ledger import Outcome, Request, SentSpan
from tests.support.senders import GrpcClient

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

ROOT = SentSpan("ab" * 16, "a" * 16, "", "the run", 10**18)
"""An agent's span, which is sent when it ends."""


@pytest.fixture
def spanloom(start_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_spanloom("serve")


def part_of_the_run(number: int) -> SentSpan:
    return SentSpan(ROOT.trace_id, f"{number:016x}", ROOT.span_id, f"step {number}", 10**18)


def send(spanloom: RunningSpanloom, request: Request) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    assert client.send(request) is Outcome.ACKNOWLEDGED
    client.close()


def test_a_run_is_seen_before_its_root_is_sent(spanloom: RunningSpanloom) -> None:
    """A run without a root ends after a minute by default, and this test waits half of that.

    ``benchmarks/freshness.py`` measures how soon it is really shown.
    """
    send(spanloom, tuple(map(part_of_the_run, range(1, 4))))
    first = await_spans(spanloom.api, ROOT.trace_id, 3, {"live"})
    send(spanloom, tuple(map(part_of_the_run, range(4, 8))))
    second = await_spans(spanloom.api, ROOT.trace_id, 7, {"live"})
    send(spanloom, (ROOT,))
    last = await_spans(spanloom.api, ROOT.trace_id, 8, {"settled"})
    for document in (first, second):
        assert document["extraction"]["warnings"] == []
    versions = [document["extraction"]["version"] for document in (first, second, last)]
    assert versions == [1, 2, 3]
    assert last["root_step"]["id"] == ROOT.span_id
