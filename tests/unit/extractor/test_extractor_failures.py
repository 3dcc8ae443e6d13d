"""A trace that raises, or that the store refuses, does not stop the other traces."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import TRACE, World, sent
from tests.support.memory_spans import MemorySpans
from tests.support.memory_state import MemoryState
from tests.support.memory_store import MemoryStore
from tests.support.memory_trajectories import MemoryTrajectories

from spanloom.core.errors import StoreRejectedError, StoreTooSmallError, StoreUnavailableError
from spanloom.core.extract import extract as extraction
from spanloom.core.model.access import Reach
from spanloom.core.ports.spans import Arrived

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.spans import Traces
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.pricing import PriceBook

OTHER = "cd" * 16


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return a set; extraction raises for the trace ids that a test adds to it."""
    broken: set[str] = set()

    def extract(key: TraceKey, spans: Iterable[Span], prices: PriceBook) -> Trajectory:
        if key.trace_id in broken:
            raise ValueError("out of cheese")
        return extraction(key, spans, prices)

    monkeypatch.setattr("spanloom.extractor.drafts.extract", extract)
    return broken


def test_a_trace_that_raises_does_not_stop_the_others(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1), sent(1, trace_id=OTHER))
    world.step(1)
    assert (world.said(), world.said(OTHER)) == ((0, "", 0), (1, "settled", 1))
    assert world.metrics.extraction_failures._value.get() == 1


def test_a_trajectory_that_cannot_be_written_does_not_stop_the_others() -> None:
    """The reason does not matter; here it is an error that no code expects."""

    class Choosy(MemoryTrajectories):
        def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
            if any(record.key.trace_id == TRACE for record in records):
                raise TypeError("Integer exceeds 64-bit range")
            return super().write(records)

    store = MemoryStore()
    store.trajectories = Choosy(store.state)
    world = World(store)
    world.send(*(sent(1, trace_id=trace) for trace in (f"{1:032x}", TRACE, OTHER)))
    world.step(1)
    assert (world.said(), world.said(OTHER)) == ((0, "", 0), (1, "settled", 1))
    assert world.said(f"{1:032x}") == (1, "settled", 1)
    assert world.metrics.extraction_failures._value.get() == 1


def test_it_is_tried_again_and_ends_as_failed(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1), sent(2, 1))
    tried = [second for second in range(2000) if world.step(1)]
    assert [b - a for a, b in itertools.pairwise(tried)] == [60, 120, 240, 480]
    assert world.said() == (1, "failed", 2)
    document = world.document()
    assert document["extraction"]["warnings"][0] == "extraction failed: ValueError: out of cheese"
    assert document["agent_steps"] == []
    assert len(world.store.documents.spans(TRACE, Reach.ALL) or b"") > 100
    assert world.step(60) == 0


def test_a_restart_does_not_forget_the_attempts(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1))
    for _ in range(5):
        world.restart()
        world.step(1)
    assert world.said()[1] == "failed"


def test_a_trace_that_recovers_is_settled(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1))
    world.step(1)
    breaking.clear()
    assert world.step(59) == 0
    assert world.step(1) == 1
    assert world.said() == (1, "settled", 1)


def test_recovery_at_the_last_attempt_is_no_failure(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1))
    for _ in range(4):
        world.restart()
        world.step(1)
    breaking.clear()
    world.restart()
    world.step()
    assert world.said() == (1, "settled", 1)


def test_a_late_span_of_a_failed_trace_tries_anew(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1))
    for _ in range(5):
        world.restart()
        world.step(1)
    breaking.clear()
    world.send(sent(2, 1))
    world.run(61)
    assert world.said() == (2, "settled", 2)


def test_what_the_store_refuses_does_not_stop_the_others() -> None:
    class Refusing(MemoryTrajectories):
        def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
            if any(record.key.trace_id == TRACE for record in records):
                raise StoreRejectedError("not this one")
            return super().write(records)

    store = MemoryStore()
    store.trajectories = Refusing(store.state)
    world = World(store)
    world.send(sent(1), sent(1, trace_id=OTHER), sent(1, trace_id="ef" * 16))
    world.step(1)
    assert world.statuses([TRACE, OTHER, "ef" * 16]) == {"ab": "", "cd": "settled", "ef": "settled"}
    assert world.step(1) == 0
    assert world.step(60) == 1


class Unreadable(MemorySpans):
    """A span store with too little memory for some traces, or for more than ``room`` at once."""

    def __init__(self, *trace_ids: str, room: int = 1000) -> None:
        super().__init__(MemoryState())
        self.unreadable = set(trace_ids)
        self.room = room
        self.reads: list[int] = []

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        self.reads.append(len(keys))
        if len(keys) > self.room or any(key.trace_id in self.unreadable for key in keys):
            raise StoreTooSmallError("memory limit exceeded")
        return super().read_spans(keys)


def store_with(spans: MemorySpans) -> MemoryStore:
    store = MemoryStore(spans.state)
    store.spans = spans
    return store


MANY = [f"{n:032x}" for n in range(1, 65)]


