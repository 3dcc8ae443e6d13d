"""A client of the real API over a store in memory, without a network between them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom import AsyncClient, Client
from spanloom.api.app import create_app
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import DuplicateOf, Kind, SpanVerdict, Status
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from starlette.types import ASGIApp

START_NS = 1_700_000_000_000_000_000


class InProcess(httpx.BaseTransport):
    """A transport that hands requests to an application in this process, on one event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self._asgi = httpx.ASGITransport(app)
        self._runner = asyncio.Runner()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        async def ask() -> httpx.Response:
            answer = await self._asgi.handle_async_request(request)
            body = b"".join([chunk async for chunk in answer.aiter_raw()])
            return httpx.Response(answer.status_code, headers=answer.headers, content=body)

        return self._runner.run(ask())

    def run(self, work: Coroutine[None, None, None]) -> None:
        self._runner.run(work)

    def end(self) -> None:
        self._runner.close()


@dataclass
class World:
    """A service in this process: its store, its keys, and clients of it."""

    store: MemoryStore
    locks: Locks

    def __post_init__(self) -> None:
        app = create_app(self.store, Metrics(), self.locks.access)
        self._app, self.transport = app, InProcess(app)

    def end(self) -> None:
        self.transport.end()

    def client(self, api_key: str | None = None) -> Client:
        return Client("http://localhost", api_key=api_key, transport=self.transport)

    def async_client(self) -> AsyncClient:
        return AsyncClient("http://localhost", transport=httpx.ASGITransport(self._app))

    def run(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine on the event loop of the service."""
        self.transport.run(work)

    def write(
        self,
        number: int,
        project: str = "p",
        conversation: str = "",
        repeats: TraceKey | None = None,
    ) -> TraceKey:
        """Store a run of one agent and one model call that starts at second ``number``."""
        key = TraceKey(project, f"{number:032x}")
        start_ns = START_NS + number * 1_000_000_000
        verdict = SpanVerdict(
            span_id=f"{1:016x}",
            parent_span_id="",
            name="planner",
            kind=Kind.AGENT,
            step_id=f"{1:016x}",
            dialect="tests",
            rule="agent.by-name",
            start_ns=start_ns,
            end_ns=start_ns + 2_000_000,
        )
        made = replace(make_trajectory(key, start_ns), verdicts=[verdict])
        if conversation:
            made = replace(made, extras={"conversation_id": conversation})
        if repeats:
            made = replace(made, duplicate_of=DuplicateOf(repeats.trace_id, f"{2:016x}"))
        record = replace(
            make_record(key, made),
            document=encode_document(made, 1, Status.SETTLED),
            spans_document=encode_spans(made),
        )
        self.store.trajectories.write([record])
        return key


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.delenv("SPANLOOM_API_KEY", raising=False)
    started = World(MemoryStore(), Locks())
    yield started
    started.end()


@pytest.fixture
def client(world: World) -> Iterator[Client]:
    with world.client() as opened:
        yield opened
