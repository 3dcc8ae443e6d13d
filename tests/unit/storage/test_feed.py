"""The change feed announces every write once, whatever clocks and slow INSERTs do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.support.feed_connections import US, FeedConnection, FeedRow, make_feed
from tests.support.otlp_requests import START_NS

from spanloom.core.errors import StoreTooSmallError, StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import RetentionPlan, Terms
from spanloom.core.ports.feed import Announcement, PositionGoneError
from spanloom.core.query.feed_tokens import decode_token, encode_token
from spanloom.core.query.positions import Position
from spanloom.storage.engine.connection import Connection
from spanloom.storage.feed.clocks import OwnClock, SharedClock
from spanloom.storage.upkeep.retention import set_retention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.feed.store import ClickHouseFeed
    from spanloom.storage.store import ClickHouseStore

DAY_US = 24 * 3600 * US
SOMETHING = [Announcement(TraceKey("p", "t"), 1, Status.SETTLED, START_NS)]


def test_what_took_long_to_become_visible_is_written_again() -> None:
    connection, now = FeedConnection(), [0.0]
    took = [6.0, 5.5, 0.1]

    def inserting(rows: list[FeedRow]) -> None:
        now[0] += took.pop(0)
        connection.visible += rows

    connection.inserting = inserting
    feed = make_feed(connection.as_connection(), SharedClock(lambda: now[0]))
    feed.announce(SOMETHING)
    assert len(connection.visible) == 3


def test_a_process_that_slept_while_the_store_was_quick_writes_once() -> None:
    connection, now = FeedConnection(), [0.0]

    def inserting(rows: list[FeedRow]) -> None:
        now[0] += 31
        connection.visible += rows

    connection.inserting, connection.took_s = inserting, 0.01
    make_feed(connection.as_connection(), SharedClock(lambda: now[0])).announce(SOMETHING)
    assert len(connection.visible) == 1


def test_a_store_that_stays_too_slow_is_tried_again_later() -> None:
    connection, now = FeedConnection(), [0.0]

    def inserting(_rows: list[FeedRow]) -> None:
        now[0] += 6

    connection.inserting = inserting
    feed = make_feed(connection.as_connection(), SharedClock(lambda: now[0]))
    with pytest.raises(StoreUnavailableError, match="longer than 5 s"):
        feed.announce(SOMETHING)


def test_a_row_whose_insert_lost_its_answer_and_ends_late_is_read() -> None:
    connection = FeedConnection()
    feed = make_feed(connection.as_connection(), SharedClock(lambda: connection.now_us / US))
    late: list[FeedRow] = []

    def lose(rows: list[FeedRow]) -> None:
        late.extend(rows)
        raise StoreUnavailableError("the answer got lost, and the INSERT goes on")

    connection.inserting, visible = lose, connection.inserting
    with pytest.raises(StoreUnavailableError):
        feed.announce(SOMETHING)
    connection.inserting = visible
    feed.announce([a._replace(key=TraceKey("p", "other")) for a in SOMETHING])
    page = feed.announced(Reach.ALL, None, Position(), 10)
    connection.visible += late
    feed.announce(SOMETHING)
    told = [a.key.trace_id for a in page.announcements]
    told += [a.key.trace_id for a in feed.announced(Reach.ALL, None, page.next, 10).announcements]
    assert told == ["other", "t"]


def test_an_insert_that_takes_too_long_stores_nothing(fresh_database: Client) -> None:
    fresh_database.command("CREATE TABLE entrance (x UInt64) ENGINE = Null")
    fresh_database.command("CREATE TABLE kept (x UInt64) ENGINE = MergeTree ORDER BY x")
    fresh_database.command(
        "CREATE MATERIALIZED VIEW slow TO kept AS SELECT x + sleepEachRow(0.3) AS x FROM entrance"
    )
    connection = Connection(fresh_database)
    with pytest.raises(StoreTooSmallError):
        connection.insert("entrance", ["x"], [[n] for n in range(9)], most_s=1)
    assert fresh_database.command("SELECT count() FROM kept") == 0
    took_s = connection.insert("entrance", ["x"], [[n] for n in range(5)])  # without ``most_s``
    assert took_s is not None
    assert took_s > 1  # measured by the server, not by our clock
    assert fresh_database.command("SELECT count() FROM kept") == 5


def test_a_slow_write_holds_back_what_began_behind_it() -> None:
    """Later writes are announced when the slow one has ended, so that none is announced twice."""
    connection = FeedConnection()
    feed = make_feed(connection.as_connection(), OwnClock(lambda: connection.now_us * 1000))
    told: list[list[str]] = []

    def look() -> None:
        page = feed.announced(Reach.ALL, None, Position(), 10)
        told.append([a.key.trace_id for a in page.announcements])

    def slowly(rows: list[FeedRow]) -> None:
        connection.inserting = connection.visible.extend
        feed.announce([a._replace(key=TraceKey("p", "quick")) for a in SOMETHING])
        look()
        connection.visible += rows

    connection.inserting = slowly
    feed.announce(SOMETHING)
    look()
    assert told == [[], ["t", "quick"]]


def test_who_follows_while_a_slow_write_is_under_way_misses_nothing() -> None:
    connection = FeedConnection()
    feed = make_feed(connection.as_connection(), OwnClock(lambda: connection.now_us * 1000))
    at = Position()
    told: list[str] = []

    def go_on() -> None:
        nonlocal at
        page = feed.announced(Reach.ALL, None, at, 10)
        told.extend(a.key.trace_id for a in page.announcements)
        at = page.next

    def slowly(rows: list[FeedRow]) -> None:
        connection.inserting = connection.visible.extend
        feed.announce([a._replace(key=TraceKey("p", "quick")) for a in SOMETHING])
        go_on()
        connection.visible += rows

    connection.inserting = slowly
    feed.announce(SOMETHING)
    go_on()
    assert sorted(told) == ["quick", "t"]


def test_what_a_killed_process_had_begun_is_told_by_the_next() -> None:
    """Every stored change is announced, even if the process that wrote it does not come back."""
    connection = FeedConnection()

    def told_by(feed: ClickHouseFeed) -> list[str]:
        page = feed.announced(Reach.ALL, None, Position(), 10)
        return [a.key.trace_id for a in page.announcements]

    killed, started_anew = (
        make_feed(connection.as_connection(), OwnClock(lambda: connection.now_us * 1000))
        for _ in range(2)
    )
    with killed._announcer.announcing(SOMETHING):
        assert (told_by(killed), told_by(started_anew)) == ([], ["t"])
    assert told_by(killed) == ["t"]


def test_tokens_are_those_of_the_first_release_until_an_upgrade_is_finished() -> None:
    connection = FeedConnection()
    connection.is_upgrading = True
    feed = make_feed(connection.as_connection(), SharedClock(lambda: connection.now_us / US))
    at, told = Position(), []

    def add(trace: str, *, later_us: int, writer: int = 0) -> None:
        number = len(connection.visible) + 1 if writer else 0
        at_us = connection.now_us + later_us
        connection.visible.append(
            FeedRow("p", trace, 1, "settled", 0, False, at_us, writer, number)
        )

    def look() -> list[str]:
        nonlocal at
        page = feed.announced(Reach.ALL, None, at, 10)
        token = encode_token(page.next)
        assert not page.next.seen
        at = decode_token(token)
        return [a.key.trace_id for a in page.announcements]

    add("of the release before", later_us=0)
    add("of this one", later_us=1, writer=7)
    told += [look(), look()]
    add("behind", later_us=5, writer=7)
    told += [look(), look()]
    add("between", later_us=3)
    told += [look(), look()]
    first = ["of the release before", "of this one"]
    assert told == [first, [], ["behind"], [], [*first, "between", "behind"], []]
    connection.is_upgrading, connection.now_us = False, connection.now_us + 11 * US
    add("after it", later_us=0, writer=7)
    page = feed.announced(Reach.ALL, None, at, 10)
    assert [a.key.trace_id for a in page.announcements] == ["after it"]
    assert page.next.seen
    assert feed.announced(Reach.ALL, None, page.next, 10).announcements == []


def test_a_store_with_nothing_new_is_not_asked() -> None:
    """The only process of a store knows what it wrote, so the feed needs no query."""
    connection = FeedConnection()
    feed = make_feed(connection.as_connection(), OwnClock(lambda: connection.now_us * 1000))
    feed.announce(SOMETHING)
    at = feed.announced(Reach.ALL, None, Position(), 10).next
    asked: list[str] = []

    def noting(name: str, **_: object) -> Iterator[object]:
        asked.append(name)
        return iter([])

    connection.rows = noting  # type: ignore[method-assign]  # notes whether a query is sent
    assert feed.announced(Reach.ALL, None, at, 10).announcements == []
    assert asked == []


def test_a_position_older_than_what_is_kept_is_gone(clickhouse_store: ClickHouseStore) -> None:
    connection = clickhouse_store.connections.worker
    now_us = time.time_ns() // 1000

    def read(days: int) -> Position:
        after = Position(now_us - days * DAY_US)
        return clickhouse_store.feed.announced(Reach.only(), None, after, 10).next

    read(400)
    set_retention(connection, RetentionPlan(Terms(trajectories=30)))
    try:
        assert read(29).until_us > now_us - DAY_US
        with pytest.raises(PositionGoneError) as refused:
            read(31)
        assert refused.value.end.until_us > now_us - DAY_US
        beginning = clickhouse_store.feed.announced(Reach.only(), None, Position(), 10)
        assert beginning.announcements == []
    finally:
        set_retention(connection, RetentionPlan())
