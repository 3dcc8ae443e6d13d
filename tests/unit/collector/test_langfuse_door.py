"""Langfuse's ingestion endpoint from outside: requests, answers, and the spans that are stored."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from threading import Event as Signal
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.access import open_access

from spanloom.collector.doors.http import create_app
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observation_file import KEEP_S
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.intake.redaction.redactor import Redactor

Event = dict[str, Any]  # JSON, as a client sends it
PATH = "/api/public/ingestion"
WAIT_S = 60.0


class Door:
    """The receiver over a spool and an observation memory of its own; the test sets the clock."""

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        memory_bytes: int = 1 << 30,
        redactor: Redactor | None = None,
    ) -> None:
        self.metrics = Metrics()
        self.now = 1_800_000_000.0
        self.spool = Spool(folder / "spool.sqlite", 1 << 30, self.metrics)
        self.memory = Observations(
            folder / "observations.sqlite",
            self.metrics,
            max_bytes=memory_bytes,
            clock_s=lambda: self.now,
        )
        exporter = Exporter(self.spool, self.metrics, limits, redactor=redactor)
        langfuse = LangfuseIngestion(exporter, self.memory, limits)
        self.app = create_app(exporter, limits, open_access().authenticator, langfuse)

    def close(self) -> None:
        self.memory.close()
        self.spool.close()

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app), base_url="http://localhost", timeout=WAIT_S
        )

    def post(self, *events: Event) -> httpx.Response:
        """Send one batch of events, and return the answer."""

        async def send() -> httpx.Response:
            async with self.client() as client:
                return await post(client, *events)

        return asyncio.run(send())

    def stored(self) -> dict[str, dict[str, Any]]:
        """Return name and attributes of each span's newest version, keyed by observation id."""
        found = {}
        for request in self.spool.read_batch(1 << 30):
            for span in spans_of(request.body):
                attributes = {a.key: a.value.string_value for a in span.attributes}
                found[attributes["langfuse.observation.id"]] = {"name": span.name, **attributes}
        return found

    def count(self, name: str, **labels: str) -> float:
        return self.metrics.registry.get_sample_value(name, labels) or 0.0


async def post(client: httpx.AsyncClient, *events: Event) -> httpx.Response:
    return await client.post(PATH, json={"batch": events})


