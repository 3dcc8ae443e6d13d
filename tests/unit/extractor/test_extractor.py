"""The extractor's loop runs step by step, over a store in memory and a clock set by the test."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.extracting import TRACE, World, key_of, sent
from tests.support.memory_progress import MemoryProgress
from tests.support.memory_spans import MemorySpans
from tests.support.memory_store import MemoryStore

from spanloom.core.coverage import number_of
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.spans import Traces
from spanloom.core.sharing import ALL
from spanloom.extractor.batch import build_batch
from spanloom.extractor.extractor import FEW_TRACES, MIN_REST_S
from spanloom.extractor.readiness import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import Progress, TraceChange
    from spanloom.core.sharing import Slices
    from spanloom.extractor.result import BatchResult, BuildOptions
    from spanloom.extractor.time_limit import BatchLimit

OTHER = "cd" * 16


@pytest.fixture
def world() -> World:
    return World()


def test_root_and_quiet_settle_a_trace(world: World) -> None:
    world.send(sent(2, 1), sent(1))
    assert world.step(0.4) == 0
    assert world.step(0.1) == 1
    assert world.said() == (1, "settled", 2)
    assert world.store.progress.read_progress([key_of()])[key_of()].status is Status.SETTLED
    assert world.step(100) == 0


def test_without_a_root_a_long_quiet_makes_it_partial(world: World) -> None:
    world.timing = Timing(growing_first_s=1000, growing_max_s=1000)
    world.restart()
    world.send(sent(2, 1))
    assert world.step(59.9) == 0
    assert world.step(0.1) == 1
    assert world.said() == (1, "partial", 1)
    assert world.document()["extraction"]["warnings"]


def test_the_late_root_of_a_partial_trace_settles_it(world: World) -> None:
    world.send(sent(2, 1))
    world.run(61)
    assert world.said()[1] == "partial"
    world.send(sent(1))
    world.run(1.2)
    assert world.said()[1:] == ("settled", 2)


def test_a_growing_trace_is_shown_at_once_and_then_ever_more_rarely(world: World) -> None:
    builds = []
    for second in range(1000):
        world.send(sent(second + 2, 1))
        if world.step(1):
            builds.append(second)
    waits = [b - a for a, b in itertools.pairwise(builds)]
    assert builds[0] in (0, 1)
    assert waits[:5] == [2, 4, 8, 16, 30]
    assert waits == sorted(waits)
    assert sum(second + 1 for second in builds) < 6 * 1000, "spans read"
    assert world.said()[:2] == (len(builds), "live")
    world.run(61)
    assert world.said()[1:] == ("partial", 1000)


def test_a_late_span_makes_a_new_version(world: World) -> None:
    world.send(sent(1))
    world.step(1)
    world.send(sent(2, 1))
    world.step(1)
    assert world.said() == (2, "settled", 2)


def test_a_repeated_span_makes_none(world: World) -> None:
    world.send(sent(1), sent(2, 1))
    world.step(1)
    for _ in range(3):
        world.send(sent(2, 1))
        assert world.step(1) == 1
    assert world.said() == (1, "settled", 2)
    assert world.step(60) == 0


def content_event(span_id: bytes) -> bytes:
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.event_name, record.body.string_value = "gen_ai.choice", "Hello"
    record.trace_id, record.span_id = bytes.fromhex(TRACE), span_id
    return logs.SerializeToString()


def test_a_late_content_event_makes_a_new_version_and_its_repeat_none(world: World) -> None:
    model = {"gen_ai.operation.name": "chat"}
    world.send(sent(1, attributes=model))
    world.step(1)
    for _ in range(2):
        world.send_logs(content_event((1).to_bytes(8)))
        assert world.step(1) == 1
    assert world.said() == (2, "settled", 1)
    assert "Hello" in world.document()["agent_steps"][0]["steps"][0]["output"]


def test_an_event_whose_span_never_comes_is_seen_once(world: World) -> None:
    world.send(sent(1))
    world.step(1)
    world.send_logs(content_event(b"nonesuch"))
    assert [world.step(1) for _ in range(70)] == [1] + [0] * 69
    world.restart()
    assert world.step() == 0
    assert world.said() == (1, "settled", 1)


def test_a_span_sent_again_with_other_content_makes_one(world: World) -> None:
    world.send(sent(1))
    world.step(1)
    world.send(sent(1, last_ms=50))
    world.step(1)
    assert world.said()[0] == 2
    assert world.document()["root_step"]["basic_info"]["duration"] == "50"


def test_a_new_extractor_finds_everything_not_extracted(world: World) -> None:
    world.send(sent(1, trace_id=OTHER))
    world.step(1)
    world.send(sent(1), sent(2, 1, trace_id=OTHER))
    world.restart()
    world.step(1)
    assert world.said() == (1, "settled", 1)
    assert world.said(OTHER) == (2, "settled", 2)
    world.restart()
    assert world.step() == 0


def test_a_new_extractor_goes_on_with_live_traces(world: World) -> None:
    world.send(sent(2, 1))
    world.step(30)
    assert world.said()[1] == "live"
    world.restart()
    world.step(30)
    assert world.said() == (2, "partial", 1)


class Interrupting(MemorySpans):
    """A span store in memory that calls ``after_reading`` once, right after spans were read."""

    after_reading: Callable[[], None] = staticmethod(lambda: None)

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        found = super().read_spans(keys)
        happens, self.after_reading = self.after_reading, lambda: None
        happens()
        return found


def test_a_trace_whose_spans_cannot_be_read_yet_is_read_again() -> None:
    class Delayed(MemorySpans):
        visible = False

        def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
            return super().read_spans(keys) if self.visible else Traces()

    store = MemoryStore()
    spans = store.spans = Delayed(store.state)
    world = World(store)
    world.send(sent(1))
    assert world.step(1) == 1
    assert world.step(0.1) == 0
    spans.visible = True
    assert world.step(0.1) == 1
    assert world.said() == (1, "settled", 1)


@pytest.mark.parametrize("missing", ["spans", "open"])
def test_a_run_of_which_a_request_is_not_visible_yet_is_live(missing: str) -> None:
    """The run stays live until the missing request, which has arrived, can be read."""

    class Partial(MemorySpans):
        hidden = frozenset({f"{2:016x}"})

        def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
            with self._state.lock:
                all_spans = self._state.spans[key_of()]
                seen = {i: d for i, d in all_spans.items() if i not in self.hidden}
                self._state.spans[key_of()] = seen
                try:
                    return super().read_spans(keys)
                finally:
                    self._state.spans[key_of()] = all_spans

    store = MemoryStore()
    spans = store.spans = Partial(store.state)
    world = World(store)
    late = sent(2, 1)
    late.end_time_unix_nano = 0 if missing == "open" else late.end_time_unix_nano
    world.send(sent(1), sent(3, 1))
    world.send(late)
    world.run(10)
    assert world.said()[1:] == ("live", 2)
    assert store.progress.read_progress([key_of()]) == {}, "nothing is recorded as built"
    spans.hidden = frozenset()
    world.run(10)
    assert world.said()[1:] == ("settled", 3)
    assert store.progress.read_progress([key_of()])[key_of()].is_whole
    assert world.step(100) == 0


def test_a_part_that_becomes_visible_later_leaves_the_whole_as_it_is() -> None:
    store = MemoryStore()
    world = World(store)
    world.send(sent(1), sent(2, 1))
    world.step(1)
    before = world.said()
    held, store.state.spans[key_of()] = store.state.spans[key_of()], {}
    world.send(sent(3, 1))
    world.run(3)
    assert world.said() == before
    store.state.spans[key_of()] |= held
    world.run(10)
    assert world.said()[1:] == ("settled", 3)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_span_that_arrives_while_its_trace_is_built_is_not_missed(*, restarted: bool) -> None:
    store = MemoryStore()
    spans = store.spans = Interrupting(store.state)
    world = World(store)
    world.send(sent(1))
    spans.after_reading = lambda: world.send(sent(2, 1))
    world.step(1)
    assert world.said() == (1, "settled", 1)
    if restarted:
        world.restart()
    world.run(1.2)
    assert world.said() == (2, "settled", 2)


def test_a_store_that_fails_half_way_loses_nothing() -> None:
    class Failing(MemoryProgress):
        broken = True

        def record_progress(self, progress: Sequence[Progress]) -> None:
            if self.broken:
                raise StoreUnavailableError("away")
            super().record_progress(progress)

    store = MemoryStore()
    progress = store.progress = Failing(store.state)
    world = World(store)
    world.send(sent(1))
    with pytest.raises(StoreUnavailableError):
        world.step(1)
    progress.broken = False
    world.step(1)
    assert world.said() == (1, "settled", 1)
    assert world.step(60) == 0


def test_the_metrics_tell_what_was_done(world: World) -> None:
    world.send(sent(1), sent(2, 1))
    world.step(0.4)
    text = world.metrics.render().decode()
    assert "\nspanloom_traces_pending 1.0\n" in text
    world.step(0.1)
    world.send(sent(2, 1))
    world.step(1)
    text = world.metrics.render().decode()
    assert "\nspanloom_traces_pending 0.0\n" in text
    assert '\nspanloom_extractions_total{result="written"} 1.0\n' in text
    assert '\nspanloom_extractions_total{result="unchanged"} 1.0\n' in text
    assert "\nspanloom_spans_extracted_total 4.0\n" in text
    assert "\nspanloom_extraction_lag_seconds_count 1.0\n" in text


def test_work_is_cut_into_batches(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanloom.extractor.extractor.MAX_SPANS", 5)
    monkeypatch.setattr("spanloom.extractor.extractor.MAX_TRACES", 3)
    sizes: list[int] = []

    def build(
        store: MemoryStore,
        wanted: Mapping[TraceKey, Status],
        options: BuildOptions,
        limit: BatchLimit,
    ) -> BatchResult:
        sizes.append(len(wanted))
        return build_batch(store, wanted, options, limit=limit)

    monkeypatch.setattr("spanloom.extractor.batch.build_batch", build)
    for number in range(8):
        spans = [sent(n + 1, trace_id=f"{number + 1:032x}") for n in range(9 if number == 3 else 1)]
        world.send(*spans)
    assert world.step(1) == 8
    assert sizes == [3, 1, 3, 1]
    assert len(world.store.runs.list(Reach.ALL, None, 20)) == 8


@pytest.mark.parametrize("error", [StoreUnavailableError("away", 0.01), ValueError("a bug")])
def test_the_thread_outlives_any_error(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanloom.extractor.extractor.AFTER_A_BUG_S", 0.01)

    class Failing(MemoryProgress):
        failures = 2

        def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
            self.failures -= 1
            if self.failures >= 0:
                raise error
            return super().unfinished(slices)

    store = MemoryStore()
    store.progress = Failing(store.state)
    world = World(store, Timing(poll_s=0.01))
    world.send(sent(1))
    world.wait(1)
    world.extractor.start()
    until = time.monotonic() + 10
    while not world.said()[0] and time.monotonic() < until:
        time.sleep(0.01)
    world.extractor.stop()
    assert world.said()[1] == "settled"


def test_looks_come_at_a_steady_pace() -> None:
    world = World(timing=Timing(poll_s=1000))
    world.send(*(sent(1, trace_id=f"{n:032x}") for n in range(FEW_TRACES)))
    world.wait(1)
    assert 990 < world.extractor._work() <= 1000, "whatever this one found is built"


def test_looks_that_find_few_are_further_apart() -> None:
    world = World(timing=Timing(poll_s=1000))
    assert 990 < world.extractor._work() <= 1000, "one that found nothing costs nothing"
    world.send(*(sent(1, trace_id=f"{n:032x}") for n in range(1, FEW_TRACES)))
    world.wait(1)
    assert 1490 < world.extractor._work() <= 1500


def test_a_run_that_comes_alone_is_built_when_it_settles() -> None:
    world = World(timing=Timing(poll_s=1000, root_quiet_s=7))
    world.send(sent(1))
    world.wait(2)
    assert world.extractor._work() == pytest.approx(5)
    world.send(sent(1, trace_id=OTHER))
    world.wait(5)
    assert 1490 < world.extractor._work() <= 1500, "the other waits for the next look"
    assert world.said()[1] == "settled"


def test_a_look_that_took_long_is_followed_by_the_next_after_a_breath() -> None:
    world = World(timing=Timing(poll_s=1e-9))
    assert world.extractor._work() == MIN_REST_S


def test_the_thread_works_until_it_is_stopped() -> None:
    world = World()
    world.send(sent(1))
    world.wait(1)
    world.extractor.start()
    until = time.monotonic() + 10
    while not world.said()[0] and time.monotonic() < until:
        time.sleep(0.01)
    world.extractor.stop()
    assert world.said()[1] == "settled"
    world.send(sent(2, 1))
    world.step(1)
    assert world.said()[0] == 1


def expire(store: MemoryStore, *numbers: int) -> None:
    """Remove spans as retention does, and the record of their arrival."""
    for number in numbers:
        del store.state.spans[key_of()][f"{number:016x}"]
    gone = {number_of(f"{number:016x}") for number in numbers}
    store.state.requests[key_of()] = {
        brought._replace(finished=brought.finished - gone)
        for brought in store.state.requests[key_of()]
    }


def test_a_trajectory_is_not_replaced_by_one_of_the_spans_that_retention_left() -> None:
    store = MemoryStore()
    world = World(store)
    call = {"gen_ai.operation.name": "chat"}
    world.send(*(sent(n, min(n - 1, 1), call if n == 2 else {}) for n in range(1, 6)))
    world.step(1)
    before = store.documents.get(TRACE, Reach.ALL)
    expire(store, 1, 2, 3)
    world.send(sent(6, 1))
    world.run(70, every=1)
    assert store.documents.get(TRACE, Reach.ALL) == before
    assert 'spanloom_extractions_total{result="kept"} 1.0' in world.metrics.render().decode()
    assert world.step(100) == 0
    world.send(*(sent(n, 1) for n in range(7, 20)))
    world.run(70, every=1)
    assert store.documents.get(TRACE, Reach.ALL) == before, "more spans, but a step of it is gone"
