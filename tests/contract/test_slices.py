"""Every store restricts changes, watermarks and replay parts to some slices of the traces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.otlp_requests import message_of, next_seq, spooled, wire_span
from tests.support.texts import step, text_record

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import BEFORE_ALL, PARTS, Replay, Selection
from spanloom.core.ports.progress import Progress
from spanloom.core.sharing import ALL, NONE, SLICES, slice_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanloom.core.ports.store import Store
    from spanloom.core.sharing import Slices

EVEN = frozenset(range(0, SLICES, 2))
ODD = frozenset(range(1, SLICES, 2))
IDS = [f"{n:032x}" for n in range(1, 21)]


def halves(found: Callable[[Slices], Iterable[TraceKey]], project: str) -> None:
    """Assert that each half of the slices finds its own traces, and no slices find none."""

    def ids(slices: Slices) -> set[str]:
        return {key.trace_id for key in found(slices) if key.project == project}

    even = {i for i in IDS if slice_of(TraceKey(project, i)) % 2 == 0}
    assert 0 < len(even) < len(IDS)
    assert ids(ALL) == set(IDS)
    assert ids(EVEN) == even
    assert ids(ODD) == set(IDS) - even
    assert ids(NONE) == set()


def test_changes_are_found_by_slices(store: Store, key: TraceKey) -> None:
    since_s = store.progress.clock()
    progress = store.progress
    spans = [wire_span(trace_id, 1) for trace_id in IDS]
    store.spans.append([spooled(message_of(spans), key.project)])

    def changed(slices: Slices) -> Iterable[TraceKey]:
        return [c.key for c in progress.changes_since(since_s, {}, slices).changes]

    def unextracted(slices: Slices) -> Iterable[TraceKey]:
        return [c.key for c in progress.unextracted(since_s, slices=slices)]

    def unfinished(slices: Slices) -> Iterable[TraceKey]:
        return [c.key for c in progress.unfinished(slices)]

    halves(changed, key.project)
    halves(unextracted, key.project)
    keys = [TraceKey(key.project, trace_id) for trace_id in IDS]
    progress.record_progress([Progress(key, next_seq(), Status.LIVE) for key in keys])
    halves(unfinished, key.project)
    progress.record_progress([Progress(key, next_seq(), Status.SETTLED) for key in keys])


def test_a_second_has_one_fingerprint_whatever_the_slices(store: Store, key: TraceKey) -> None:
    """A process that gains a slice need not read again the seconds that it has read."""
    since_s = store.progress.clock()
    spans = [wire_span(trace_id, 1) for trace_id in IDS]
    store.spans.append([spooled(message_of(spans), key.project)])
    for slices in (ALL, EVEN, ODD):
        found = store.progress.changes_since(since_s, {}, slices)
        known = dict(store.progress.inserted(since_s))
        assert found.fingerprints.items() <= known.items()
        assert found.fingerprints
        assert store.progress.changes_since(since_s, known, slices) == ([], {})


def test_slices_have_watermarks_and_one_of_all_holds_for_each(store: Store) -> None:
    progress = store.progress
    progress.record_watermark(0)
    progress.record_watermarks(dict.fromkeys(EVEN, 70) | {2: 50})
    assert progress.read_watermark(frozenset([4, 6])) == 70
    assert progress.read_watermark(EVEN) == 50
    assert progress.read_watermark(frozenset([4, 5])) == 0
    assert progress.read_watermark() == 0
    progress.record_watermark(60)
    assert progress.read_watermark(EVEN) == progress.read_watermark(ODD) == 60
    assert progress.read_watermark(frozenset([4])) == 70
    progress.record_watermark(0)
    progress.record_watermarks(dict.fromkeys(EVEN, 0))


def test_trajectories_to_index_are_found_by_slices(store: Store, key: TraceKey) -> None:
    index = store.text_index
    since_s = index.clock()
    keys = [TraceKey(key.project, trace_id) for trace_id in IDS]
    store.trajectories.write([text_record(store, key, [step(1, "said")]) for key in keys])

    def changed(slices: Slices) -> Iterable[TraceKey]:
        return [c.key for c in index.changed_since(since_s, 1_000, slices=slices)]

    halves(changed, key.project)


def test_the_index_has_watermarks_by_slice(store: Store) -> None:
    index = store.text_index
    before = index.read_watermark()
    index.record_watermark(before + 5, EVEN)
    assert index.read_watermark(frozenset([2])) == before + 5
    assert index.read_watermark(frozenset([2, 3])) == before
    assert index.read_watermark() == before


def test_a_replay_has_the_sums_of_its_parts(store: Store, key: TraceKey) -> None:
    """Every store can read a replay in parts; only a shared store assigns them to processes."""
    replay = Replay(f"{next_seq():016x}", Selection(Reach.only(key.project)), 7)
    store.replays.record(replay)
    for part in store.replays.parts(replay):
        assert part == replay or part.part is not None
    keys = [TraceKey(key.project, trace_id) for trace_id in IDS]
    store.trajectories.write([text_record(store, key, [step(1, "said")]) for key in keys])
    found = [
        {t.key for t in store.replays.traces_after(replay.selection, BEFORE_ALL, 100, part)}
        for part in range(PARTS)
    ]
    assert sum(map(len, found)) == len(IDS)
    assert set().union(*found) == set(keys)
    store.replays.finish(replay)
    assert replay.id in [r.id for r in store.replays.unfinished(Reach.ALL)]
    store.replays.record(replace(replay, step=1, is_finished=True))
