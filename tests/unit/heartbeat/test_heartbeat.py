"""A process writes heartbeats regularly, and shares work with the processes that do so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from spanloom.core.errors import NoHeartbeatError, SchemaTooNewError, StoreUnavailableError
from spanloom.core.ports.workers import LIVING_S, Worker
from spanloom.core.sharing import HANDOVER_S, SLICES
from spanloom.heartbeat import BEAT_S, Heartbeat
from spanloom.metrics import Metrics
from spanloom.outage import Outage

if TYPE_CHECKING:
    from collections.abc import Sequence


class Workers:
    """A ``WorkerStore`` in memory that can be away, refuse writes, or be of a newer release."""

    def __init__(self) -> None:
        self.others: list[Worker] = []
        self.beats: list[tuple[Sequence[str], float]] = []
        self.ended: list[tuple[Sequence[str], float]] = []
        self.is_away = self.refuses = self.is_newer = False

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        if self.is_newer:
            raise SchemaTooNewError("of a newer release")
        if self.is_away:
            raise StoreUnavailableError("away")
        if self.refuses:
            raise NoHeartbeatError("may not")
        self.beats.append((kinds, age_s))

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        self.ended.append((kinds, age_s))

    def living(self) -> Sequence[Worker]:
        return [Worker(kind, "me", "1") for kind in self.beats[-1][0]] + self.others

    def close(self) -> None:
        """Do nothing, because nothing is open."""


class World:
    def __init__(self, *kinds: str) -> None:
        self.now_s = 1_000.0
        self.workers = Workers()
        self.metrics = Metrics()
        self.heartbeat = Heartbeat(self.workers, "me", kinds, self.metrics, lambda: self.now_s)

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            self.heartbeat._round()
            self.now_s += 1

    def held(self, work: str = "extract") -> int:
        return len(self.heartbeat.held(work) or ())


def test_it_beats_every_few_seconds_and_looks_more_often() -> None:
    world = World("extract", "index")
    assert world.held() == 0
    world.run(7)
    ages = [age_s for _, age_s in world.workers.beats]
    assert ages == [0, BEAT_S, 2 * BEAT_S]
    assert world.held() == world.held("index") == SLICES
    assert f'spanloom_slices{{work="index"}} {SLICES:.1f}' in world.metrics.render().decode()


def test_each_kind_of_work_is_shared_with_those_that_do_it() -> None:
    world = World("extract", "index")
    world.workers.others = [Worker("extract", "other", "1"), Worker("api", "third", "1")]
    world.run(int(HANDOVER_S) + 2)
    assert world.held() == SLICES // 2
    assert world.held("index") == SLICES


def test_without_heartbeats_it_takes_no_more_work_while_there_are_others() -> None:
    world = World("extract")
    world.workers.others = [Worker("extract", "other", "1")]
    world.run(5)
    world.workers.is_away = True
    world.run(LIVING_S + 1)
    with pytest.raises(StoreUnavailableError):
        world.held()
    world.workers.is_away = False
    world.run(1 + int(HANDOVER_S) + 1)
    assert world.held() == SLICES // 2


def test_a_process_alone_goes_on_without_heartbeats() -> None:
    world = World("extract")
    world.run(1)
    world.workers.is_away = True
    world.run(100)
    assert world.held() == SLICES


def test_work_that_is_not_shared_has_a_heartbeat_as_well() -> None:
    world = World("collect")
    world.run(1)
    assert [kinds for kinds, _ in world.workers.beats] == [("collect",)]


def test_an_account_that_may_not_write_is_logged_once_and_tried_again_later() -> None:
    world = World("api")
    world.workers.refuses = True
    with capture_logs() as lines:
        world.run(30)
    assert [line["event"] for line in lines] == ["no heartbeat can be written"]
    world.workers.refuses = False
    world.run(40)
    assert world.workers.beats


def test_a_store_that_is_of_newer_releases_by_now_ends_the_part() -> None:
    world = World("collect")
    world.run(1)
    world.workers.is_newer = True
    with pytest.raises(SchemaTooNewError):
        world.run(int(BEAT_S))


def test_an_outage_is_logged_by_the_outage_of_the_process() -> None:
    world = World("collect")
    outage = Outage(lambda: world.now_s)
    world.heartbeat = Heartbeat(
        world.workers, "me", ["collect"], world.metrics, lambda: world.now_s, outage
    )
    world.workers.is_away = True
    with capture_logs() as lines:
        outage.note("keys", StoreUnavailableError("away"))
        world.run(30)
        world.workers.is_away = False
        outage.over("keys")
        world.run(3)
    told = ["the store is not available; trying again", "the store is available again"]
    assert [line["event"] for line in lines] == told


def test_a_started_one_beats_at_once_and_a_stopped_one_is_over() -> None:
    world = World("extract")
    world.heartbeat.start()
    until = time.monotonic() + 10
    while not world.held() and time.monotonic() < until:
        time.sleep(0.01)
    assert world.held() == SLICES
    world.heartbeat.stop(10)
    assert world.workers.ended
    assert world.heartbeat.failed is None
