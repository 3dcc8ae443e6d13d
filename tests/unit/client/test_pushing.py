"""Pushing runs directly into another system, an Explorer or an OTLP receiver, and refusals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from invariant_sdk.types.push_traces import PushTracesRequest
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom.client.address import Address
from spanloom.client.calls.lists import trajectories
from spanloom.client.errors import UnauthenticatedError
from spanloom.client.transfer.pushing import Explorer, Receiver, push
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from tests.unit.client.conftest import World

    from spanloom import Client
    from spanloom.core.exchange.reports import Report

RUNS = 3
FORMATS = formats_of(Of.RUNS)


@dataclass
class Other(httpx.BaseTransport):
    """Another system, which gives the prepared answers one after the other."""

    answers: list[tuple[int, Any]] = field(default_factory=list)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.url.path, orjson.loads(request.read())))
        status, body = self.answers.pop(0) if self.answers else (200, {})
        return httpx.Response(status, json=body)

    @property
    def transport(self) -> Transport:
        return Transport(Address("http://other", "a key"), Patience(), self)


@pytest.fixture(autouse=True)
def _runs(world: World) -> None:
    for n in range(1, RUNS + 1):
        key = world.write(n)
        span = wire_span(key.trace_id, 1, name="planner")
        world.store.spans.append([spooled(message_of([span]), key.project)])


def explore(client: Client, other: Other, dataset: str | None = "weather") -> Report:
    target = Explorer(other.transport, dataset)
    return push(client, trajectories(), FORMATS["invariant"], target, lambda _: None)


def test_an_explorer_gets_the_lines_of_every_run(client: Client) -> None:
    other = Other()
    report = explore(client, other)
    assert (report.written, report.skipped, report.rejected) == (RUNS, [], [])
    assert {path for path, _ in other.asked} == {"/api/v1/push/trace"}
    for _, asked in other.asked:
        PushTracesRequest(**asked)
        assert asked["dataset"] == "weather"
        assert len(asked["messages"]) == len(asked["metadata"]) == len(asked["annotations"])
    sent = {asked["metadata"][0]["trace_id"] for _, asked in other.asked}
    assert sent == {run.trace_id for run in client.trajectories()}


def test_a_run_that_is_refused_does_not_stop_the_others(client: Client) -> None:
    other = Other([(200, {}), (422, {"detail": "too many messages"}), (400, {})])
    report = explore(client, other, None)
    assert (report.written, report.items) == (1, RUNS)
    reasons = [one["reason"] for one in report.rejected]
    assert reasons == ["too many messages", "it answers 400"]
    assert "dataset" not in other.asked[0][1]


def test_a_key_that_is_refused_ends_it(client: Client) -> None:
    with pytest.raises(UnauthenticatedError, match="no such key"):
        explore(client, Other([(401, {"detail": "no such key"})]))


def test_a_push_is_never_repeated(client: Client) -> None:
    """After a repeated push an Explorer would have the run twice."""
    other = Other([(503, {"detail": "busy"})])
    with pytest.raises(Exception, match="busy"):
        explore(client, other)
    assert len(other.asked) == 1


def test_a_receiver_gets_the_spans_as_they_were_sent(client: Client) -> None:
    partly = {"partialSuccess": {"rejectedSpans": 1, "errorMessage": "no"}}
    other = Other([(200, {}), (200, partly)])
    target = Receiver(other.transport)
    report = push(client, trajectories(), FORMATS["otlp"], target, lambda _: None)
    assert (report.written, [one["reason"] for one in report.rejected]) == (RUNS - 1, ["no"])
    names = [
        span["name"]
        for _, asked in other.asked
        for group in asked["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    ]
    assert names == ["planner"] * RUNS
