"""Which traces wait, and when one no longer does."""

from __future__ import annotations

import pytest
from tests.support.extracting import World, key_of, sent
from tests.support.otlp_requests import message_of

from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.extractor.discovery import LOOK_BACK_US, Discovery
from spanloom.extractor.readiness import NS, Timing

OTHER = "cd" * 16


class Looking(World):
    """A world whose extractor only looks."""

    def __init__(self) -> None:
        super().__init__()
        self.discovery = Discovery(self.store, self.timing)

    def look(self, seconds: float = 0) -> int:
        """Let time pass and look; give how many traces wait."""
        self.wait(seconds)
        self.discovery.look(self.now_ns)
        return len(self.discovery)

    def due(self) -> list[tuple[str, Status]]:
        return [(t.key.trace_id, status) for t, status in self.discovery.due(self.now_ns)]

    def build(self, seq: int | None = None) -> None:
        """Note everything that is due as built, up to the newest span it knows of."""
        for trace, status in self.discovery.due(self.now_ns):
            found = trace.seq if seq is None else seq
            arrived = self.store.arrived([trace.key])[trace.key]
            self.store.record_progress([Progress(trace.key, found, status, arrived=arrived)])
            self.discovery.built(trace, found, status, self.now_ns)


@pytest.fixture
def world() -> Looking:
    return Looking()


def test_nothing_is_known_before_the_first_look(world: Looking) -> None:
    world.send(sent(1))
    assert len(world.discovery) == 0
    assert world.look() == 1


def test_a_trace_leaves_when_its_newest_span_was_built(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look(0.2) == 0


def test_a_trace_stays_if_the_build_saw_less(world: Looking) -> None:
    world.send(sent(1))
    seq = world.now_ns // 1000
    world.send(sent(2, 1))
    world.look(1)
    world.build(seq)
    assert world.look(0.2) == 1
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]


def test_a_trace_whose_spans_cannot_be_seen_is_asked_for_once_a_second(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build(seq=0)
    assert world.look(0.5) == 1
    assert world.due() == []
    world.look(0.5)
    assert len(world.due()) == 1


def test_a_live_build_keeps_it_and_a_late_span_brings_it_back(world: Looking) -> None:
    world.send(sent(2, 1))
    world.look(30)
    assert world.due() == [(key_of().trace_id, Status.LIVE)]
    world.build()
    assert world.look(1) == 1
    world.send(sent(1))
    world.look(1)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    world.send(sent(3, 1))
    assert world.look(1) == 1
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]


def test_those_that_waited_longest_come_first(world: Looking) -> None:
    for trace_id in (OTHER, key_of().trace_id):
        world.send(sent(1, trace_id=trace_id))
        world.wait(0.1)
    world.look(1)
    assert [trace_id for trace_id, _ in world.due()] == [OTHER, key_of().trace_id]


def test_what_appears_behind_the_cursor_is_found_by_looking_back(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    late = world.now_ns // 1000 - LOOK_BACK_US // 2
    world.send(sent(1, trace_id=OTHER))
    world.look()
    world.send_message(message_of([sent(1, trace_id="ef" * 16)]), seq=late)
    assert world.look(0.2) == 3


def test_what_appears_far_behind_the_cursor_is_found_by_the_sweep(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.send_message(message_of([sent(1, trace_id=OTHER)]), seq=7)
    assert world.look(0.2) == 1
    assert world.look(world.timing.sweep_s) == 2


def test_an_old_sequence_of_a_finished_trace_is_found_by_the_sweep(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.send_message(message_of([sent(2, 1)]), seq=7)
    assert world.look(0.2) == 0
    assert world.look(world.timing.sweep_s) == 1
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look(world.timing.sweep_s) == 0


def test_growth_moves_the_end_of_the_quiet_time(world: Looking) -> None:
    world.send(sent(1))
    world.look(0.9)
    world.send(sent(2, 1))
    world.look(0.9)
    assert world.due() == []
    assert world.look(0.1) == 1
    assert len(world.due()) == 1


def test_spans_are_counted_once_however_often_they_are_seen(world: Looking) -> None:
    world.send(sent(1), sent(2, 1))
    for _ in range(3):
        world.look(0.3)
    assert [trace.span_count for trace, _ in world.discovery.due(world.now_ns + NS)] == [2]


def test_a_new_beginning_knows_attempts_and_roots(world: Looking) -> None:
    world.send(sent(1))
    world.store.record_progress([Progress(key_of(), 0, Status.LIVE, attempts=4)])
    world.look()
    assert world.due() == [(key_of().trace_id, Status.FAILED)]


def test_a_late_span_of_a_settled_trace_needs_no_root_of_its_own(world: Looking) -> None:
    world.send(sent(1))
    world.store.record_progress([Progress(key_of(), world.now_ns // 1000, Status.SETTLED)])
    world.look(100)
    assert len(world.discovery) == 0
    world.send(sent(2, 1))
    world.look(1)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]


def test_a_revisit_is_due_at_once_and_once(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.discovery.revisit([key_of()], world.now_ns)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build(seq=world.now_ns // 1000)
    assert world.look(0.2) == 0


def test_finished_traces_are_forgotten_behind_the_look_back() -> None:
    world = Looking()
    world.discovery = Discovery(world.store, Timing(root_quiet_s=0))
    for number in range(1, 10_050):
        world.send(sent(1, trace_id=f"{number:032x}"))
    world.look(1)
    world.build()
    world.wait(3600)
    world.send(sent(1, trace_id=OTHER))
    assert world.look() == 1
    assert len(world.discovery._done) == 0
