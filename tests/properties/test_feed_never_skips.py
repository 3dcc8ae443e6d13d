"""Followers of the change feed get every version, whatever writes it and however slowly."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracting import World, sent
from tests.support.feed_connections import US, FeedConnection, FeedRow, make_feed
from tests.support.memory_feed import MemoryFeed
from tests.support.memory_progress import MemoryProgress
from tests.support.memory_store import MemoryStore
from tests.support.memory_trajectories import MemoryTrajectories

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.core.query.positions import Position
from spanloom.extractor.recording import Recorder
from spanloom.storage.feed import clocks
from spanloom.storage.feed.clocks import HORIZON_S, LONGEST_INSERT_S, OwnClock, SharedClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.ports.feed import FeedReader
    from spanloom.core.ports.progress import Progress
    from spanloom.core.ports.trajectories import TrajectoryRecord

ANY = None
LIMIT = 3
"""Rows in a page: so few that a page often ends between rows of the same time."""


@dataclass
class Reader:
    """A follower of the feed that remembers all announcements."""

    feed: FeedReader
    at: Position = field(default_factory=Position)
    told: list[tuple[TraceKey, int]] = field(default_factory=list)

    def look(self) -> int:
        """Read to the end of the feed; return the number of announcements."""
        count = 0
        while True:
            page = self.feed.announced(Reach.ALL, ANY, self.at, LIMIT)
            self.told += [(a.key, a.version) for a in page.announcements]
            self.at = page.next
            count += len(page.announcements)
            if not page.has_more:
                return count


# Many processes on a server: rows have the time at which their INSERT began.

INSERTS = st.lists(
    st.tuples(
        st.integers(0, 2),  # the process
        st.floats(0, 8),  # seconds that it waits first
        st.floats(0, LONGEST_INSERT_S) | st.floats(0, 30),  # seconds that the INSERT takes
        st.booleans(),  # whether its answer gets lost
        st.integers(0, 3),  # the trace
        st.integers(1, 4),  # the number of rows
    ),
    min_size=1,
    max_size=12,
)
LOOKS = st.lists(st.tuples(st.floats(0, 45), st.floats(0, 1)), max_size=30)
"""When (in s) the reader queries the time, and how much later it queries the rows."""


@dataclass
class Process:
    """A process that inserts rows of the feed, one INSERT at a time, numbered by the real code."""

    now_s: float = 0.0
    takes_s: float = 0.0
    is_lost: bool = False
    visible: list[tuple[int, FeedRow]] = field(default_factory=list)
    """Pairs of the time (in µs) from which a row is visible, and the row."""
    again: list[Announcement] = field(default_factory=list)
    """Announcements whose answer was lost, so that it is unknown whether they were stored."""

    def __post_init__(self) -> None:
        self.connection = FeedConnection()
        self.connection.inserting = self._insert
        self.feed = make_feed(self.connection.as_connection(), SharedClock(lambda: self.now_s))

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """Announce; then repeat the previous announcements if their answer was lost."""
        before, self.again = self.again, []
        for some in (announcements, before):
            self.connection.now_us = int(self.now_s * US)
            try:
                self.feed.announce(some)
            except StoreUnavailableError:
                self.is_lost, self.again = False, list(some)

    def _insert(self, rows: list[FeedRow]) -> None:
        ends_us = int((self.now_s + self.takes_s) * US)
        began_us = int(self.now_s * US)
        self.visible += [(ends_us, row._replace(changed=began_us)) for row in rows]
        if self.is_lost:
            raise StoreUnavailableError("the answer got lost, and the INSERT goes on")
        self.now_s += self.takes_s
        self.takes_s = min(self.takes_s / 4, LONGEST_INSERT_S)


def visible_later(inserts: Any) -> list[tuple[int, FeedRow]]:
    """Return the rows of several processes, each with the time (in µs) from which it is visible."""
    processes = [Process() for _ in range(3)]
    for n, (number, waits_s, takes_s, is_lost, trace, count) in enumerate(inserts):
        process = processes[number]
        process.now_s += waits_s
        process.takes_s = takes_s
        process.is_lost = is_lost
        key = TraceKey("p", f"t{trace}")
        process.announce(
            [Announcement(key, n * 10 + version, Status.SETTLED, 0) for version in range(count)]
        )
    for process in processes:
        process.announce([])
    return [row for process in processes for row in process.visible]


@given(INSERTS, LOOKS)
@settings(max_examples=examples(150))
def test_inserts_of_many_processes_of_any_length(
    inserts: list[tuple[int, float, float, bool, int, int]], looks: list[tuple[float, float]]
) -> None:
    began_us = 10**15
    connection, rows = FeedConnection(), visible_later(inserts)
    clock = SharedClock(lambda: connection.now_us / US)
    reader = Reader(make_feed(connection.as_connection(), clock))

    def turn(us: int) -> None:
        connection.now_us = began_us + us
        connection.visible = [
            row._replace(changed=began_us + row.changed) for ends, row in rows if ends <= us
        ]

    before_s = 0.0
    for look_s, later_s in [*sorted(looks), (300.0, 0.0), (315.0, 0.0)]:
        at_s = max(look_s, before_s)
        before_s = at_s + later_s
        rows_us = int(before_s * US)
        connection.between = lambda us=rows_us: turn(us)  # type: ignore[misc]  # a default of its own
        turn(int(at_s * US))
        reader.look()
    assert set(reader.told) == {row.told for _, row in rows}
    first = {row.told: row.changed for _, row in reversed(rows)}
    too_late = {row.told for ends, row in rows if ends - first[row.told] > HORIZON_S * US}
    once = [told for told in reader.told if told not in too_late]
    assert len(once) == len(set(once))


def test_a_horizon_shorter_than_an_insert_would_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    """The horizon is necessary, because the same reader misses a row with a shorter one."""
    for horizon_s, found in ((HORIZON_S, 2), (1.0, 1)):
        monkeypatch.setattr(clocks, "HORIZON_S", horizon_s)
        connection = FeedConnection()
        clock = SharedClock(lambda connection=connection: connection.now_us / US)  # type: ignore[misc]  # its own
        reader = Reader(make_feed(connection.as_connection(), clock))
        slow = FeedRow("p", "slow", 1, "settled", 0, False, connection.now_us, 1, 1)
        connection.visible = [
            FeedRow("p", "quick", 1, "settled", 0, False, connection.now_us + US, 2, 1)
        ]
        for seconds in (3, 4, 5):
            connection.now_us = slow.changed + seconds * US
            reader.look()
        connection.visible.append(slow)
        reader.look()
        assert len(set(reader.told)) == found


# One process: it knows its INSERTs under way, so nothing is announced twice.


@dataclass
class Alone:
    """An embedded store in which other actions can happen during an INSERT."""

    connection: FeedConnection = field(default_factory=FeedConnection)
    kept: set[tuple[TraceKey, int]] = field(default_factory=set)
    written: int = 0

    def __post_init__(self) -> None:
        self.start()
        self.reader = Reader(self.feed)

    def start(self) -> None:
        clock = OwnClock(lambda: self.connection.now_us * 1000)
        self.feed = make_feed(self.connection.as_connection(), clock)

    def do(self, happenings: Any) -> None:
        for what, value in happenings:
            if what == "look":
                self.reader.look()
            elif what == "time":
                self.connection.now_us = max(self.connection.now_us + int(value * US), 1)
            elif what == "start":
                self.start()
                self.reader.feed = self.feed
            else:
                self.write(what, value)

    def write(self, how: str, meanwhile: Any) -> None:
        """Announce a version; the actions ``meanwhile`` happen before its row is visible."""
        self.written += 1
        told = Announcement(TraceKey("p", f"t{self.written}"), 1, Status.SETTLED, 0)

        def inserting(rows: list[FeedRow]) -> None:
            self.do(meanwhile)
            if how != "lost":
                self.connection.visible += rows
                self.kept |= {row.told for row in rows}
            if how != "kept":
                raise StoreUnavailableError("the answer got lost, at least")

        before, self.connection.inserting = self.connection.inserting, inserting
        try:
            self.feed.announce([told])
        except StoreUnavailableError:
            assert how != "kept"
        finally:
            self.connection.inserting = before


SMALL = st.one_of(
    st.tuples(st.just("look"), st.none()),
    st.tuples(st.just("time"), st.floats(-600, 600) | st.floats(0, 1)),
)
WRITES = st.sampled_from(["kept", "kept", "lost", "answer lost"])
HAPPENINGS = st.recursive(
    st.lists(SMALL, max_size=4),
    lambda inner: st.lists(SMALL | st.tuples(WRITES, inner), max_size=6),
    max_leaves=25,
)


@given(st.lists(st.tuples(HAPPENINGS, st.booleans()), min_size=1, max_size=3))
@settings(max_examples=examples(150))
def test_writes_within_writes_of_one_process_while_its_clock_is_set(
    lives: list[tuple[Any, bool]],
) -> None:
    alone = Alone()
    for happenings, starts_again in lives:
        alone.do(happenings)
        if starts_again:
            alone.do([("start", None)])
    alone.reader.look()
    assert sorted(alone.reader.told) == sorted(alone.kept)


# The extractor, which may die between any two of its writes.


class DeadError(BaseException):
    """The process was killed."""


class Life:
    """Kills the process before or after a write, once ``left`` has counted down to 0."""

    left = -1

    @contextmanager
    def write(self) -> Iterator[None]:
        self._passes()
        yield
        self._passes()

    def _passes(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise DeadError


LIFE = Life()


class MortalTrajectories(MemoryTrajectories):
    def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        with LIFE.write():
            return super().write(records)


class MortalFeed(MemoryFeed):
    def announce(self, announcements: Sequence[Announcement]) -> None:
        with LIFE.write():
            super().announce(announcements)


class MortalProgress(MemoryProgress):
    def record_progress(self, progress: Sequence[Progress]) -> None:
        with LIFE.write():
            super().record_progress(progress)


def mortal_store() -> MemoryStore:
    store = MemoryStore()
    store.trajectories = MortalTrajectories(store.state)
    store.feed = MortalFeed(store.state)
    store.progress = MortalProgress(store.state)
    return store


TRACES = [f"{n:032x}" for n in (1, 2, 3)]
LIVES = st.lists(
    st.tuples(
        st.lists(
            st.tuples(st.sampled_from(TRACES), st.integers(1, 5), st.floats(0.1, 70)), max_size=6
        ),
        st.integers(1, 12),  # starts and ends of writes until it dies
    ),
    min_size=1,
    max_size=4,
)
"""For each process: the spans that arrive, each followed by a wait, and when it dies."""


@given(LIVES)
@settings(max_examples=examples(60))
def test_an_extractor_that_dies_anywhere(lives: Any) -> None:
    store = mortal_store()
    world = World(store)
    reader = Reader(store.feed)
    for spans, left in lives:
        LIFE.left = left
        world.restart()
        for trace_id, number, wait_s in spans:
            parent = 0 if number == 1 else 1
            world.send(sent(number, parent, trace_id=trace_id, start_ms=number))
            try:
                world.step(wait_s)
            except DeadError:
                world.restart()
            reader.look()
    LIFE.left = -1
    world.restart()
    world.run(400, every=10)
    reader.look()
    lines = store.runs.list(Reach.ALL, ANY, 10)
    newest = {(line.key, line.version) for line in lines}
    assert newest <= set(reader.told)


def test_without_saying_it_again_a_dead_extractor_would_skip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without ``_announce_again`` a version is lost if the extractor dies before announcing it."""
    for says_again in (True, False):
        store = mortal_store()
        world = World(store, replace(World().timing, root_quiet_s=1))
        if not says_again:
            monkeypatch.setattr(Recorder, "_announce_again", _says_nothing)
        world.restart()
        world.send(sent(1, trace_id=TRACES[0]))
        LIFE.left = 3  # after the trajectory is written, before it is announced
        with pytest.raises(DeadError):
            world.run(5)
        LIFE.left = -1
        world.restart()
        world.run(100, every=10)
        reader = Reader(store.feed)
        reader.look()
        assert bool(reader.told) is says_again


def _says_nothing(*_: object) -> None:
    pass
