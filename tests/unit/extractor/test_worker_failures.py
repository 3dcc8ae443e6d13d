"""A trace that raises, or that the store refuses, and the others beside it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import TRACE, World, sent
from tests.support.memory_store import MemoryStore

from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.tenancy import Reach
from spanloom.extractor.extract import extract as extraction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import TrajectoryRecord

OTHER = "cd" * 16


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Give the trace ids whose extraction raises."""
    broken: set[str] = set()

    def extract(key: TraceKey, spans: Iterable[Span]) -> Trajectory:
        if key.trace_id in broken:
            raise ValueError("out of cheese")
        return extraction(key, spans)

    monkeypatch.setattr("spanloom.extractor.batch.extract", extract)
    return broken


def test_a_trace_that_raises_does_not_stop_the_others(world: World, breaking: set[str]) -> None:
    breaking.add(TRACE)
    world.send(sent(1), sent(1, trace_id=OTHER))
    world.step(1)
    assert (world.said(), world.said(OTHER)) == ((0, "", 0), (1, "settled", 1))
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
    assert len(world.store.spans_document(TRACE, Reach.ALL) or b"") > 100
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
    class Refusing(MemoryStore):
        def write(self, records: Sequence[TrajectoryRecord]) -> None:
            if any(record.key.trace_id == TRACE for record in records):
                raise StoreRejectedError("not this one")
            super().write(records)

    world = World(Refusing())
    world.send(sent(1), sent(1, trace_id=OTHER), sent(1, trace_id="ef" * 16))
    world.step(1)
    assert world.statuses([TRACE, OTHER, "ef" * 16]) == {"ab": "", "cd": "settled", "ef": "settled"}
    assert world.step(1) == 0
    assert world.step(60) == 1
