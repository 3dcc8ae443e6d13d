"""A replay extracts stored traces again, in small batches."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import World, key_of, sent
from tests.support.memory_replays import MemoryReplays
from tests.support.spans import chat, genai

from spanloom.core import extract
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import PARTS, Selection
from spanloom.extractor import drafts, replay
from spanloom.extractor.batch import InProcess
from spanloom.extractor.replay import LOOK_S, Replayer
from spanloom.extractor.result import BY_DEFAULT
from spanloom.replays import request_replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.model.upkeep import Replay, StoredTrace
    from spanloom.core.pricing import PriceBook

TRACES = [f"{n:032x}" for n in range(1, 8)]


@pytest.fixture
def world() -> World:
    """Seven settled traces of an older extractor."""
    world = World()
    for trace_id in TRACES:
        run = sent(1, attributes=genai("invoke_agent"), trace_id=trace_id)
        world.send(run, sent(2, 1, chat(3, 2), trace_id))
    world.run(2)
    assert {world.said(t) for t in TRACES} == {(1, "settled", 2)}
    return world


@pytest.fixture
def replayer(world: World, monkeypatch: pytest.MonkeyPatch) -> Replayer:
    """A replayer of a new extractor version, which takes three traces at a time."""
    monkeypatch.setattr(extract, "EXTRACTOR_VERSION", "next")
    monkeypatch.setattr(replay, "MAX_TRACES", 3)
    return Replayer(
        world.store, world.metrics, lambda: world.now_ns, InProcess(world.store, BY_DEFAULT)
    )


def work_off(replayer: Replayer) -> list[Replay]:
    found = []
    while (reached := replayer.step()) is not None:
        found.append(reached)
    return found


def versions(world: World) -> list[int]:
    return [world.said(t)[0] for t in TRACES]


def test_without_a_replay_the_store_is_asked_now_and_then(world: World, replayer: Replayer) -> None:
    assert replayer.step() is None
    asked = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    assert replayer.step() is None
    world.wait(LOOK_S)
    found = replayer.step()
    assert found is not None
    assert found.id == asked.id


def test_everything_is_built_again_in_pieces(world: World, replayer: Replayer) -> None:
    asked = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    assert (asked.total, asked.done) == (7, 0)
    reached = work_off(replayer)
    assert [(r.done, r.is_finished) for r in reached] == [
        (3, False),
        (6, False),
        (7, False),
        (7, True),
    ]
    assert (reached[-1].written, reached[-1].failed) == (7, 0)
    assert versions(world) == [2] * 7
    assert {world.document(t)["extraction"]["extractor_version"] for t in TRACES} == {"next"}
    assert {world.said(t)[1] for t in TRACES} == {"settled"}


def test_what_comes_out_the_same_is_not_written_again(world: World, replayer: Replayer) -> None:
    for _ in range(2):
        request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
        world.wait(LOOK_S)
        last = work_off(replayer)[-1]
    assert (last.done, last.written) == (7, 0)
    assert versions(world) == [2] * 7


def test_a_kill_costs_one_piece_and_the_same_request_goes_on(
    world: World, replayer: Replayer
) -> None:
    asked = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    replayer.step()
    successor = Replayer(
        world.store, world.metrics, lambda: world.now_ns, InProcess(world.store, BY_DEFAULT)
    )
    world.wait(9)
    again = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    assert (again.id, again.done) == (asked.id, 3)
    other = request_replay(world.store.replays, Selection(Reach.only("x")), world.now_ns)
    assert other.id > asked.id
    assert [r.done for r in work_off(successor)] == [6, 7, 7, 0]


def test_only_the_outdated_are_selected(world: World, replayer: Replayer) -> None:
    outdated = Selection(Reach.ALL, other_than="next")
    assert request_replay(world.store.replays, outdated, world.now_ns).total == 7
    work_off(replayer)
    assert request_replay(world.store.replays, outdated, world.now_ns + 10**6).total == 0


def test_a_trace_that_fails_keeps_what_is_stored(
    world: World, replayer: Replayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_one(key: TraceKey, spans: Iterable[Span], prices: PriceBook) -> Trajectory:
        if key.trace_id == TRACES[1]:
            raise ValueError("new bug")
        return extract.extract(key, spans, prices)

    monkeypatch.setattr(drafts, "extract", fail_one)
    request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    last = work_off(replayer)[-1]
    assert (last.done, last.written, last.failed) == (7, 6, 1)
    assert world.said(TRACES[1]) == (1, "settled", 2)


def test_traces_are_looked_up_many_at_a_time(
    world: World, replayer: Replayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "AHEAD", 4)
    asked: list[str] = []
    traces_after = world.store.replays.traces_after

    def listen(
        selection: Selection, after: TraceKey, limit: int, part: int | None = None
    ) -> Sequence[StoredTrace]:
        asked.append(after.trace_id)
        return traces_after(selection, after, limit, part)

    request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    monkeypatch.setattr(world.store.replays, "traces_after", listen)
    assert [r.done for r in work_off(replayer)] == [3, 4, 7, 7]
    assert asked == ["", TRACES[3], TRACES[6]]


def test_a_piece_has_few_spans_but_one_trace_at_least(
    world: World, replayer: Replayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MAX_SPANS", 1)
    request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    assert [r.done for r in work_off(replayer)] == [1, 2, 3, 4, 5, 6, 7, 7]


def test_live_traces_are_left_to_discovery_which_is_not_disturbed(
    world: World, replayer: Replayer
) -> None:
    growing = "ee" * 16
    world.send(sent(2, 1, chat(1, 1), growing))
    world.run(31, every=10)
    assert world.said(growing)[1] == "live"
    before = world.store.progress.read_progress([key_of(t) for t in (*TRACES, growing)])
    request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    work_off(replayer)
    assert world.said(growing) == (1, "live", 1)
    assert world.store.progress.read_progress(list(before)) == before
    world.send(sent(1, trace_id=growing))
    world.run(3)
    assert world.said(growing) == (2, "settled", 2)
    assert world.document(growing)["extraction"]["extractor_version"] == "next"


def test_the_extractor_works_replays_off_between_its_live_work(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "EXTRACTOR_VERSION", "next")
    request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    world.send(sent(1, trace_id="ff" * 16))
    world.wait(5)
    world.extractor._timing = replace(world.timing, poll_s=0.01)
    world.extractor.start()
    deadline = time.monotonic() + 20
    while world.store.replays.unfinished(Reach.ALL) and time.monotonic() < deadline:
        time.sleep(0.01)
    world.extractor.stop()
    assert versions(world) == [2] * 7
    assert world.said("ff" * 16)[1] == "settled"
    assert 'traces_replayed_total{result="written"} 7.0' in world.metrics.render().decode()


@pytest.fixture
def sharing(world: World, replayer: Replayer) -> Callable[[frozenset[int]], Replayer]:
    """A function that returns a replayer for some parts of a shared replay."""
    assert replayer.step() is None
    world.wait(LOOK_S)
    assert isinstance(world.store.replays, MemoryReplays)
    world.store.replays.is_shared = True
    builder = InProcess(world.store, BY_DEFAULT)
    return lambda parts: Replayer(
        world.store, world.metrics, lambda: world.now_ns, builder, lambda: parts
    )


def test_extractors_share_a_replay_by_its_parts(
    world: World, sharing: Callable[[frozenset[int]], Replayer]
) -> None:
    even, odd = (sharing(frozenset(range(first, PARTS, 2))) for first in (0, 1))
    asked = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    assert {reached.part for reached in work_off(even)} == set(range(0, PARTS, 2))
    halfway = world.store.replays.get(asked.id, Reach.ALL)
    assert halfway is not None
    assert 0 < halfway.done < 7
    assert not halfway.is_finished
    assert {reached.part for reached in work_off(odd)} == set(range(1, PARTS, 2))
    assert versions(world) == [2] * 7
    world.wait(LOOK_S)
    assert even.step() is None
    done = world.store.replays.get(asked.id, Reach.ALL)
    assert done is not None
    assert (done.done, done.written, done.failed, done.is_finished) == (7, 7, 0, True)
    assert world.store.replays.unfinished(Reach.ALL) == []


def test_the_parts_of_a_dead_extractor_are_taken_over(
    world: World, sharing: Callable[[frozenset[int]], Replayer]
) -> None:
    asked = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    sharing(frozenset(range(8))).step()
    work_off(sharing(frozenset(range(PARTS))))
    done = world.store.replays.get(asked.id, Reach.ALL)
    assert done is not None
    assert (done.done, done.written) == (7, 7)


def test_the_command_works_off_all_parts(
    world: World, sharing: Callable[[frozenset[int]], Replayer]
) -> None:
    replay = request_replay(world.store.replays, Selection(Reach.ALL), world.now_ns)
    command = sharing(frozenset())
    seen = [replay]
    while not seen[-1].is_finished:
        seen.append(command.go_on(seen[-1]))
        assert seen[-1].done >= seen[-2].done
        assert len(seen) < 100
    assert (seen[-1].done, seen[-1].written) == (7, 7)
