"""Alerts are delivered at least once, in order; an unavailable channel delays no other channel."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.alerting import HOOK, PROJECT, Alerting
from tests.support.scripted_channel import ScriptedChannels

from spanloom.alerts.deliverer import AlertDeliverer
from spanloom.alerts.queues import Queues
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.alert import AlertEvent, AlertState, DeliveryState
from spanloom.core.ports.alerts import PendingDelivery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.alerts.definition import Channel

URL = HOOK["url"]
OTHER = "https://other.example.com/"
REFUNDS = 'has(tool = "refund")'
DAY_S = 86_400


class Telling(Alerting):
    """Watched alerts and a deliverer of them, whose rounds the test runs on its own event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.channels = ScriptedChannels()
        self.loop = asyncio.new_event_loop()
        self.restart()

    def restart(self) -> None:
        """Replace the deliverer with a new one, as a restarted process would."""
        self.deliverer = AlertDeliverer(
            self.store,
            lambda: self.channels,
            self.metrics,
            base_url=lambda: "https://agents.example.com",
            clock_ns=lambda: self.now_ns,
        )

    def _tell(self) -> None:
        self.deliverer.notice()

    def tell(self, seconds: float = 0, rounds: int = 3) -> None:
        """Advance the clock by ``seconds``, and let the deliverer run ``rounds`` rounds."""
        self.now_ns += int(seconds * 10**9)

        async def run() -> None:
            for _ in range(rounds):
                await self.deliverer.run_once(self.channels)
                tasks = self.deliverer._tasks
                await asyncio.wait(tasks, timeout=0.05) if tasks else None

        self.loop.run_until_complete(run())

    def of(self, url: str = URL) -> list[tuple[str, int]]:
        """Return state and version of each message that was delivered to ``url``."""
        return [(p["state"], p.get("version", 0)) for to, p in self.channels.told if to == url]

    def became(self, trace: str = "1") -> list[tuple[str, int, str]]:
        events = [e for e in self.events("a") if e.trace_id.endswith(trace)]
        found = self.store.alerts.deliveries(PROJECT, "a", [events[0].id])
        return [(str(one.state), one.tries, one.error) for one in found]


@pytest.fixture
def telling() -> Iterator[Telling]:
    made = Telling()
    made.put("a", where=REFUNDS)
    made.look()
    yield made
    for task in asyncio.all_tasks(made.loop):
        task.cancel()
    made.loop.run_until_complete(asyncio.sleep(0))
    made.loop.close()


def test_each_is_told_once_in_order(telling: Telling) -> None:
    telling.build("1", "refund")
    telling.look()
    telling.tell()
    telling.build("1", "search", version=2)
    telling.look()
    telling.tell()
    assert telling.of() == [("firing", 1), ("withdrawn", 2)]
    telling.restart()
    telling.tell(60)
    assert len(telling.channels.told) == 2
    assert telling.became() == [("delivered", 1, ""), ("delivered", 1, "")]
    (payload, _) = (one for _, one in telling.channels.told)
    assert payload["url"].startswith("https://agents.example.com/trajectories/000")
    assert payload["format"] == "spanloom.alert/1"


def test_one_that_is_away_is_told_later_once(telling: Telling) -> None:
    telling.channels.failing[URL] = "it answered 500"
    telling.build("1", "refund")
    telling.look()
    telling.tell()
    assert telling.became() == [("pending", 1, "it answered 500")]
    for _ in range(60):
        telling.tell(10, rounds=2)
    tries = len(telling.channels.tries)
    assert 8 < tries < 30
    telling.build("1", "search", version=2)
    telling.look()
    telling.restart()
    telling.channels.failing.clear()
    for _ in range(10):
        telling.tell(10)
    assert telling.of() == [("firing", 1), ("withdrawn", 2)]
    assert telling.became()[0][:2] == ("delivered", tries + 1)


def test_one_that_hangs_holds_up_no_other(telling: Telling) -> None:
    hanging = {"kind": "webhook", "url": OTHER}
    telling.put("a", where=REFUNDS, channels=[hanging, HOOK])
    telling.channels.hanging.add(OTHER)
    for trace in ("1", "2", "3"):
        telling.build(trace, "refund")
    telling.look()
    telling.tell(1, rounds=10)
    assert len(telling.of()) == 3
    assert telling.channels.tries.count(OTHER) == 1


