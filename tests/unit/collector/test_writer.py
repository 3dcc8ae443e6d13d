from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

import pytest

from spanloom.collector.spool import writer as writer_module
from spanloom.collector.spool.dead_letters import DeadLetters
from spanloom.collector.spool.writer import Writer
from spanloom.core.errors import OverloadedError, StoreRejectedError, StoreUnavailableError
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.collector.spool.spool import Spool
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.ports.spans import SpooledRequest, TracePart
    from spanloom.metrics import Metrics

    StartWriter = Callable[..., Writer]


class RecordingStore:
    """A store that keeps the bodies that it receives, and fails as a test prepares."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.batches = 0
        self.failures: list[Exception] = []
        self.refused: set[bytes] = set()

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        if self.failures:
            raise self.failures.pop()
        if self.refused & {request.body for request in requests}:
            raise StoreRejectedError("a value has no column")
        self.batches += 1
        self.bodies += [request.body for request in requests]

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        raise NotImplementedError

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        raise NotImplementedError

    def read_otlp(self, key: TraceKey) -> bytes:
        raise NotImplementedError

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        raise NotImplementedError


@pytest.fixture
def store() -> RecordingStore:
    return RecordingStore()


@pytest.fixture
def start_writer(spool: Spool, store: RecordingStore, metrics: Metrics) -> Iterator[StartWriter]:
    started: list[Writer] = []

    def start(max_bytes: int = 1 << 20, wait_s: float = 0.0) -> Writer:
        writer = Writer(spool, store, metrics, max_bytes, wait_s)
        writer.start()
        started.append(writer)
        return writer

    yield start
    for writer in started:
        writer.stop(0)


def test_everything_arrives_once_and_leaves_the_spool(
    spool: Spool, store: RecordingStore, metrics: Metrics, start_writer: StartWriter
) -> None:
    writer = start_writer()
    bodies = [b"%d" % n for n in range(50)]
    for body in bodies:
        spool.put("", body, 2)
    spool.put("", b"events", 7, Signal.CONTENT_EVENTS)
    assert writer.drain(5)
    assert store.bodies == [*bodies, b"events"]
    assert spool.depth().records == 0
    assert "spanloom_spans_stored_total 100.0" in metrics.render().decode()


def test_a_backlog_goes_in_batches_of_the_largest_size(
    spool: Spool, store: RecordingStore, start_writer: StartWriter
) -> None:
    for _ in range(10):
        spool.put("", bytes(100), 1)
    assert start_writer(max_bytes=500).drain(5)
    assert store.batches == 2


def test_a_small_batch_waits_to_grow(
    spool: Spool, store: RecordingStore, start_writer: StartWriter
) -> None:
    start_writer(wait_s=2)
    spool.put("", b"a", 1)
    time.sleep(0.05)
    spool.put("", b"b", 1)
    until = time.monotonic() + 30
    while len(store.bodies) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert store.batches == 1


def test_what_has_waited_long_does_not_wait_to_grow(
    spool: Spool, store: RecordingStore, start_writer: StartWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that arrived during a long ``append``, for example, have waited long enough."""
    monkeypatch.setattr(spool, "age_s", lambda: 60.0)
    spool.put("", b"a", 1)
    start_writer(wait_s=60.0)
    until = time.monotonic() + 30
    while not store.bodies and time.monotonic() < until:
        time.sleep(0.01)
    assert store.bodies == [b"a"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [(StoreUnavailableError("restarting"), "unavailable"), (KeyError("?"), "fault")],
)
def test_what_may_pass_is_tried_again(
    failure: Exception,
    kind: str,
    spool: Spool,
    store: RecordingStore,
    metrics: Metrics,
    start_writer: StartWriter,
) -> None:
    store.failures = [failure, failure]
    spool.put("", b"patient", 1)
    assert start_writer().drain(5)
    assert store.bodies == [b"patient"]
    text = metrics.render().decode()
    assert f'spanloom_insert_failures_total{{kind="{kind}"}} 2.0' in text
    assert "spanloom_dead_letters_total 0.0" in text


