"""The contract of the change feed, in every store."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.support.annotations import annotation
from tests.support.filters import filtered
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.access import Reach
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement, PositionGoneError
from spanloom.core.query.positions import Position
from spanloom.storage.deletions.hiding import DeletedRows
from spanloom.storage.store import compose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.feed import FeedPage
    from spanloom.core.ports.store import Store
    from spanloom.core.query.where.tree import Condition
    from spanloom.storage.store import ClickHouseStore

pytestmark = pytest.mark.engine

ANY = None


@pytest.fixture(params=["memory", "clickhouse", "shared clock"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "shared clock":
        own: ClickHouseStore = request.getfixturevalue("clickhouse_store")
        return compose(own.connections, DeletedRows(has_deletions=True))  # as in a shared store
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


def say(store: Store, key: TraceKey, version: int = 1, agent: str = "planner") -> None:
    """Store a version of a trajectory and announce it."""
    record = make_record(key, make_trajectory(key, agent=agent), version=version)
    store.trajectories.write([record])
    store.feed.announce([Announcement(key, version, Status.SETTLED, START_NS)])


def read(
    store: Store,
    key: TraceKey,
    after: Position | None,
    where: Condition | None = ANY,
    limit: int = 100,
) -> FeedPage:
    return store.feed.announced(Reach.only(key.project), where, after, limit)


def told(page: FeedPage) -> Sequence[tuple[str, int]]:
    return [(a.key.trace_id, a.version) for a in page.announcements if a.now is not None]


def test_what_was_announced_comes_once_in_order(store: Store, key: TraceKey) -> None:
    others = [TraceKey(key.project, trace(n)) for n in (1, 2, 3)]
    at = read(store, key, Position()).next
    seen: list[tuple[str, int]] = []
    for version in (1, 2):
        for own in others:
            say(store, own, version)
            page = read(store, key, at)
            seen += told(page)
            at = page.next
    assert seen == [(own.trace_id, version) for version in (1, 2) for own in others]
    assert told(read(store, key, at)) == []


def test_what_may_have_been_announced_comes_once(store: Store, key: TraceKey) -> None:
    other = TraceKey(key.project, trace(1))
    say(store, key, 1)
    store.trajectories.write([make_record(other, make_trajectory(other))])
    both = [Announcement(own, 1, Status.SETTLED, START_NS) for own in (key, other)]
    store.feed.announce_missing(both)
    store.feed.announce_missing(both)
    assert sorted(told(read(store, key, Position()))) == [(other.trace_id, 1), (key.trace_id, 1)]


def test_a_version_that_two_processes_announce_comes_once(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    """A process was suspended before it announced, and another one took its work over."""
    ours, theirs, third = (
        compose(clickhouse_store.connections, DeletedRows(has_deletions=True)) for _ in range(3)
    )
    at = read(third, key, None).next
    seen: list[tuple[str, int]] = []
    for number in range(3):
        own = TraceKey(key.project, trace(number + 1))
        say(ours, own)
        if number:
            page = read(third, key, at)
            seen, at = [*seen, *told(page)], page.next
        say(theirs, own)
    page = read(third, key, at)
    assert [*seen, *told(page)] == [(trace(n), 1) for n in (1, 2, 3)]
    assert told(read(third, key, page.next)) == []
    assert sorted(told(read(third, key, Position()))) == [(trace(n), 1) for n in (1, 2, 3)]


def test_an_announcement_says_what_changed_and_when(store: Store, key: TraceKey) -> None:
    before_us = time.time_ns() // 1000
    say(store, key, 4)
    (found,) = read(store, key, Position()).announcements
    assert found[:4] == (key, 4, Status.SETTLED, START_NS)
    assert before_us <= found.changed_us <= time.time_ns() // 1000
    assert found.now is not None
    assert (found.now.key, found.now.version) == (key, 4)


def test_what_is_said_of_a_run_is_told_behind_it(store: Store, key: TraceKey) -> None:
    say(store, key, 3)
    at = read(store, key, Position()).next
    store.annotations.add([annotation(key)])
    store.scores.add([Score(key, "helpful", "rule", "judge", 1, number=0.5)])
    queue = Queue(key.project, "q", "s", ["ada"])
    store.queues.add_items(queue, [QueueItem(key.trace_id, 1)])
    store.queues.put(queue)
    store.queues.add_events(queue, [QueueEvent(key.trace_id, "ada", 1, Event.DONE)])
    found = read(store, key, at).announcements
    assert [(a.key, a.is_judgement, a.now and a.now.version) for a in found] == [(key, True, 3)] * 4


def test_a_mark_and_its_score_can_be_told_of_at_once(store: Store, key: TraceKey) -> None:
    say(store, key, 3)
    at = read(store, key, Position()).next
    with store.annotations.announcing_judgements([key, key]):
        store.annotations.add([annotation(key)], is_announced=False)
        store.scores.add(
            [Score(key, "helpful", "rule", "judge", 1, number=0.5)], is_announced=False
        )
        assert list(read(store, key, at).announcements) == []
    assert [(a.key, a.is_judgement) for a in read(store, key, at).announcements] == [(key, True)]


def test_what_could_not_be_stored_whole_is_told_of(store: Store, key: TraceKey) -> None:
    say(store, key, 3)
    at = read(store, key, Position()).next
    with suppress(ValueError), store.annotations.announcing_judgements([key]):
        store.annotations.add([annotation(key)], is_announced=False)
        raise ValueError("no score")
    assert [(a.key, a.is_judgement) for a in read(store, key, at).announcements] == [(key, True)]


def test_the_end_lies_behind_all_that_is_there(store: Store, key: TraceKey) -> None:
    say(store, key)
    end = read(store, key, None)
    assert end.announcements == ()
    assert told(read(store, key, end.next)) == []
    say(store, key, 2)
    assert told(read(store, key, end.next)) == [(key.trace_id, 2)]


def test_a_long_feed_comes_in_pieces(store: Store, key: TraceKey) -> None:
    for number in range(7):
        say(store, TraceKey(key.project, trace(number + 1)))
    at, pieces = Position(), []
    while True:
        page = read(store, key, at, limit=3)
        pieces.append(len(page.announcements))
        at = page.next
        if not page.has_more:
            break
    assert (sum(pieces), max(pieces)) == (7, 3)


def test_what_was_announced_together_is_not_torn_apart(store: Store, key: TraceKey) -> None:
    """A page ends only between announcements of different times, as a position is a time."""
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 6)]
    store.trajectories.write([make_record(own) for own in keys])
    store.feed.announce([Announcement(own, 1, Status.SETTLED, START_NS) for own in keys])
    say(store, key)
    page = read(store, key, Position(), limit=2)
    assert sorted(told(page)) == [(own.trace_id, 1) for own in keys]
    assert told(read(store, key, page.next, limit=2)) == [(key.trace_id, 1)]


def test_filters_ask_what_the_trajectory_is_now(store: Store, key: TraceKey) -> None:
    other = TraceKey(key.project, trace(1))
    say(store, key, 1, agent="wanted")
    say(store, other, 1, agent="other")
    wanted = filtered(agent="wanted")
    assert told(read(store, key, Position(), wanted)) == [(key.trace_id, 1)]
    say(store, other, 2, agent="wanted")
    say(store, key, 2, agent="other")
    page = read(store, key, Position(), wanted)
    assert told(page) == [(other.trace_id, 1), (other.trace_id, 2)]
    assert told(read(store, key, page.next)) == []


def test_a_reader_is_told_of_its_projects_alone(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), key.trace_id)
    at = read(store, key, None).next
    say(store, other)
    assert told(read(store, key, at)) == []
    both = store.feed.announced(Reach.only(key.project, other.project), ANY, at, 10)
    assert [a.key for a in both.announcements] == [other]
    assert store.feed.announced(Reach.only(), ANY, Position(), 10).announcements in ((), [])


def test_nothing_announced_is_no_error(store: Store, key: TraceKey) -> None:
    at = read(store, key, None).next
    store.feed.announce([])
    assert read(store, key, at).announcements in ((), [])


def test_a_position_of_the_future_is_none_of_this_store(store: Store, key: TraceKey) -> None:
    say(store, key)
    with pytest.raises(PositionGoneError) as refused:
        read(store, key, Position(2**52))
    say(store, key, 2)
    assert told(read(store, key, refused.value.end)) == [(key.trace_id, 2)]