def test_a_day_later_it_is_given_up(telling: Telling) -> None:
    telling.channels.failing[URL] = "it answered 500"
    telling.build("1", "refund")
    telling.build("2", "refund")
    telling.look()
    telling.tell()
    telling.tell(DAY_S)
    telling.tell(60)
    assert [became[0] for became in telling.became("1")] == ["undelivered"]
    assert [became[0] for became in telling.became("2")] == ["undelivered"]
    telling.channels.failing.clear()
    telling.restart()
    telling.tell(60)
    assert telling.channels.told == []
    outcome = {"outcome": "undelivered"}
    name = "spanloom_alert_deliveries_total"
    assert telling.metrics.registry.get_sample_value(name, outcome) == 2


def test_a_channel_that_was_removed_is_told_nothing(telling: Telling) -> None:
    telling.build("1", "refund")
    telling.look()
    telling.put("a", where=REFUNDS, channels=[])
    telling.tell()
    assert telling.channels.told == []
    assert telling.became() == [("undelivered", 1, "the alert no longer has this channel")]


def test_what_was_told_is_recorded_when_the_store_is_back(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling.build("1", "refund")
    telling.look()
    record = telling.store.alerts.add_deliveries

    def refuse(_: Any) -> None:
        raise StoreUnavailableError("away")

    monkeypatch.setattr(telling.store.alerts, "add_deliveries", refuse)
    telling.tell()
    telling.tell(60)
    monkeypatch.setattr(telling.store.alerts, "add_deliveries", record)
    telling.tell(60)
    assert len(telling.channels.told) == 1
    assert telling.became() == [("delivered", 1, "")]


def test_another_process_tells(telling: Telling) -> None:
    telling.build("1", "refund")
    telling.look()
    telling.deliverer._held = frozenset
    telling.tell(60)
    assert telling.channels.told == []
    telling.deliverer._held = lambda: None
    telling.tell(60)
    assert len(telling.channels.told) == 1


def test_a_notice_and_a_stop_end_the_pause(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanloom.alerts.deliverer.REST_S", 3_600.0)
    resting, told = threading.Event(), threading.Event()
    pause, send = telling.deliverer._pause, telling.channels.send

    async def rest() -> None:
        resting.set()
        await pause()

    async def tell(channel: Channel, body: bytes) -> None:
        await send(channel, body)
        told.set()

    monkeypatch.setattr(telling.deliverer, "_pause", rest)
    monkeypatch.setattr(telling.channels, "send", tell)
    telling.deliverer.start()
    try:
        assert resting.wait(30)
        telling.build("1", "refund")
        telling.look()
        assert told.wait(30)
    finally:
        telling.deliverer.stop(30)
    assert not telling.deliverer._thread.is_alive
    telling.deliverer.notice()  # a notice after the stop finds the event loop closed


def test_a_message_that_is_refused_does_not_hold_up_others() -> None:
    queues, now_us = Queues(lambda: 0.5), 0
    queues.add([_untold("bad", 1), _untold("good", 2)])
    told = []
    for _ in range(6):
        for item in queues.due(now_us, 9):
            if item.event.id == "bad":
                queues.failed(item, now_us, "it answered 400")
            else:
                told.append(item.event.id)
                queues.delivered(item, now_us)
        now_us += 60_000_000
        if now_us == 120_000_000:
            queues.add([_untold("late", 3)])
    assert told == ["good", "late"]
    assert len(queues) == 1


def test_states_of_one_event_are_told_in_order() -> None:
    queues = Queues()
    queues.add([_untold("a", 1, number=2), _untold("a", 1, number=1, tries=7)])
    (item,) = queues.due(0, 9)
    assert (item.event.number, item.tries) == (1, 7)
    assert list(queues.due(0, 9)) == []
    delivery = queues.delivered(item, 5)
    assert (delivery.state, delivery.tries) == (DeliveryState.DELIVERED, 8)
    queues.add([_untold("a", 1, number=1)])
    assert [one.event.number for one in queues.due(5, 9)] == [2]


def test_waits_grow_to_a_minute() -> None:
    queues, waits, now_us = Queues(lambda: 1.0), [], 0
    queues.add([_untold("a", 1)])
    for _ in range(9):
        while not (due := queues.due(now_us, 1)):
            now_us += 500_000
        waits.append(now_us // 1_000_000)
        queues.failed(due[0], now_us, "")
    gaps = [after - before for before, after in zip([0, *waits], waits, strict=False)]
    assert gaps == [0, 1, 2, 4, 8, 16, 32, 60, 60]


def _untold(of: str, at_us: int, number: int = 1, tries: int = 0) -> PendingDelivery:
    state = AlertState.FIRING if number % 2 else AlertState.WITHDRAWN
    event = AlertEvent("p", "a", 1, of, number, state, at_us, of, 1, channels=["c"])
    return PendingDelivery(event, "c", tries, 0)
