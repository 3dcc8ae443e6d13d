"""The only process of a store does not query the store for things that it knows already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import message_of, next_seq, spooled, wire_span
from tests.support.span_store import content_event
from tests.support.trajectory_records import make_record

from spanloom.core.model.access import Reach
from spanloom.core.model.alert import Alert
from spanloom.core.model.annotation_queue import Queue
from spanloom.core.model.experiment import Experiment, ExperimentEnd
from spanloom.core.model.online_rule import OnlineRule
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import Replay, Selection
from spanloom.core.ports.annotations import StoredScheme
from spanloom.storage.alerts import ClickHouseAlerts
from spanloom.storage.annotations.queues import ClickHouseAnnotationQueues
from spanloom.storage.annotations.schemes import ClickHouseSchemes
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.engine.settings import REQUEST_SETTINGS
from spanloom.storage.engine.statements import request_schema
from spanloom.storage.experiments import ClickHouseExperiments
from spanloom.storage.feed.clocks import Announcer, OwnClock
from spanloom.storage.online_rules import ClickHouseOnlineRules
from spanloom.storage.replays import ClickHouseReplays
from spanloom.storage.runs.store import ClickHouseTrajectories
from spanloom.storage.spans.store import ClickHouseSpans

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore

KEY = TraceKey("p", "ab" * 16)


class NotingConnection(Connection):
    """A connection that notes the names of its queries."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.asked: list[str] = []

    def _ask(self, name: str, parameters: object, fmt: str) -> bytes:
        self.asked.append(name)
        return super()._ask(name, parameters, fmt)  # type: ignore[arg-type]  # passed on unchanged


@pytest.fixture
def empty(fresh_database: Client) -> NotingConnection:
    """Return a connection to a store without data."""
    migrate(Connection(fresh_database))
    return NotingConnection(fresh_database)


def test_whether_there_are_content_events_is_asked_until_the_first_is_stored(
    empty: NotingConnection, fresh_database: Client, store_url: str
) -> None:
    embedded = store_url.startswith("chdb")
    writer = Connection(fresh_database, {**REQUEST_SETTINGS, **request_schema(embedded=embedded)})
    spans = ClickHouseSpans(writer, empty, empty, is_alone=True)
    spans.append([spooled(message_of([wire_span(KEY.trace_id, n) for n in (1, 2)]), KEY.project)])
    before = [len(span.events) for _ in range(3) for span in spans.read_spans([KEY])[KEY]]
    assert empty.asked.count("any_event") == 1
    spans.append([content_event(KEY, 1, "said", 7)])
    after = [len(span.events) for span in spans.read_spans([KEY])[KEY]]
    assert sum(after) == sum(before[:2]) + 1
    assert empty.asked.count("any_event") == 1
    ClickHouseSpans(writer, empty, empty, is_alone=False)._has_events()
    assert empty.asked.count("any_event") == 2


def test_what_a_head_told_is_not_asked_again_before_the_write(
    clickhouse_store: ClickHouseStore,
) -> None:
    connection = NotingConnection(clickhouse_store.connections.worker._client)
    alone = ClickHouseTrajectories(connection, is_alone=True)
    key = TraceKey("asked-once", "ab" * 16)
    for n in range(2):
        alone.write([make_record(key, version=2 * n + 1)])  # without reading its head before
        head = alone.heads([key])[key]
        alone.write([make_record(key, version=2 * n + 2, previous=head)])
    assert connection.asked == ["newest_builds", "heads"] * 2
    one_of_many = ClickHouseTrajectories(connection, is_alone=False)
    head = one_of_many.heads([key])[key]
    one_of_many.write([make_record(key, version=5, previous=head)])
    known = ["heads", "newest_places", "reserved_builds"]
    assert connection.asked[4:] == [*known, "newest_builds", "reserved_builds", "newest_builds"]


