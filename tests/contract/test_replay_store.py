"""The contract of the store of replays, in every implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.otlp_requests import START_NS, next_seq
from tests.support.paging import read_pages
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import BEFORE_ALL, Replay, Selection, StoredTrace

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def trace(n: int) -> str:
    return f"{n:032x}"


def write(store: Store, key: TraceKey, n: int, version: str = "1", dialect: str = "a") -> None:
    trajectory = make_trajectory(TraceKey(key.project, trace(n)), START_NS + n)
    changed = replace(trajectory, extractor_version=version, dialects=[dialect, "z"])
    head = store.trajectories.heads([TraceKey(key.project, trace(n))]).get(
        TraceKey(key.project, trace(n))
    )
    number = head.version + 1 if head else 1
    own = TraceKey(key.project, trace(n))
    store.trajectories.write([make_record(own, changed, version=number, previous=head)])


def numbers(store: Store, selection: Selection, page: int = 100) -> list[int]:
    """Return the numbers of the selected traces, read page by page."""
    found: list[StoredTrace] = []
    while piece := store.replays.traces_after(
        selection, found[-1].key if found else BEFORE_ALL, page
    ):
        found += piece
    assert store.replays.count_traces(selection) == len(found)
    return [int(t.key.trace_id, 16) for t in found]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ({}, [1, 2, 3, 4]),
        ({"start_from_ns": START_NS + 2}, [2, 3, 4]),
        ({"start_before_ns": START_NS + 2}, [1]),
        ({"start_from_ns": START_NS + 2, "start_before_ns": START_NS + 4}, [2, 3]),
        ({"dialect": "b"}, [3]),
        ({"dialect": "z"}, [1, 2, 3, 4]),
        ({"dialect": "' OR 1=1 --"}, []),
        ({"other_than": "1"}, [2]),
        ({"other_than": "1", "dialect": "b"}, []),
    ],
)
def test_a_selection_is_given_in_the_order_of_keys(
    store: Store, key: TraceKey, where: dict[str, Any], wanted: list[int]
) -> None:
    for n in (3, 1, 4, 2):
        write(store, key, n, version="0" if n == 2 else "1", dialect="b" if n == 3 else "a")
    own = Selection(Reach.only(key.project), **where)
    for page in (1, 3, 100):
        assert numbers(store, own, page) == wanted


def test_projects_follow_each_other(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    keys = [TraceKey(p, trace(1)) for p in sorted((key.project, new_project(), new_project()))]
    dialect = key.project  # its own dialect excludes other tests' traces
    for own in keys:
        write(store, own, 1, dialect=dialect)
    found = store.replays.traces_after(Selection(Reach.ALL, dialect=dialect), BEFORE_ALL, 10)
    assert [t.key for t in found] == keys
    assert (
        store.replays.traces_after(Selection(Reach.ALL, dialect=dialect), keys[0], 1) == found[1:2]
    )


def test_only_the_current_version_of_a_trajectory_counts(store: Store, key: TraceKey) -> None:
    write(store, key, 1, version="0")
    where = Selection(Reach.only(key.project), other_than="1")
    assert numbers(store, where) == [1]
    write(store, key, 1, version="1")
    assert numbers(store, where) == []


def test_a_trace_comes_with_its_status_and_size(store: Store, key: TraceKey) -> None:
    store.trajectories.write([make_record(key, status=Status.PARTIAL)])
    [found] = store.replays.traces_after(Selection(Reach.only(key.project)), BEFORE_ALL, 10)
    assert found == StoredTrace(key, Status.PARTIAL, make_trajectory(key).span_count)


def test_a_replay_is_remembered_and_never_goes_back(store: Store, key: TraceKey) -> None:
    wanted = Selection(Reach.only(key.project), 0, 2**64 - 1, "dialect ' --", "7")
    replay = Replay(f"{next_seq():016x}", wanted, total=9)
    assert store.replays.get(replay.id, Reach.ALL) is None
    store.replays.record(replay)
    assert store.replays.get(replay.id, Reach.ALL) == replay
    later = replace(replay, step=2, done=5, written=4, failed=1, after=TraceKey("p", trace(5)))
    for told in (later, replace(replay, step=1, done=3)):
        store.replays.record(told)
        assert store.replays.get(replay.id, Reach.ALL) == later
    assert later in store.replays.unfinished(Reach.ALL)
    store.replays.record(replace(later, step=3, is_finished=True))
    assert replay.id not in {r.id for r in store.replays.unfinished(Reach.ALL)}
    another = replace(replay, id=f"{next_seq():016x}")
    store.replays.record(another)
    assert another in store.replays.unfinished(Reach.ALL)  # after none was unfinished
    store.replays.record(replace(another, step=1, is_finished=True))
    assert store.replays.get("", Reach.ALL) is None


def test_unfinished_replays_are_given_oldest_first(store: Store, key: TraceKey) -> None:
    replays = [
        Replay(f"{next_seq():016x}", Selection(Reach.only(key.project)), 0) for _ in range(3)
    ]
    for replay in reversed(replays):
        store.replays.record(replay)
    ids = [
        r.id for r in store.replays.unfinished(Reach.ALL) if r.selection.reach.covers(key.project)
    ]
    assert ids == [r.id for r in replays]
    for replay in replays:
        store.replays.record(replace(replay, step=1, is_finished=True))


def test_replays_are_listed_newest_first_and_pages_neither_repeat_nor_miss(
    store: Store, key: TraceKey
) -> None:
    own = Reach.only(key.project)
    ids = [f"{next_seq():016x}" for _ in range(9)]
    for step in (0, 1, 2):  # several rows of each replay
        for n, replay_id in enumerate(ids):
            finished = step == 2 and n % 2 == 0
            store.replays.record(
                Replay(replay_id, Selection(own), 9, step=step, is_finished=finished)
            )
    for limit in (1, 4, 9, 50):
        pages = read_pages(lambda most, after: store.replays.list(own, most, after), limit)
        assert [replay.id for replay in pages] == ids[::-1]


def test_a_replay_is_seen_by_those_who_see_all_that_it_selects(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = new_project()
    both = Reach.only(key.project, other)
    replays = {
        reach: Replay(f"{next_seq():016x}", Selection(reach), 0)
        for reach in (Reach.only(key.project), Reach.only(other), both, Reach.ALL)
    }
    for replay in replays.values():
        store.replays.record(replay)
    for reader in replays:
        seen = {r for r in replays if reader.includes(r)}
        assert {r.selection.reach for r in store.replays.list(reader, 1000)} >= seen
        for reach, replay in replays.items():
            assert store.replays.get(replay.id, reader) == (replay if reach in seen else None)
    for replay in replays.values():
        store.replays.record(replace(replay, step=1, is_finished=True))