def test_a_record_of_an_unknown_signal_is_set_aside(
    tmp_path: Path, spool: Spool, store: RecordingStore, start_writer: StartWriter
) -> None:
    """A newer release leaves such a record behind on a downgrade; it used to end the thread."""
    first, _ = spool.put("", b"of the future", 1), spool.put("", b"good", 1)
    with sqlite3.connect(tmp_path / "spool.sqlite") as file:
        file.execute("UPDATE requests SET signal = 'profiles' WHERE seq = ?", (first,))
    file.close()
    assert start_writer().drain(5)
    assert store.bodies == [b"good"]
    with DeadLetters(tmp_path / "spool.sqlite") as letters:
        assert [(letter.seq, letter.reason) for letter in letters.list()] == [
            (first, "unknown signal 'profiles'")
        ]


@pytest.mark.parametrize("position", [0, 3, 6])
def test_what_the_store_refuses_is_set_aside_alone(
    position: int, spool: Spool, store: RecordingStore, metrics: Metrics, start_writer: StartWriter
) -> None:
    bodies = [b"%d" % n for n in range(7)]
    for body in bodies:
        spool.put("", body, 1)
    store.refused = {bodies[position]}
    writer = start_writer()
    assert writer.drain(5)
    writer.stop(1)  # its last counts come after the drain
    assert set(store.bodies) == {body for body in bodies if body != bodies[position]}
    assert "spanloom_dead_letters_total 1.0" in metrics.render().decode()


def test_a_stopped_writer_leaves_the_rest(
    spool: Spool, store: RecordingStore, start_writer: StartWriter
) -> None:
    store.failures = [StoreUnavailableError("down")] * 1000
    spool.put("", b"left", 1)
    writer = start_writer()
    assert not writer.drain(0.1)
    writer.stop(0)
    assert spool.depth().records == 1


@pytest.mark.parametrize("waiting", [False, True])
def test_a_writer_that_waits_ends_when_it_is_told_to(
    spool: Spool,
    start_writer: StartWriter,
    monkeypatch: pytest.MonkeyPatch,
    waiting: bool,  # a parameter of pytest
) -> None:
    """The writer waits for a first record, or for more records of a batch."""
    monkeypatch.setattr(writer_module, "_IDLE_S", 3600)
    writer = start_writer(wait_s=3600 if waiting else 0)
    if waiting:
        spool.put("", b"small", 1)
    began = time.monotonic()
    writer.stop(60)
    assert time.monotonic() - began < 30
    assert spool.depth().records == 0


@pytest.mark.parametrize("method", ["delete", "read_batch"])
def test_a_spool_on_a_full_disk_is_outlasted(
    method: str,
    spool: Spool,
    store: RecordingStore,
    start_writer: StartWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures = [OverloadedError("The spool could not be written: disk full."), sqlite3.Error("no")]
    works = getattr(spool, method)

    def fails_twice(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return works(*arguments)

    monkeypatch.setattr(writer_module, "SPOOL_BACKOFF_S", 0.01)
    monkeypatch.setattr(spool, method, fails_twice)
    spool.put("", b"a", 1)
    assert start_writer().drain(5)
    assert not failures
    assert set(store.bodies) == {b"a"}


def test_a_store_that_recovers_while_a_batch_is_sifted_buries_nothing(
    spool: Spool, store: RecordingStore, metrics: Metrics, start_writer: StartWriter
) -> None:
    """The store refuses the batch and its first half, then recovers and takes both records."""
    for body in (b"a", b"b"):
        spool.put("", body, 1)
    refusal = StoreRejectedError("an upgrade gone wrong")
    store.failures = [refusal, refusal]
    assert start_writer().drain(5)
    assert set(store.bodies) == {b"a", b"b"}
    assert "spanloom_dead_letters_total 0.0" in metrics.render().decode()