def test_a_batch_that_is_only_too_large_goes_through_in_halves() -> None:
    spans = Unreadable(room=10)
    world = World(store_with(spans))
    world.send(*(sent(1, trace_id=t) for t in MANY))
    assert world.step(1) == len(MANY)
    assert {world.said(t) for t in MANY} == {(1, "settled", 1)}
    assert world.extractor._discovery.quarantined == 0


def test_what_cannot_be_read_is_shown_and_the_rest_is_built_in_the_same_look() -> None:
    bad = set(MANY[3:5])
    spans = Unreadable(*bad)
    world = World(store_with(spans))
    world.send(*(sent(1, trace_id=t) for t in MANY))
    world.step(1)
    assert {t for t in MANY if world.said(t) == (1, "settled", 1)} == set(MANY) - bad
    assert {world.said(t) for t in bad} == {(1, "failed", 1)}
    [warning] = world.document(MANY[3])["extraction"]["warnings"]
    assert warning == "the trace could not be built: StoreTooSmallError: memory limit exceeded"
    assert world.store.documents.spans(MANY[3], Reach.ALL) == b"[]"
    assert "\nspanloom_traces_quarantined 2.0\n" in world.metrics.render().decode()
    assert [(p.key.trace_id, p.attempts, p.error) for p in world.store.progress.quarantined(9)] == [
        (t, 1, "memory limit exceeded") for t in MANY[3:5]
    ]
    spans.reads.clear()
    world.send(sent(1, trace_id=OTHER))
    world.step(1)
    assert spans.reads == [1], "what failed is not read again before its time"


def test_it_shows_all_spans_that_came_while_the_store_is_still_counting() -> None:
    """The store counts spans last, so an INSERT under way is read before it is counted."""

    class Counting(Unreadable):
        def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
            return dict.fromkeys(super().arrived(keys), Arrived(spans=1))

    world = World(store_with(Counting(TRACE)))
    world.send(sent(1), sent(2, 1), sent(3, 1))
    world.step(1)
    assert world.document()["extraction"]["span_count"] == 3


def test_it_is_read_again_alone_more_and_more_rarely_for_ever() -> None:
    spans = Unreadable(TRACE)
    world = World(store_with(spans))
    world.send(sent(1))
    tried = [minute for minute in range(400) if world.step(60)]
    assert [b - a for a, b in itertools.pairwise(tried)] == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    spans.unreadable.clear()
    world.run(3600, every=60)
    assert world.said() == (2, "settled", 1)
    assert world.store.progress.quarantined(9) == []
    assert world.step(100) == 0


def test_one_that_recovers_lets_the_others_be_tried_at_once() -> None:
    spans = Unreadable(TRACE, OTHER)
    world = World(store_with(spans))
    world.send(sent(1))
    world.run(2000, every=10)
    world.send(sent(1, trace_id=OTHER))
    world.step(1)
    spans.unreadable.clear()
    world.run(62, every=1)
    assert world.statuses([TRACE, OTHER]) == {"ab": "settled", "cd": "settled"}


def test_new_spans_begin_the_attempts_anew_but_not_all_the_time() -> None:
    spans = Unreadable(TRACE)
    world = World(store_with(spans))
    world.send(sent(1))
    world.run(4000, every=10)
    spans.reads.clear()
    for number in range(2, 122):
        world.send(sent(number, 1))
        world.step(1)
    world.run(5, every=1)
    assert 1 <= len(spans.reads) <= 3
    spans.unreadable.clear()
    world.run(70, every=1)
    assert world.said()[1:] == ("settled", 121)


def test_a_trajectory_that_stands_is_not_replaced_by_an_error() -> None:
    spans = Unreadable()
    world = World(store_with(spans))
    world.send(sent(1))
    world.step(1)
    spans.unreadable.add(TRACE)
    world.send(sent(2, 1))
    world.run(1000, every=10)
    assert world.said() == (1, "settled", 1)
    assert [p.key.trace_id for p in world.store.progress.quarantined(9)] == [TRACE]
    world.restart()
    spans.unreadable.clear()
    world.step()
    assert world.said() == (2, "settled", 2)


def test_a_store_that_is_away_is_no_fault_of_the_traces() -> None:
    class Away(MemoryStore):
        def ping(self) -> None:
            if spans.unreadable:
                raise StoreUnavailableError("away")

    spans = Unreadable(TRACE)
    store = Away(spans.state)
    store.spans = spans
    world = World(store)
    world.send(sent(1), sent(1, trace_id=OTHER))
    world.wait(1)
    with pytest.raises(StoreUnavailableError, match="away"):
        world.step()
    spans.unreadable.clear()
    assert world.step() == 2
    assert world.statuses([TRACE, OTHER]) == {"ab": "settled", "cd": "settled"}


def test_what_is_too_large_to_write_fails_alone() -> None:
    class Narrow(MemoryTrajectories):
        def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
            if any(record.key.trace_id == TRACE and record.seq for record in records):
                raise StoreTooSmallError("memory limit exceeded")
            return super().write(records)

    store = MemoryStore()
    store.trajectories = Narrow(store.state)
    world = World(store)
    world.send(sent(1), *(sent(1, trace_id=t) for t in MANY))
    world.step(1)
    assert {world.said(t) for t in MANY} == {(1, "settled", 1)}
    assert world.metrics.traces_quarantined._value.get() == 1
