"""The change feed as server-sent events, over real connections."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import httpx
import pytest
from tests.support.served_feed import CHANGES, ServedFeed

from spanloom.api.feed import stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.service

EVENTS = {"accept": "text/event-stream"}
LARGE = 200
"""The number of runs announced together; a few of their large items fill every buffer."""


class Event(NamedTuple):
    number: int
    version: int
    id: str


def follow(
    served: ServedFeed, count: int, said: threading.Event | None = None, **more: str
) -> list[Event]:
    """Return the first ``count`` events of one connection to the change feed."""
    headers = {**EVENTS, **({"last-event-id": more.pop("last")} if "last" in more else {})}
    asked = httpx.stream("GET", served.url + CHANGES, headers=headers, params=more, timeout=30)
    with asked as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = read_events(answer.iter_lines(), said)
        return [event for _, event in zip(range(count), events, strict=False)]


def read_events(lines: Iterator[str], begun: threading.Event | None) -> Iterator[Event]:
    """Yield events as the specification reads them: the id of a comment counts too."""
    last = ""
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            last = value
            if begun is not None:
                begun.set()
        elif name == "data":
            item = json.loads(value)
            yield Event(int(item["trace_id"], 16), item["version"], last)


@pytest.fixture
def served() -> Iterator[ServedFeed]:
    made = ServedFeed()
    yield made
    made.server.stop(1)


def said_of(events: Sequence[Event]) -> list[tuple[int, int]]:
    return [(event.number, event.version) for event in events]


def test_each_change_is_an_event(served: ServedFeed) -> None:
    begun = threading.Event()

    def say() -> None:
        assert begun.wait(60)
        served.say(1, 2)
        served.say(1, version=2)
        served.say(1, version=2)  # announced again
        served.say(3)

    talking = threading.Thread(target=say)
    talking.start()
    events = follow(served, 4, begun)
    talking.join()
    assert said_of(events) == [(1, 1), (2, 1), (1, 2), (3, 1)]


def test_a_connection_that_breaks_in_a_page_loses_nothing(served: ServedFeed) -> None:
    """Only a page's last event has the position after the page, so a broken page is sent again."""
    served.say(1)
    served.say(2, 3)
    first = follow(served, 2, after="beginning")
    assert said_of(first) == [(1, 1), (2, 1)]
    again = follow(served, 3, last=first[-1].id)
    assert said_of(again) == [(1, 1), (2, 1), (3, 1)]
    served.say(4)
    assert said_of(follow(served, 1, last=again[-1].id)) == [(4, 1)]


def test_a_quiet_connection_shows_that_it_is_alive_and_how_far_it_is(
    served: ServedFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "ALIVE_S", 0.1)
    with httpx.stream("GET", served.url + CHANGES, headers=EVENTS) as answer:
        lines = [line for _, line in zip(range(7), answer.iter_lines(), strict=False)]
    assert lines == ["retry: 1000", ": nothing new", "id: 1", "", ": nothing new", "id: 1", ""]


def test_a_stream_ends_in_time_for_its_key_to_be_looked_at_again(
    served: ServedFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "ALIVE_S", 0.1)
    monkeypatch.setattr(stream, "LONGEST_S", 0.3)
    served.say(1)
    assert said_of(follow(served, 2, after="beginning")) == [(1, 1)]


def test_who_does_not_read_keeps_nobody_waiting(served: ServedFeed) -> None:
    numbers = range(1, LARGE + 1)
    with socket.create_connection(("127.0.0.1", served.server.port)) as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = f"GET {CHANGES}?after=beginning&fields=core HTTP/1.1\r\nHost: localhost\r\n"
        stuck.sendall(f"{request}Accept: text/event-stream\r\n\r\n".encode())
        began = time.monotonic()
        for version in range(1, 31):  # 6,000 items of half a kilobyte each
            served.say(*numbers, version=version)
        seen = follow(served, 30 * LARGE, after="beginning")
        assert time.monotonic() - began < 60
    assert len(seen) == 30 * LARGE


def test_who_goes_away_makes_room(served: ServedFeed) -> None:
    served.say(1)
    for _ in range(5):
        assert len(follow(served, 1, after="beginning")) == 1
    until = time.monotonic() + 10
    while served.readers():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_stop_ends_every_stream_and_every_wait(served: ServedFeed) -> None:
    begun, ended = threading.Event(), []

    def read() -> None:
        ended.append(follow(served, 1, begun))

    def wait() -> None:
        at = httpx.get(served.url + CHANGES).json()["next"]
        answer = httpx.get(served.url + CHANGES, params={"after": at, "wait": 30}, timeout=40)
        ended.append(answer.json()["items"])

    waiting = [threading.Thread(target=read), threading.Thread(target=wait)]
    for thread in waiting:
        thread.start()
    begun.wait(10)
    time.sleep(0.3)
    began = time.monotonic()
    served.server.stop(20)
    for thread in waiting:
        thread.join(10)
    assert time.monotonic() - began < 3
    assert ended == [[], []]
