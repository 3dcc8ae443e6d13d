"""Refused requests are logged at once, then once a minute per cause, with their number."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import grpc
import httpx
import pytest
from structlog.testing import capture_logs
from tests.support.access import Locks

from spanloom.access.refusals import AGAIN_S, MOST_CAUSES, Cause, RefusalLog
from spanloom.collector.doors.http import create_app
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.doors.otlp.grpc_calls import MessageReader
from spanloom.collector.intake.export import Exporter
from spanloom.core.errors import RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

BAD_KEY = Cause("unauthenticated", "/v1/traces", "10.0.0.7")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_cause_is_logged_at_once_then_once_a_minute_with_the_number() -> None:
    clock = Clock()
    refusals = RefusalLog(clock)
    with capture_logs() as lines:
        for _ in range(5):
            refusals.note(BAD_KEY, "no such key")
        refusals.note(BAD_KEY._replace(peer="10.0.0.8"), "no such key")
        clock.now = AGAIN_S
        refusals.note(BAD_KEY, "no such key")
    told = [(line["sender"], line["requests"]) for line in lines]
    assert told == [("10.0.0.7", 1), ("10.0.0.8", 1), ("10.0.0.7", 5)]
    assert {line["why"] for line in lines} == {"no such key"}


def test_a_scan_of_paths_is_bounded() -> None:
    refusals = RefusalLog(Clock())
    with capture_logs() as lines:
        for number in range(3 * MOST_CAUSES):
            refusals.note(Cause("not_found", f"/{number}" * 1_000, "h"), "nothing")
    assert len(lines) == MOST_CAUSES + 1
    assert max(len(line["path"]) for line in lines) < 1_000


def test_what_is_logged_elsewhere_is_not_logged_here() -> None:
    with capture_logs() as lines:
        for reason in ("internal", "unavailable"):
            RefusalLog().note(BAD_KEY._replace(reason=reason), "")
    assert lines == []


EVENT = "requests are refused"


@dataclass
class Doors:
    """Both receivers, which refuse senders without a valid key."""

    exporter: Exporter
    limits: Limits
    locks: Locks

    def post(self, method: str, path: str, **headers: str) -> list[tuple[Any, Any]]:
        app = create_app(self.exporter, self.limits, self.locks.access.authenticator)
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def ask() -> None:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
                await http.request(method, path, headers=named)

        with capture_logs() as lines:
            asyncio.run(ask())
        return refusals_in(lines)


@pytest.fixture
def doors(spool: Spool, metrics: Metrics, limits: Limits) -> Doors:
    return Doors(Exporter(spool, metrics, limits), limits, Locks())


def refusals_in(lines: Sequence[Mapping[str, Any]]) -> list[tuple[Any, Any]]:
    return [(line["reason"], line["path"]) for line in lines if line["event"] == EVENT]


def test_http_tells_wrong_paths_sizes_and_keys(doors: Doors) -> None:
    doubled = "/v1/traces/v1/traces"
    assert doors.post("POST", doubled) == [("not_found", doubled)]
    large = {"content_type": "application/json", "content_length": str(10**12)}
    assert doors.post("POST", "/v1/traces", **large) == [("too_large", "/v1/traces")]
    assert doors.post("GET", "/favicon.ico") == []
    doors.locks.make("shop")
    assert doors.post("POST", "/v1/traces") == [("unauthenticated", "/v1/traces")]


SERVICE = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


def logged_by_grpc(doors: Doors, method: str, body: bytes) -> list[Mapping[str, Any]]:
    authenticator = doors.locks.access.authenticator
    receiver = GrpcReceiver(doors.exporter, "127.0.0.1", 0, doors.limits, authenticator)
    receiver.start()
    try:
        with capture_logs() as lines, grpc.insecure_channel(f"127.0.0.1:{receiver.port}") as to:
            call = to.unary_unary(method, None, None).future(body, timeout=10)
            assert call.exception() is not None
    finally:
        receiver.stop(5)
    return [line for line in lines if line["event"] == EVENT]


@pytest.mark.service
def test_grpc_tells_bad_keys(doors: Doors) -> None:
    doors.locks.make("shop")
    lines = logged_by_grpc(doors, SERVICE, b"")
    assert refusals_in(lines) == [("unauthenticated", "traces")]
    assert [line["sender"] for line in lines] == ["127.0.0.1"]


@pytest.mark.service
def test_grpc_tells_methods_that_there_are_not(doors: Doors) -> None:
    unknown = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
    assert refusals_in(logged_by_grpc(doors, unknown, b"")) == [("not_found", unknown)]


def test_a_call_whose_message_grpc_refused_was_too_large() -> None:
    """A stream without a message means that gRPC refused the message as too large.

    As often, gRPC ends the call before that, and the cause stays unknown.
    """
    reader = MessageReader(1.0, 1, 1_000)
    with pytest.raises(RequestTooLargeError, match="at most 1000 bytes"):
        reader.read(iter([]), Mock())
    assert reader.read(iter([b"x"]), Mock()) == b"x"
