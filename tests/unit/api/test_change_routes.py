"""Following changes by repeated and waiting requests: filters, tokens, deletions and limits."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.api.app import create_app
from spanloom.api.feed import feed as feed_module
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.feed import Announcement, PositionGoneError
from spanloom.core.query.feed_tokens import LONGEST, decode_token, encode_token
from spanloom.core.query.positions import Position, Summary
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

PATH = "/v1/trajectories/changes"


class Told:
    """A store whose versions are announced in the change feed, and the API over it."""

    def __init__(self, store: MemoryStore, client: TestClient, metrics: Metrics) -> None:
        self.store = store
        self.client = client
        self.metrics = metrics

    def say(self, number: int, version: int = 1, project: str = "p", agent: str = "a") -> None:
        key = TraceKey(project, trace(number))
        record = make_record(key, make_trajectory(key, agent=agent), version=version)
        self.store.trajectories.write([record])
        self.store.feed.announce([Announcement(key, version, Status.SETTLED, START_NS)])

    def ask(self, **parameters: object) -> Any:
        answer = self.client.get(PATH, params=parameters)  # type: ignore[arg-type]  # as text
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def told() -> Iterator[Told]:
    store, metrics = MemoryStore(), Metrics()
    app = create_app(store, metrics, Locks().access, most_readers=3)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Told(store, client, metrics)


def numbers(answer: Any) -> Sequence[tuple[int, int]]:
    return [(int(item["trace_id"], 16), item["version"]) for item in answer["items"]]


def test_what_changes_comes_once_in_order(told: Told) -> None:
    told.say(1)
    at = told.ask()
    assert at["items"] == []
    for number in (2, 3):
        told.say(number)
    found = told.ask(after=at["next"])
    assert numbers(found) == [(2, 1), (3, 1)]
    told.say(2, 2)
    found = told.ask(after=found["next"])
    assert numbers(found) == [(2, 2)]
    assert numbers(told.ask(after=found["next"])) == []
    assert numbers(told.ask(after="beginning")) == [(1, 1), (2, 1), (3, 1), (2, 2)]


def test_an_item_says_what_changed(told: Told) -> None:
    before_ms = time.time_ns() // 1_000_000
    told.say(1, 4)
    (item,) = told.ask(after="beginning")["items"]
    changed_ms = int(item.pop("changed_at"))
    assert before_ms <= changed_ms <= time.time_ns() // 1_000_000
    start = str(START_NS // 1_000_000)
    want = {"project": "p", "trace_id": trace(1), "version": 4, "status": "settled", "start": start}
    assert item == want
    (whole,) = told.ask(after="beginning", fields="core")["items"]
    (line,) = told.client.get("/v1/trajectories").json()["items"]
    assert whole["trajectory"] == line


def test_the_filters_of_the_list_narrow_it_down(told: Told) -> None:
    told.say(1, agent="wanted")
    told.say(2, agent="other")
    told.say(3, project="elsewhere", agent="wanted")
    assert numbers(told.ask(after="beginning", agent="wanted", project="p")) == [(1, 1)]
    assert told.client.get(PATH, params={"agent_name": "wanted"}).status_code == 422


def test_a_where_narrows_it_down_by_what_a_run_is_now(told: Told) -> None:
    for number, agent in enumerate(("wanted", "other", "wanted"), 1):
        told.say(number, agent=agent)
    asked = {"where": 'agent = "wanted" and steps > 0', "after": "beginning"}
    assert numbers(told.ask(**asked)) == [(1, 1), (3, 1)]
    assert numbers(told.ask(**asked, project="elsewhere")) == []
    told.say(3, 2, agent="other")
    assert numbers(told.ask(**asked)) == [(1, 1)]


def test_a_where_is_heeded_by_who_waits(told: Told) -> None:
    at = told.ask()["next"]
    for number, agent in enumerate(("other", "wanted"), 1):
        threading.Timer(0.2 * number, told.say, (number,), {"agent": agent}).start()
    assert numbers(told.ask(after=at, wait=20, where='has(agent = "wanted")')) == [(2, 1)]


@pytest.mark.parametrize(
    ("where", "position", "said"),
    [
        ("durtion > 5s", 0, "durtion"),
        ('has_error and "refund"', None, "cannot be filtered by words"),
    ],
)
def test_what_cannot_be_followed_is_refused_at_once(
    told: Told, where: str, position: int | None, said: str
) -> None:
    answer = told.client.get(PATH, params={"where": where, "wait": 20})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert (fault["parameter"], fault.get("position")) == ("where", position)
    assert said in fault["detail"]


def test_who_waits_is_told_as_soon_as_something_changes(told: Told) -> None:
    at = told.ask()["next"]
    later = threading.Timer(0.4, told.say, (7,))
    later.start()
    began = time.monotonic()
    assert numbers(told.ask(after=at, wait=20)) == [(7, 1)]
    assert 0.3 < time.monotonic() - began < 5


def test_what_is_not_wanted_ends_no_wait_and_is_passed_by(told: Told) -> None:
    at = told.ask()["next"]
    threading.Timer(0.1, told.say, (7,), {"project": "elsewhere"}).start()
    answer = told.ask(after=at, wait=0.7, project="p")
    assert answer["items"] == []
    assert answer["next"] > at
    assert told.ask(after=answer["next"])["items"] == []


def test_one_poller_asks_for_all_who_wait(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Position | None] = []
    announced = told.store.feed.announced

    def noting(*arguments: Any) -> Any:
        asked.append(arguments[2])
        return announced(*arguments)

    at = told.ask()["next"]
    told.ask(after=at, wait=0.5)  # from now on the window in memory has all changes
    monkeypatch.setattr(told.store.feed, "announced", noting)
    waiting = [threading.Thread(target=told.ask, kwargs={"after": at, "wait": 1}) for _ in "123"]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    assert 3 + 2 <= len(asked) <= 3 + 5  # a query per reader, then 4 within the second


def test_too_many_readers_are_refused(told: Told) -> None:
    at = told.ask()["next"]
    waiting = [threading.Thread(target=told.ask, kwargs={"after": at, "wait": 1}) for _ in "123"]
    for thread in waiting:
        thread.start()
    time.sleep(0.4)
    refused = told.client.get(PATH, params={"after": at, "wait": 1})
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "5"
    assert "3 readers follow the change feed already" in refused.json()["detail"]
    assert b"spanloom_feed_readers 3.0" in told.metrics.render()
    for thread in waiting:
        thread.join()
    assert told.ask(after=at)["items"] == []
    assert b"spanloom_feed_readers 0.0" in told.metrics.render()


def test_a_token_keeps_how_far_each_writer_was_seen() -> None:
    position = Position(1_715_400_004_500_000, 3, ((7, 27), (2**32 - 1, 2**32 - 1)))
    assert encode_token(position) == "1715400004500000-3-7.1b-ffffffff.ffffffff"
    assert decode_token(encode_token(position)) == position
    many = position._replace(seen=tuple((2**32 - 1 - n, 2**20) for n in range(200)))
    assert len(encode_token(many)) < LONGEST
    assert decode_token(encode_token(many)) == many


def test_a_token_of_the_first_release_is_read_and_written() -> None:
    text = "1715400004500000-1715400004600000-2-99"
    position = Position(1715400004500000, 2, summary=Summary(1715400004600000, 99))
    assert decode_token(text) == position
    assert encode_token(position) == text


@pytest.mark.parametrize(
    "token", ["", "x", "-1", "1-2", "1-2-3-4-5", "1-2-3.x", "1-2-3.4-", "9" * 17, "\u0661", "now"]
)
def test_what_is_no_token_is_refused(told: Told, token: str) -> None:
    answer = told.client.get(PATH, params={"after": token})
    assert answer.status_code == 422
    assert "pass `next` of the answer before" in answer.json()["detail"]


def test_a_token_that_is_too_old_is_gone_and_the_answer_says_where_to_go_on(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> object:
        raise PositionGoneError("It is not kept as far back.", Position(5, 2, ((9, 7), (171, 28))))

    monkeypatch.setattr(told.store.feed, "announced", gone)
    for accept in ("application/json", "text/event-stream"):
        answer = told.client.get(PATH, params={"after": "1"}, headers={"accept": accept})
        assert (answer.status_code, answer.json()["resume"]) == (410, "5-2-9.7-ab.1c")
    assert b"spanloom_feed_readers 0.0" in told.metrics.render()


def test_a_store_that_is_down_ends_no_wait(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    at = told.ask()["next"]
    announced = told.store.feed.announced

    def fails(*_: object) -> object:
        raise StoreUnavailableError("It is away.", 0.1)

    def goes() -> None:
        monkeypatch.setattr(told.store.feed, "announced", fails)

    def back() -> None:
        monkeypatch.setattr(told.store.feed, "announced", announced)
        told.say(8)

    threading.Timer(0.3, goes).start()
    threading.Timer(0.8, back).start()
    assert numbers(told.ask(after=at, wait=20)) == [(8, 1)]


def test_who_is_further_behind_than_the_window_loses_nothing(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanloom.api.feed.window.MOST_HELD", 3)
    at = told.ask()["next"]
    told.ask(after=at, wait=0.4)
    for number in range(1, 11):
        told.say(number)
    told.ask(after=at, wait=0.4)
    time.sleep(2 * feed_module.POLL_S)
    assert [n for n, _ in numbers(told.ask(after=at))] == list(range(1, 11))


def test_what_was_deleted_since_is_not_told(told: Told) -> None:
    """A deleted run is left out even while followers still have it in memory."""
    at = told.ask()["next"]
    told.ask(after=at, wait=0.4)
    told.say(1)
    told.say(2)
    time.sleep(3 * feed_module.POLL_S)
    told.store.deletions.delete(
        new_deletion(DeletionScope(Reach.ALL, trace(1)), "tester", time.time_ns())
    )
    assert numbers(told.ask(after=at)) == [(2, 1)]


def test_a_stop_ends_every_wait_at_once(told: Told) -> None:
    at = told.ask()["next"]
    feed = told.client.app.state.services.feed  # type: ignore[attr-defined]  # an attribute of FastAPI
    threading.Timer(0.3, feed.stop).start()
    began = time.monotonic()
    assert told.ask(after=at, wait=30) == {"items": [], "next": at}
    assert time.monotonic() - began < 5