def spans_of(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            yield from scope.spans


@pytest.fixture
def door(tmp_path: Path, limits: Limits) -> Iterator[Door]:
    with opened(tmp_path, limits) as found:
        yield found


@contextmanager
def opened(folder: Path, limits: Limits, memory_bytes: int = 1 << 30) -> Iterator[Door]:
    door = Door(folder, limits, memory_bytes)
    yield door
    door.close()


def event(event_id: str, kind: str, second: int = 1, **body: object) -> Event:
    stamp = f"2026-11-21T02:16:{second:02}Z"
    return {"id": event_id, "type": kind, "timestamp": stamp, "body": body}


CREATED = event("c", "generation-create", id="o", traceId="t", name="chat", model="gpt", input="hi")
UPDATED = event("u", "generation-update", 2, id="o", traceId="t", output="ho")
LATE = event("late", "generation-update", 3, id="o", traceId="t", metadata={"score": 1})


def neighbours(count: int, text: str = "") -> Iterator[Event]:
    for n in range(count):
        yield event(f"n{n}", "span-create", id=f"n{n}", traceId=f"t{n}", name="n", input=text)


def told(response: httpx.Response) -> dict[str, int]:
    """Return the status of each event, after a check that every error has its reason."""
    assert response.status_code == 207, response.text
    document = response.json()
    assert all(error["message"] == error["error"] != "" for error in document["errors"])
    return {e["id"]: e["status"] for e in [*document["successes"], *document["errors"]]}


@pytest.mark.parametrize(
    "late",
    [
        pytest.param(LATE, id="an update"),
        pytest.param({**LATE, "body": {"id": "o", "output": "x"}}, id="an update without a trace"),
        pytest.param(CREATED, id="the creation, sent again"),
    ],
)
def test_a_late_event_of_a_forgotten_observation_leaves_its_span_and_is_told(
    door: Door, late: Event
) -> None:
    door.post(CREATED, UPDATED)
    before = door.stored()["o"]
    door.now += KEEP_S + 1
    for neighbour in neighbours(300):
        door.post(neighbour)
    assert told(door.post(late, *neighbours(1))) == {
        "n0": 201,
        "late" if late != CREATED else "c": 404,
    }
    assert door.stored()["o"] == before
    assert before["langfuse.observation.model.name"] == "gpt"
    assert door.count("spanloom_langfuse_forgotten_total", kind="observation", reason="age") == 1


def test_the_id_of_a_forgotten_observation_may_be_used_again_in_another_trace(door: Door) -> None:
    door.post(CREATED)
    door.now += KEEP_S + 1
    again = {**CREATED, "body": {**CREATED["body"], "traceId": "t2", "name": "again"}}
    assert told(door.post(*neighbours(1))) == {"n0": 201}
    assert told(door.post(again)) == {"c": 201}
    assert door.stored()["o"]["name"] == "again"


def test_an_update_of_what_was_never_known_here_waits_and_is_counted_when_it_goes(
    door: Door,
) -> None:
    assert told(door.post(LATE)) == {"late": 201}
    assert "o" not in door.stored()
    assert told(door.post(CREATED)) == {"c": 201}
    assert door.stored()["o"]["langfuse.observation.model.name"] == "gpt"
    door.post({**LATE, "body": {**LATE["body"], "id": "never created"}})
    door.now += KEEP_S + 1
    door.post(*neighbours(1))
    assert door.count("spanloom_langfuse_forgotten_total", kind="waiting", reason="age") == 1


def test_a_trace_is_remembered_as_long_as_what_is_on_top_of_it(door: Door) -> None:
    door.post(event("t", "trace-create", id="t", name="trip"), CREATED)
    for n in range(3):
        door.now += KEEP_S * 0.9
        door.post(event(f"u{n}", "span-update", n + 2, id="o", output=str(n)), *neighbours(n))
    stored = door.stored()["o"]
    assert (stored["langfuse.trace.name"], stored["langfuse.observation.output"]) == ("trip", "2")


def test_the_memory_stays_within_its_bound_and_tells_what_it_forgot(
    tmp_path: Path, limits: Limits
) -> None:
    text = "x" * 100_000
    with opened(tmp_path, limits, memory_bytes=1_000_000) as door:
        door.post(CREATED)
        for neighbour in neighbours(40, text):
            door.now += 1
            assert set(told(door.post(neighbour)).values()) == {201}
        assert told(door.post(LATE)) == {"late": 404}
        assert door.stored()["o"]["name"] == "chat"
        assert len(door.stored()) == 41
        assert (
            door.count("spanloom_langfuse_forgotten_total", kind="observation", reason="size") > 20
        )
        assert (tmp_path / "observations.sqlite").stat().st_size < 1_500_000


BAD: dict[str, Event] = {
    "a trace id of zeros": {"traceId": "0" * 32},
    "a trace id of zeros with dashes": {"traceId": "00000000-0000-0000-0000-000000000000"},
    "an id of zeros": {"id": "0" * 16},
    "a start that is no time": {"startTime": "soon"},
    "an end that is a number": {"endTime": 1_795_227_398_000},
    "a time before 1970": {"completionStartTime": "1969-12-31T23:59:59Z"},
    "an endless id": {"id": "x" * 513},
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_stored_is_refused_alone(door: Door, name: str) -> None:
    bad = event("bad", "span-create")
    bad["body"] = {"id": "b", "traceId": "t", "name": "bad", **BAD[name]}
    assert told(door.post(bad, *neighbours(2))) == {"bad": 400, "n0": 201, "n1": 201}
    assert set(door.stored()) == {"n0", "n1"}


def test_an_event_whose_own_time_or_trace_is_bad_is_refused_alone(door: Door) -> None:
    timeless = {**CREATED, "timestamp": "yesterday"}
    nameless = event("bad trace", "trace-create", id="0" * 32, name="x")
    assert told(door.post(timeless, nameless, *neighbours(1))) == {
        "c": 400,
        "bad trace": 400,
        "n0": 201,
    }


def test_a_parent_of_zeros_is_none(door: Door) -> None:
    body = {**CREATED["body"], "parentObservationId": "0" * 16}
    door.post(event("t", "trace-create", id="t", name="trip"), {**CREATED, "body": body})
    assert door.stored()["o"]["langfuse.trace.name"] == "trip"


def test_an_observation_that_grows_beyond_its_bound_is_told_so(door: Door) -> None:
    part = "x" * 6_000_000
    for n in range(2):
        door.post(event(f"c{n}", "span-create", id="o", traceId="t", metadata={f"k{n}": part}))
    one_more = event("c2", "span-update", id="o", metadata={"k2": part})
    assert told(door.post(one_more, *neighbours(1))) == {"c2": 413, "n0": 201}
    assert set(door.stored()["o"]) >= {"langfuse.observation.metadata.k0"}


@pytest.mark.parametrize(("max_spans", "status"), [(1, 201), (0, 400)])
def test_one_span_that_cannot_be_exported_does_not_take_others_with_it(
    tmp_path: Path, limits: Limits, max_spans: int, status: int
) -> None:
    with opened(tmp_path, replace(limits, max_spans=max_spans)) as door:
        assert set(told(door.post(*neighbours(3))).values()) == {status}
        assert len(door.stored()) == (3 if status == 201 else 0)


def test_a_trace_over_many_large_spans_can_be_updated(tmp_path: Path) -> None:
    limits = Limits(max_request_bytes=4_000_000, max_in_flight_bytes=8_000_000)
    text = "x" * 1_000_000
    with opened(tmp_path, limits) as door:
        for n in range(20):
            top = event(f"c{n}", "span-create", id=f"top{n}", traceId="t", name="top", input=text)
            assert told(door.post(top)) == {f"c{n}": 201}
        session = event("s", "trace-create", 2, id="t", sessionId="s-1")
        assert told(door.post(session)) == {"s": 201}
        assert {span["session.id"] for span in door.stored().values()} == {"s-1"}
        assert len(door.stored()) == 20
        sizes = [len(request.body) for request in door.spool.read_batch(1 << 30)]
        assert max(sizes) <= limits.max_request_bytes, "one request, as long as all spans"


def test_nobody_waits_for_a_client_whose_spans_are_slow_to_store(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request is held up in the spool (a fault), and forty more of its trace wait after it.

    Thirty requests of other traces are answered meanwhile, though all share 32 threads.
    """
    held, go_on = Signal(), Signal()
    put = door.spool.put

    def slow_put(project: str, body: bytes, *rest: Any) -> int:
        if b"slow" in body:
            held.set()
            assert go_on.wait(WAIT_S)
        return put(project, body, *rest)

    monkeypatch.setattr(door.spool, "put", slow_put)

    slow = [event(f"s{n}", "span-update", n, id="slow", metadata={f"k{n}": "v"}) for n in range(40)]
    slow.append(event("c", "span-create", id="slow", traceId="slow", name="slow"))

    async def send() -> tuple[list[httpx.Response], list[httpx.Response]]:
        async with door.client() as client:
            waiting = [asyncio.create_task(post(client, slow.pop()))]
            assert await asyncio.to_thread(held.wait, WAIT_S)
            waiting += [asyncio.create_task(post(client, one)) for one in slow]
            others = [post(client, one) for one in neighbours(30)]
            answered = await asyncio.wait_for(asyncio.gather(*others), WAIT_S / 2)
            assert not waiting[0].done()
            go_on.set()
            return answered, await asyncio.gather(*waiting)

    try:
        answered, waited = asyncio.run(send())
    finally:
        go_on.set()
    assert {status for answer in answered for status in told(answer).values()} == {201}
    assert len(door.stored()) == 31
    told_to_retry = [answer for answer in waited if answer.status_code == 503]
    assert all(answer.headers["retry-after"] for answer in told_to_retry)
    done = [answer for answer in waited if answer not in told_to_retry]
    assert {status for answer in done for status in told(answer).values()} == {201}


def test_clients_that_write_to_one_observation_at_once_lose_nothing(door: Door) -> None:
    updates = [
        event(f"u{n}", "span-update", id="o", metadata={f"k{n}": str(n)}) for n in range(120)
    ]

    async def send() -> None:
        async with door.client() as client:
            left = [CREATED, *updates]
            while left:  # a client that has to retry does so, as the SDKs do
                answers = await asyncio.gather(*(post(client, one) for one in left))
                left = [e for e, a in zip(left, answers, strict=True) if a.status_code == 503]
                done = [a for a in answers if a.status_code != 503]
                assert {status for a in done for status in told(a).values()} == {201}

    asyncio.run(send())
    stored = door.stored()["o"]
    assert {stored.get(f"langfuse.observation.metadata.k{n}") for n in range(120)} == set(
        map(str, range(120))
    )
