"""Work on one trace is stopped at its limit of CPU time, and nothing else is."""

from __future__ import annotations

import sys
import time
import traceback
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

import pytest
from tests.support.extracting import TRACE, World, sent

from spanloom.core.extract import extract as extraction
from spanloom.extractor.records import make_record
from spanloom.extractor.time_limit import A_SPAN_S, TOO_SLOW, BatchLimit, TooSlowError
from spanloom.extractor.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from spanloom.core.model.span import TraceKey

LEAST_S = 0.2
BEFORE, AFTER = "aa" * 16, "ac" * 16
PROMPT = {"session.id": "S", "event.name": "x.user_prompt"}


@contextmanager
def watching(least_s: float) -> Iterator[Watch]:
    """Start a watch, and stop it."""
    watch = Watch(least_s)
    watch.start()
    yield watch
    watch.stop(10)
    assert watch.failed is None


@pytest.fixture
def watch() -> Iterator[Watch]:
    with watching(LEAST_S) as watch:
        yield watch


@pytest.fixture
def world(watch: Watch) -> World:
    return World(watch=watch)


def spin(cpu_s: float) -> str:
    """Use CPU time."""
    until = time.thread_time() + cpu_s
    while time.thread_time() < until:
        pass
    return "done"


def loop_and_handle_errors(*_: object) -> None:
    while True:
        with suppress(Exception):  # as some readers of messages do
            spin(0.01)


@contextmanager
def switching_often() -> Iterator[None]:
    """Let threads take turns after a few instructions each."""
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual_s)


def test_an_endless_loop_is_stopped_and_the_error_shows_where(watch: Watch) -> None:
    with pytest.raises(TooSlowError, match=TOO_SLOW) as stopped:
        BatchLimit(watch).run(1, loop_and_handle_errors)
    assert "loop_and_handle_errors" in "".join(traceback.format_exception(stopped.value))
    assert BatchLimit(watch).run(1, lambda: spin(LEAST_S / 4)) == "done"


@pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="without a clock of another thread's work"
)
def test_time_without_work_does_not_count(watch: Watch) -> None:
    BatchLimit(watch).run(1, lambda: time.sleep(2 * LEAST_S))


def test_each_span_adds_to_the_limit(watch: Watch) -> None:
    spans = int(2 * LEAST_S / A_SPAN_S)
    assert BatchLimit(watch).run(spans, lambda: spin(2 * LEAST_S)) == "done"


def test_an_exception_of_the_work_is_raised_as_it_is(watch: Watch) -> None:
    with pytest.raises(ZeroDivisionError):
        BatchLimit(watch).run(1, lambda: 1 // 0)


def test_traces_that_are_stopped_leave_less_and_less_time_to_others_of_their_batch(
    watch: Watch,
) -> None:
    limit = BatchLimit(watch)
    used_s = []
    for _ in range(8):
        began_s = time.thread_time()
        with pytest.raises(TooSlowError):
            limit.run(0, loop_and_handle_errors)
        used_s.append(time.thread_time() - began_s)
    assert used_s[0] > LEAST_S
    assert sum(used_s) < 4 * LEAST_S, "each would take all of it otherwise"
    assert BatchLimit(watch).run(0, lambda: spin(LEAST_S / 2)) == "done"


def test_the_values_of_stopped_work_are_released(watch: Watch) -> None:
    class Spans:
        """Something that can be referred to weakly."""

    references = []

    def loop() -> None:
        spans = Spans()
        references.append(ref(spans))
        loop_and_handle_errors()

    with pytest.raises(TooSlowError) as stopped:
        BatchLimit(watch).run(0, loop)
    stopped.value.free_memory()
    assert references[0]() is None
    assert "loop_and_handle_errors" in "".join(traceback.format_exception(stopped.value))


def test_work_that_ends_at_its_limit_never_stops_what_comes_after_it() -> None:
    outcomes = {"done": 0, "stopped": 0}
    with switching_often(), watching(0.001) as watch:
        for n in range(3_000):
            try:
                watch.run(0.0001, partial(spin, n % 30 * 0.00001))
                outcomes["done"] += 1
            except TooSlowError:
                outcomes["stopped"] += 1
            sum(range(100))  # where a late exception would be raised
    assert min(outcomes.values()) > 0, outcomes


@pytest.mark.parametrize("step", ["drafts.extract", "next_versions.make_record"])
def test_the_neighbours_of_a_trace_without_end_are_built(
    world: World, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    usual: Mapping[str, Callable[..., Any]] = {
        "drafts.extract": extraction,
        "next_versions.make_record": make_record,
    }

    def work(key: TraceKey, *arguments: Any, **named: Any) -> Any:
        if key.trace_id == TRACE:
            loop_and_handle_errors()
        return usual[step](key, *arguments, **named)

    monkeypatch.setattr(f"spanloom.extractor.{step}", work)
    world.send(sent(1, trace_id=BEFORE), sent(1), sent(1, trace_id=AFTER))
    world.step(1)
    assert [world.said(t) for t in (BEFORE, AFTER)] == [(1, "settled", 1)] * 2
    assert world.said() == (1, "failed", 1)
    [warning] = world.document()["extraction"]["warnings"]
    assert TOO_SLOW in warning
    monkeypatch.undo()
    world.step(61)
    assert world.said() == (2, "settled", 1)


def test_a_run_of_several_traces_without_end_is_shown_without_its_other_traces(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanloom.core.joining.parts.FRAGMENT", "")
    monkeypatch.setattr("spanloom.extractor.joined_runs.extract", loop_and_handle_errors)
    world.send(sent(1, attributes=PROMPT))
    world.send(sent(2, attributes={"session.id": "S"}, trace_id=AFTER, start_ms=20))
    world.send(sent(1, trace_id=BEFORE))
    world.step(1)
    assert world.said(BEFORE) == (1, "settled", 1)
    assert world.extractor._discovery.quarantined == 1
    for _ in range(7):  # two more than attempts, which begin anew when the other trace changes
        world.step(3600)
    assert world.said() == (1, "settled", 1)
    world.step(1)
    assert world.document(AFTER)["extraction"]["duplicate_of"]["trace_id"] == TRACE


def test_a_look_retries_failed_traces_for_a_short_time_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a hundred failed traces would delay new traces by a hundred times the limit."""
    world = World()
    tried: list[str] = []

    def fail_slowly(key: TraceKey, *arguments: Any) -> Any:
        if key.trace_id in slow:
            tried.append(key.trace_id)
            world.wait(10)
            raise ValueError("too slow")
        return extraction(key, *arguments)

    monkeypatch.setattr("spanloom.extractor.drafts.extract", fail_slowly)
    slow = [f"{n:032x}" for n in range(1, 6)]
    world.send(*(sent(1, trace_id=t) for t in slow))
    world.step(1)
    assert tried == slow
    world.wait(120)
    tried.clear()
    for at, trace_id in enumerate(slow, 1):
        new = trace_id.replace("0", "e")
        world.send(sent(1, trace_id=new))
        world.step(1)
        assert world.said(new) == (1, "settled", 1)
        assert len(tried) == at
    assert tried == slow, "each is retried in its turn"
