"""``Client.changes`` against the real API, and its decisions about retries without one."""

from __future__ import annotations

import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support.served_feed import ServedFeed

from spanloom import Client
from spanloom.client import (
    Change,
    Changes,
    ForbiddenError,
    GoneError,
    UnavailableError,
    UnreachableError,
    changes,
)
from spanloom.client.calls import lists as feed
from spanloom.client.calls.lists import RunQuery
from spanloom.client.changes import ChangePage, Following
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.service


@pytest.fixture
def client(served: ServedFeed) -> Iterator[Client]:
    with Client(served.url, api_key="") as opened:
        yield opened


def told(found: Iterator[Change], count: int) -> Sequence[tuple[int, int]]:
    return [(int(change.trace_id, 16), change.version) for change in islice(found, count)]


def page(*versions: int, following: str = "9") -> ChangePage:
    made = [
        Change(
            project="p",
            trace_id="t",
            version=version,
            status=Status.SETTLED,
            changed_at=1,
            start=1,
        )
        for version in versions
    ]
    return ChangePage(items=made, next=following)


def test_all_that_is_kept_then_what_comes(served: ServedFeed, client: Client) -> None:
    served.say(1, 2)
    found = client.changes(after="beginning")
    assert told(found, 2) == [(1, 1), (2, 1)]
    threading.Timer(0.2, served.say, (3,)).start()
    assert told(found, 1) == [(3, 1)]


def test_without_a_token_it_begins_now(served: ServedFeed, client: Client) -> None:
    served.say(1)
    found = client.changes()
    assert found.token is None
    threading.Timer(0.4, served.say, (2,)).start()
    assert told(found, 1) == [(2, 1)]


def test_a_token_says_how_far_somebody_has_come(served: ServedFeed, client: Client) -> None:
    served.say(1, 2)
    first = client.changes(after="beginning")
    assert told(first, 1) == [(1, 1)]
    assert first.token == "beginning"  # noqa: S105  # one item of the first answer is left
    assert told(first, 1) == [(2, 1)]
    threading.Timer(0.2, served.say, (3,)).start()
    assert told(first, 1) == [(3, 1)]
    served.say(4)
    assert told(client.changes(after=first.token), 2) == [(3, 1), (4, 1)]


def test_filters_and_fields_reach_the_api(served: ServedFeed, client: Client) -> None:
    served.say(1, agent="wanted")
    served.say(2, agent="other")
    served.say(3, agent="wanted", project="q")
    found = client.changes(after="beginning", fields="core", agent="wanted", project="q")
    change = next(found)
    assert change.trajectory is not None
    assert (change.project, change.trajectory.agent_names) == ("q", ["wanted"])


def test_every_filter_of_a_list_is_one_of_the_feed(served: ServedFeed) -> None:
    filters: Any = {**dict.fromkeys(RunQuery.__annotations__, "x"), "since": 1, "until": 2}
    sent = feed.changes(after="beginning", **filters).filters
    described = httpx.get(f"{served.url}/openapi.json").json()["paths"][feed.PATH]["get"]
    assert sent.keys() <= {parameter["name"] for parameter in described["parameters"]}
    assert len(sent) == len(filters)


def test_a_lost_connection_is_made_again(
    served: ServedFeed, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "FIRST_PAUSE_S", 0.05)
    troubles: list[Exception] = []
    found = client.changes(after="beginning", on_trouble=troubles.append)
    served.say(1)
    assert told(found, 1) == [(1, 1)]
    served.server.stop(1)
    served.say(2)
    back: list[ServedFeed] = []
    begin = threading.Timer(0.3, lambda: back.append(ServedFeed(served.store, served.server.port)))
    begin.start()
    assert told(found, 1) == [(2, 1)]
    begin.join()
    back[0].server.stop(1)
    assert troubles
    assert {type(trouble) for trouble in troubles} <= {UnreachableError}


def test_the_pause_that_a_service_asks_for_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(changes, "sleep", pauses.append)
    busy = UnavailableError(503, "Service Unavailable", "Full.", retry_after_s=7.0)
    answers: list[ChangePage | Exception] = [page(1), busy, UnreachableError("gone"), page(2)]

    def ask(_question: object) -> ChangePage:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = Changes(ask, "1")
    assert [change.version for change in islice(found, 2)] == [1, 2]
    assert pauses == [7.0, 1.0]


def test_what_does_not_pass_is_raised() -> None:
    following = Following("1")
    with pytest.raises(UnreachableError):  # nothing has been received yet
        following.pause_s(UnreachableError("nobody"))
    list(following.take(page()))
    assert following.pause_s(UnreachableError("nobody")) == 0.5
    with pytest.raises(ForbiddenError):
        following.pause_s(ForbiddenError(403, "Forbidden", "No."))


def test_what_is_told_again_is_dropped() -> None:
    following = Following("1")
    assert [c.version for c in following.take(page(1, 2, 1))] == [1, 2]
    assert [c.version for c in following.take(page(2, 3))] == [3]


def test_a_token_too_old_comes_with_another_one() -> None:
    def gone(_request: httpx.Request) -> httpx.Response:
        told = {"title": "Gone", "detail": "Too old.", "resume": "5"}
        kind = {"content-type": "application/problem+json"}
        return httpx.Response(410, json=told, headers=kind)

    with (
        Client("http://localhost", transport=httpx.MockTransport(gone)) as client,
        pytest.raises(GoneError) as refused,
    ):
        next(client.changes(after="1"))
    assert refused.value.resume == "5"
