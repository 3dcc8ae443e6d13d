"""Discovery finds the traces that wait to be built, and drops each once it is built."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Never

import pytest
from tests.support.extracting import World, key_of, sent
from tests.support.otlp_requests import message_of

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.extractor.discovery import MANY_MISSES, SHARES, Discovery, Outcome
from spanloom.extractor.readiness import NS, Moment, build_wait_ns
from spanloom.extractor.window import SWEEP_BACK_S

if TYPE_CHECKING:
    from collections.abc import Mapping

OTHER = "cd" * 16
LARGE = 20_000
"""The number of spans of a run that takes seconds to build."""


class Looking(World):
    """A test world that runs only the extractor's discovery."""

    def __init__(self) -> None:
        super().__init__()
        self.discovery = Discovery(self.store.progress, self.timing)

    def look(self, seconds: float = 0) -> int:
        """Advance the clock, let discovery look once, and return how many traces wait."""
        self.wait(seconds)
        self.discovery.look(Moment(self.now_ns, self.wall_ahead_ns))
        return len(self.discovery)

    def due(self) -> list[tuple[str, Status]]:
        return [(t.key.trace_id, status) for t, status in self.discovery.due(self.now_ns)]

    def build(self, *, is_whole: bool = True, before_seq: int = 2**64) -> None:
        """Record all due traces as built from requests with a sequence below ``before_seq``."""
        for trace, status in self.discovery.due(self.now_ns):
            arrived = self.store.spans.arrived([trace.key])[trace.key]
            seen = {(r.seq, r.spans) for r in arrived.requests if r.seq < before_seq}
            outcome = Outcome(arrived.newest_seq, status, is_whole, seen)
            if is_whole:
                known = (arrived.spans, "", len(seen), arrived.digest, True)
                progress = Progress(trace.key, outcome.seq, status, 0, *known)
                self.store.progress.record_progress([progress])
            self.discovery.built(trace, outcome, self.now_ns)


@pytest.fixture
def world() -> Looking:
    return Looking()


def test_nothing_is_known_before_the_first_look(world: Looking) -> None:
    world.send(sent(1))
    assert len(world.discovery) == 0
    assert world.look() == 1