def test_where_no_replay_waits_none_is_asked_for_until_one_is_recorded(
    empty: NotingConnection,
) -> None:
    replays = ClickHouseReplays(empty, is_alone=True)
    replay = Replay(f"{next_seq():016x}", Selection(Reach.only("asked-once"), 0, 1), 0)
    assert [list(replays.unfinished(Reach.ALL)) for _ in range(3)] == [[]] * 3
    replays.record(replay)
    assert [list(replays.unfinished(Reach.ALL)) for _ in range(2)] == [[replay]] * 2
    replays.record(replace(replay, step=1, is_finished=True))
    assert [list(replays.unfinished(Reach.ALL)) for _ in range(3)] == [[]] * 3
    assert empty.asked == ["unfinished_replays"] * 4


@pytest.mark.parametrize(("is_alone", "asked"), [(True, 3), (False, 6)])
def test_schemes_are_asked_for_until_one_is_put(
    empty: NotingConnection, is_alone: bool, asked: int
) -> None:
    store, own = ClickHouseSchemes(empty, empty, is_alone=is_alone), Reach.only("p")
    texts = []
    for at_us in range(3):
        texts += [[found.text for found in store.list(own, "s")] for _ in range(2)]
        store.put(StoredScheme("p", "s", f"h{at_us}", at_us, "ada", f"text {at_us}"))
    assert texts == [[], [], ["text 0"], ["text 0"], ["text 1"], ["text 1"]]
    assert empty.asked == ["read_schemes"] * asked


@pytest.mark.parametrize(("is_alone", "asked"), [(True, 2), (False, 4)])
def test_queues_are_asked_for_until_one_is_put(
    empty: NotingConnection, is_alone: bool, asked: int
) -> None:
    store, own = (
        ClickHouseAnnotationQueues(empty, empty, Announcer(empty, OwnClock()), is_alone=is_alone),
        Reach.only("p"),
    )
    before = [list(store.list(own)) for _ in range(2)]
    queue = Queue("p", "q", "s", ["ada"], away=[])
    store.put(queue)
    assert before + [list(store.list(own)) for _ in range(2)] == [[], [], [queue], [queue]]
    assert empty.asked.count("read_queues") == asked


@pytest.mark.parametrize(("is_alone", "asked"), [(True, 3), (False, 6)])
def test_running_experiments_are_asked_for_until_one_starts_or_ends(
    empty: NotingConnection, is_alone: bool, asked: int
) -> None:
    store = ClickHouseExperiments(empty, empty, is_alone=is_alone)

    def running() -> list[list[str]]:
        return [[one.id for one in store.running(Reach.ALL)] for _ in range(2)]

    before = running()
    store.start(Experiment("p", "x", "i", "{}", started_by="ada"), ["ab" * 16])
    during = running()
    store.end("p", "i", ExperimentEnd("done"))
    assert before + during + running() == [[], [], ["i"], ["i"], [], []]
    assert empty.asked.count("running_experiments") == asked


@pytest.mark.parametrize(("is_alone", "asked"), [(True, 2), (False, 4)])
def test_alerts_and_rules_are_asked_for_until_one_is_put(
    empty: NotingConnection, is_alone: bool, asked: int
) -> None:
    alerts = ClickHouseAlerts(empty, empty, is_alone=is_alone)
    rules = ClickHouseOnlineRules(empty, empty, is_alone=is_alone)

    def stored() -> list[tuple[list[str], list[str]]]:
        return [
            (
                [one.name for one in alerts.list(Reach.ALL)],
                [one.name for one in rules.list(Reach.ALL)],
            )
            for _ in range(2)
        ]

    before = stored()
    alerts.put(Alert("p", "a", 1, 1))
    rules.put(OnlineRule("p", "r"))
    assert before + stored() == [([], []), ([], []), (["a"], ["r"]), (["a"], ["r"])]
    assert empty.asked.count("read_alerts") == empty.asked.count("read_online_rules") == asked
