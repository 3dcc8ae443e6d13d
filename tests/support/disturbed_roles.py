"""Several collectors and extractors over one ClickHouse server, killed, frozen and restarted.

Requests of a capture are sent to the collectors in turn, as through a load balancer; each is sent
again until it is acknowledged. Afterwards every run must exist once, in every list and view.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import httpx
from tests.support.ground_truth import OTLP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from clickhouse_connect.driver.client import Client
    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.ground_truth import Capture
    from tests.support.started_server import StartedServer

SENDERS = 4
SENT_S = 120.0
SETTLED_S = 120.0
ROLES = ("keeper", "collect-0", "collect-1", "extract-0", "extract-1", "api")


@dataclass
class Fleet:
    """The processes by name; a killed process is replaced by the next process with its name."""

    start: StartSpanloom
    server: StartedServer
    place: Path
    env: Mapping[str, str]
    urls: dict[str, str] = field(default_factory=dict)
    """The URL of the store for processes that do not use the common URL."""
    running: dict[str, RunningSpanloom] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    """Processes that ended by themselves, with the end of their log."""

    def begin(self, names: Sequence[str] = ROLES) -> None:
        """Start all processes; none waits for another."""
        for name in names:
            self.begin_one(name)

    def begin_one(self, name: str) -> None:
        """Start a process, on the directory of its predecessor."""
        self.running[name] = self.start(
            name.split("-", maxsplit=1)[0],
            f"--store-url={self.urls.get(name, self.server.url())}",
            data_dir=self.place / name,
            env=self.env,
            bare=True,
        )

    def kill(self, name: str) -> None:
        """Kill a process and start it again; the name ``store`` means the server."""
        if name == "store":
            self.server.end(signal.SIGKILL)
            time.sleep(1)
            self.server.start()
            return
        self._note_if_ended(name)
        self.running[name].stop(signal.SIGKILL)
        self.begin_one(name)

    @contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """Stop a process within the context without ending it."""
        process = self.running[name].process
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End all processes in order; each must still run, and end with status 0."""
        for name, part in self.running.items():
            self._note_if_ended(name)
            if part.process.poll() is None and part.stop() != 0:
                self.ended.append(f"{name}: {part.log[-2000:]}")
        assert self.ended == []

    def _note_if_ended(self, name: str) -> None:
        part = self.running[name]
        if part.process.poll() is not None:
            self.ended.append(f"{name}: {part.log[-2000:]}")

    @property
    def api(self) -> str:
        """The address of the API."""
        return self.running["api"].api

    def metric(self, name: str) -> float:
        """Return the sum of a metric over all extractors."""
        texts = [
            httpx.get(f"{part.api}/metrics", timeout=20).text
            for role, part in self.running.items()
            if role.startswith("extract")
        ]
        lines = (line for text in texts for line in text.splitlines())
        return sum(float(line.split()[-1]) for line in lines if line.startswith(f"{name} "))

    def send(self, captures: Iterable[Capture]) -> int:
        """Send the requests of captures to the collectors in turn; return how many were refused.

        Any response but a success counts as refused; a connection to a killed process is tried
        again.
        """
        turns, refused = count(), Counter[int]()

        def deliver(path: str, kind: str, body: bytes) -> None:
            until = time.monotonic() + SENT_S
            while time.monotonic() < until:
                address = self.running[f"collect-{next(turns) % 2}"].addresses["otlp_http"]
                try:
                    answer = httpx.post(
                        f"{address}{path}", content=body, headers={"Content-Type": kind}, timeout=20
                    )
                except httpx.TransportError:
                    time.sleep(0.1)
                    continue
                if answer.is_success:
                    return
                refused[answer.status_code] += 1
                time.sleep(0.2)
            raise AssertionError(f"a request was not acknowledged within {SENT_S:g} s: {refused}")

        def send_one(capture: Capture) -> None:
            if logs := capture.logs():
                deliver("/v1/logs", "application/x-protobuf", logs)
            for body in capture.requests():
                deliver(OTLP, "application/x-protobuf", body)

        with ThreadPoolExecutor(SENDERS) as senders:
            list(senders.map(send_one, captures))
        return sum(refused.values())