def test_a_trace_leaves_when_all_that_arrived_was_built(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look(0.2) == 0


def test_a_trace_stays_if_a_request_of_a_change_had_not_arrived(world: Looking) -> None:
    """A change may be visible before its request, whatever its sequence, as they are two tables."""
    world.send(sent(1))
    world.send(sent(2, 1))
    world.look(1)
    [trace] = (trace for trace, _ in world.discovery.due(world.now_ns))
    world.build(before_seq=max(trace.known)[0])
    assert world.look(0.2) == 1
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look() == 0


def test_a_trace_of_which_less_was_read_is_built_soon_and_then_more_and_more_rarely(
    world: Looking,
) -> None:
    world.send(sent(1))
    world.look(1)
    waits = []
    for _ in range(12):
        world.build(is_whole=False)
        waited = 0.0
        while world.look(0.1) and not world.due():
            waited += 0.1
        waits.append(round(waited + 0.1, 1))
    assert waits[:4] == [0.2, 0.4, 0.8, 1.6]
    assert waits[-2:] == [60, 60]
    world.send(sent(2, 1))
    world.look(0.6)
    assert len(world.due()) == 1, "something new: the rest may have come with it"


def test_what_was_removed_is_no_longer_expected(world: Looking) -> None:
    """Retention or a deletion may remove a change before a build has read its request."""
    world.send(sent(1))
    world.look(1)
    [(trace, _)] = world.discovery.due(world.now_ns)
    trace.known.add((7, 3))
    for _ in range(MANY_MISSES):
        world.build()
        assert world.look(60) == 1
    world.build()
    assert world.look() == 0


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


@pytest.mark.parametrize("ahead_s", [-86_400, -3600, 3600, 86_400])
def test_what_a_collectors_clock_says_delays_nobody(world: Looking, ahead_s: int) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    own = (world.now_ns + ahead_s * NS) // 1000
    world.send_message(message_of([sent(1, trace_id=OTHER)]), seq=own)
    assert world.look(0.2) == 1
    world.look(1)
    world.build()
    world.send(sent(1, trace_id="ef" * 16))
    assert world.look(0.2) == 1


@pytest.mark.parametrize("ahead_s", [-56 * 365 * 86_400, -3600, 3600])
def test_a_wall_clock_that_is_set_delays_no_trace_that_waits(world: Looking, ahead_s: int) -> None:
    world.send(sent(1))
    assert world.look(0.2) == 1
    world.wall_ahead_ns = ahead_s * NS
    world.send(sent(2, 1), sent(1, trace_id=OTHER))
    assert world.look(0.2) == 2
    world.look(1)
    assert dict(world.due()) == {key_of().trace_id: Status.SETTLED, OTHER: Status.SETTLED}


def test_what_becomes_visible_soon_is_found_by_the_next_look(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.insert_late(5, message_of([sent(1, trace_id=OTHER)]))
    assert world.look(0.2) == 2


@pytest.mark.parametrize("late_s", [60, 800])
def test_what_becomes_visible_late_is_found_by_the_sweep(world: Looking, late_s: int) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.look(late_s)
    world.insert_late(late_s - 10, message_of([sent(1, trace_id=OTHER)]))
    assert world.look(0.2) == 0
    assert world.look(world.timing.sweep_s) == 1


def test_what_becomes_visible_late_in_a_second_that_was_read_is_found_alone(
    world: Looking,
) -> None:
    for trace_id in ("1" * 32, "2" * 32):
        world.send(sent(1, trace_id=trace_id))
    world.look(1)
    world.build()
    world.look(300)
    world.insert_late(301, message_of([sent(1, trace_id=OTHER)]))
    world.look(world.timing.sweep_s)
    assert [t.key.trace_id for t in world.discovery._pending.values()] == [OTHER]


def test_an_old_sequence_of_a_finished_trace_is_found_at_once(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.send_message(message_of([sent(2, 1)]), seq=7)
    assert world.look(0.6) == 1
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look(world.timing.sweep_s) == 0


def test_what_no_look_finds_is_found_when_its_share_of_the_traces_is_compared(
    world: Looking,
) -> None:
    """The comparison finds rows however late an INSERT becomes visible and whatever clocks say."""
    world.look()
    world.insert_late(10 * SWEEP_BACK_S, message_of([sent(1, trace_id=OTHER)]))
    found_after = [n for n in range(1, SHARES + 1) if world.look(world.timing.sweep_s)]
    assert found_after[:1] == [int(OTHER[:2], 16) + 1]


def test_a_sweep_asks_for_a_quarter_of_an_hour_whatever_is_stored(
    world: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 200):
        world.send(sent(1, trace_id=f"{number:032x}"))
        world.look(60)
        world.build()
    asked: list[int] = []
    inserted = world.store.progress.inserted

    def noting(since_s: int, width_s: int = 1) -> Mapping[int, int]:
        asked.append(since_s)
        return inserted(since_s, width_s)

    monkeypatch.setattr(world.store.progress, "inserted", noting)
    world.look(60)
    assert asked == [world.store.progress.clock() - 60 - SWEEP_BACK_S]


def test_after_a_long_pause_a_sweep_begins_before_it(world: Looking) -> None:
    world.look()
    world.send(sent(1))
    world.wait(86_400)
    assert world.look() == 1


def test_a_new_beginning_reads_from_the_watermark_on(world: Looking) -> None:
    for number in range(1, 100):
        world.send(sent(1, trace_id=f"{number:032x}"))
        world.look(60)
        world.build()
    world.send(sent(1, trace_id=OTHER))
    began = Discovery(world.store.progress, world.timing)
    began.look(Moment(world.now_ns))
    assert [t.key.trace_id for t in began._pending.values()] == [OTHER]
    assert world.store.progress.read_watermark() > world.store.progress.clock() - 120
    assert min(began._window._known) > world.store.progress.clock() - 2 * SWEEP_BACK_S


def test_a_waiting_trace_holds_the_watermark_until_the_store_knows_of_it(world: Looking) -> None:
    world.send(sent(2, 1))
    world.look()
    first_s = world.store.progress.clock()
    world.look(61)
    assert world.store.progress.read_watermark() == first_s
    world.build()
    assert world.store.progress.read_progress([key_of()])[key_of()].status is Status.PARTIAL
    world.look(61)
    assert world.store.progress.read_watermark() == world.store.progress.clock()


def test_a_store_whose_clock_was_set_back_is_compared_whole(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.look(61)
    world.wait(-86_400)
    world.send(sent(1, trace_id=OTHER))
    began = Discovery(world.store.progress, world.timing)
    began.look(Moment(world.now_ns))
    assert [t.key.trace_id for t in began._pending.values()] == [OTHER]
    world.look(0.2)
    world.look(61)
    assert OTHER in [t.key.trace_id for t in world.discovery._pending.values()]


def test_a_store_that_fails_half_way_through_a_look_is_asked_again(
    world: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.look()
    world.send(sent(1))
    for method in ("changes_since", "read_progress"):
        with monkeypatch.context() as broken:
            broken.setattr(world.store.progress, method, raising)
            with pytest.raises(StoreUnavailableError):
                world.look(0.2)
    assert world.look(0.2) == 1
    assert [trace.span_count for trace, _ in world.discovery.due(world.now_ns + 9 * NS)] == [1]


def test_a_store_that_took_nothing_in_is_not_asked(
    world: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.send(sent(1))
    world.look()
    assert world.look(0.2) == 1
    with monkeypatch.context() as broken:
        broken.setattr(world.store.progress, "changes_since", raising)
        assert world.look(0.2) == 1
        world.send(sent(1, trace_id=OTHER))
        with pytest.raises(StoreUnavailableError):
            world.look(0.2)
        with pytest.raises(StoreUnavailableError):
            world.look(0.2)
        broken.setattr(world.store.progress, "appends", lambda: None)
        with pytest.raises(StoreUnavailableError):
            world.look(0.2)
    assert world.look(0.2) == 2


def raising(*_: object) -> Never:
    raise StoreUnavailableError("away")


def test_growth_moves_the_end_of_the_quiet_time(world: Looking) -> None:
    world.send(sent(1))
    world.look(0.4)
    world.send(sent(2, 1))
    world.look(0.4)
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
    world.store.progress.record_progress([Progress(key_of(), 0, Status.LIVE, attempts=4)])
    world.look()
    assert world.due() == [(key_of().trace_id, Status.FAILED)]


def test_a_late_span_of_a_settled_trace_needs_no_root_of_its_own(world: Looking) -> None:
    world.send(sent(1))
    world.store.progress.record_progress([Progress(key_of(), world.now_ns // 1000, Status.SETTLED)])
    world.look(100)
    assert len(world.discovery) == 0
    world.send(sent(2, 1))
    world.look(1)
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]


def test_a_revisit_is_due_at_once_and_once(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.discovery.revisit([key_of()], world.now_ns, {})
    assert world.due() == [(key_of().trace_id, Status.SETTLED)]
    world.build()
    assert world.look(0.2) == 0


def test_a_revisit_records_no_lower_sequence_than_is_recorded(world: Looking) -> None:
    """With a lower one the store would keep its row, and a restart would not know of a failure."""
    world.send(sent(1))
    world.look(1)
    world.build()
    (progress,) = world.store.progress.read_progress([key_of()]).values()
    world.discovery.revisit([key_of()], world.now_ns, {})
    ((trace, _),) = world.discovery.due(world.now_ns)
    assert trace.built_seq == progress.seq > 0


def test_a_revisit_is_found_by_whoever_looks_and_until_it_was_built(world: Looking) -> None:
    world.send(sent(1))
    world.look(1)
    world.build()
    world.store.progress.record_revisits([key_of()])
    other = Discovery(world.store.progress, world.timing)
    other.look(Moment(world.now_ns))
    assert len(other) == 1
    assert world.look(0.2) == 1
    world.wait(1)
    world.build()
    again = Discovery(world.store.progress, world.timing)
    again.look(Moment(world.now_ns))
    assert (world.look(), len(again)) == (0, 0)


def test_a_revisit_pays_for_what_is_read_again(world: Looking) -> None:
    """A revisit by this or another process waits as long as its spans take to read again."""
    world.send(sent(1))
    world.look(1)
    world.build()
    (progress,) = world.store.progress.read_progress([key_of()]).values()
    world.store.progress.record_progress([replace(progress, arrived=LARGE)])
    other = Discovery(world.store.progress, world.timing)
    other.look(Moment(world.now_ns))
    world.wait(2)
    world.store.progress.record_revisits([key_of()])
    other.look(Moment(world.now_ns))
    world.discovery.revisit([key_of()], world.now_ns, {key_of(): LARGE})
    later_ns = world.now_ns + build_wait_ns(LARGE, world.timing)
    for discovery in (other, world.discovery):
        assert discovery.due(later_ns - 1) == []
        ((trace, status),) = discovery.due(later_ns)
        assert (trace.span_count, trace.is_built, status) == (LARGE, True, Status.SETTLED)


def test_what_traces_got_is_forgotten_after_a_minute(world: Looking) -> None:
    for number in range(1, 1000):
        world.send(sent(1, trace_id=f"{number:032x}"))
        world.look(1)
        world.build()
    assert len(world.discovery._window._seen) <= 62
    assert len(world.discovery._window._known) <= SWEEP_BACK_S + 70