class Followers:
    """Reads the change feed from before the first run, and checks that each version comes once."""

    def __init__(self, fleet: Fleet) -> None:
        """Follow the API of the fleet, even if its address changes."""
        self._fleet = fleet
        self._after = "beginning"
        self._ending = threading.Event()
        self.seen: Counter[tuple[str, int]] = Counter()
        self.contents: dict[tuple[str, int], str] = {}

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow within the context, in a thread."""
        thread = threading.Thread(target=self._follow)
        thread.start()
        try:
            yield
        finally:
            self._ending.set()
            thread.join()

    def read_on(self) -> int:
        """Read all available changes; return their number."""
        query = {"after": self._after, "wait": "0", "duplicate": "any", "has_steps": "any"}
        url = f"{self._fleet.api}/v1/trajectories/changes"
        answer = httpx.get(url, params=query, timeout=20)
        if answer.status_code != 200:
            return 0
        body = answer.json()
        self.seen.update((item["trace_id"], item["version"]) for item in body["items"])
        self._after = body["next"]
        return len(body["items"])

    def _follow(self) -> None:
        while not self._ending.is_set():
            try:
                self.read_on()
            except httpx.TransportError:
                time.sleep(0.1)
            self._ending.wait(0.2)


def await_whole(fleet: Fleet, captures: Iterable[Capture], within_s: float = SETTLED_S) -> None:
    """Wait until each trace shows all its spans and is not live; fail with the other traces."""
    expected = {trace: n for c in captures for trace, n in c.spans_by_trace.items()}
    until = time.monotonic() + within_s
    while behind := _behind(fleet, expected):
        assert time.monotonic() < until, f"stale after {within_s:g} s: {behind}"
        time.sleep(0.5)


def _behind(fleet: Fleet, expected: Mapping[str, int]) -> dict[str, object]:
    rows = fleet.server.client().query(
        "SELECT TraceId, SpanCount, Status FROM trajectories FINAL", column_oriented=False
    )
    found = {trace: (spans, status) for trace, spans, status in rows.result_rows}
    return {
        trace: (found.get(trace), spans)
        for trace, spans in expected.items()
        if trace not in found or found[trace][0] != spans or found[trace][1] == "live"
    }


def check_once(fleet: Fleet) -> None:
    """Assert that no run, step or row is anywhere twice, and that lists and views agree."""
    client = fleet.server.client()
    runs = _column(client, "SELECT TraceId FROM v_trajectories")
    steps = _column(client, "SELECT (TraceId, StepId) FROM v_steps")
    documents = _column(client, "SELECT TraceId FROM v_documents")
    listed = listed_runs(fleet.api)
    for name, found in {
        "runs": runs,
        "steps": steps,
        "documents": documents,
        "list": listed,
    }.items():
        twice = [one for one, times in Counter(found).items() if times > 1]
        assert twice == [], (name, twice)
    assert set(runs) == set(documents) == set(listed)
    assert set(_column(client, "SELECT DISTINCT TraceId FROM otel_traces")) <= set(runs)


def listed_runs(api: str) -> list[str]:
    """Return the trace id of each item in the list, page by page."""
    found: list[str] = []
    query = {"limit": "100", "duplicate": "any", "has_steps": "any"}
    while True:
        page = httpx.get(f"{api}/v1/trajectories", params=query, timeout=20).raise_for_status()
        found += [item["trace_id"] for item in page.json()["items"]]
        if page.json()["next_cursor"] is None:
            return found
        query["cursor"] = page.json()["next_cursor"]


def one_content_each(client: Client) -> None:
    """Assert that no version number of a trace has two documents, among all existing rows."""
    twice = client.query(
        "SELECT TraceId, Version FROM trajectories GROUP BY TraceId, Version"
        " HAVING uniqExact(Document) > 1"
    ).result_rows
    assert list(twice) == []


def _column(client: Client, query: str) -> list[Any]:
    return [row[0] for row in client.query(query).result_rows]


def in_turn(
    names: Iterable[str], act: Callable[[str], None], every_s: float, ending: threading.Event
) -> None:
    """Call ``act`` for each name, one per ``every_s`` seconds, until ``ending`` is set."""
    for name in names:
        if ending.wait(every_s):
            return
        act(name)
