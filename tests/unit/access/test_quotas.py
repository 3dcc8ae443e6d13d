"""Storage quotas of projects: bytes in the store plus bytes that are still queued for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.access.limits import LimitsByProject, ProjectLimits
from spanloom.access.quotas import MAX_SLOTS, Arrivals, Quotas
from spanloom.core.errors import RateLimitedError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Store:
    """A store whose sizes per project the test sets, and which can be unavailable."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.is_away = False

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        assert limit
        if self.is_away:
            raise StoreUnavailableError("away")
        return dict(self.sizes)


class World:
    """Quotas over a store, with a queue in front of it; the fixture sets 100 bytes a project."""

    def __init__(self, limits: LimitsByProject) -> None:
        self.store = Store()
        self.last_seq = 1
        self.oldest_waiting = 0
        self.quotas = Quotas(self.store, limits, self)

    def stored_before(self) -> int:
        return self.oldest_waiting or self.last_seq + 1

    def accept(self, project: str, size: int) -> None:
        self.last_seq += 1
        self.quotas.charge({project: size})

    def put_into_store(self, project: str, size: int) -> None:
        self.store.sizes[project] = self.store.sizes.get(project, 0) + size

    def read(self) -> None:
        self.quotas.read()


@pytest.fixture
def world(tmp_path: Path) -> World:
    file = tmp_path / "limits.toml"
    file.write_text("[projects.big]\nstored_bytes = 1000\n[projects.free]\n")
    return World(LimitsByProject(ProjectLimits(stored_bytes=100), file))


def test_a_full_project_is_refused_and_no_other(world: World) -> None:
    for project in ("small", "big", "free"):
        world.accept(project, 99)
        assert not world.quotas.is_full(project)
        world.accept(project, 1)
    full = [world.quotas.is_full(p) for p in ("small", "big", "free", "new")]
    assert full == [True] + [False] * 3
    with pytest.raises(RateLimitedError, match="small has reached its quota of 100"):
        world.quotas.check("small")


def test_what_is_on_its_way_counts_until_the_store_has_it(world: World) -> None:
    world.accept("small", 60)
    world.oldest_waiting = world.last_seq
    for _ in range(3):
        world.read()
        world.accept("small", 20)
    assert world.quotas.is_full("small")
    world.oldest_waiting = 0
    world.put_into_store("small", 110)
    for _ in range(2):
        world.read()
    assert world.quotas.is_full("small")
    world.store.sizes.clear()  # the data was deleted, or has expired
    world.read()
    assert not world.quotas.is_full("small"), "nothing is counted twice"


def test_what_came_while_the_store_was_asked_counts(world: World) -> None:
    ask = world.store.stored_bytes
    world.store.stored_bytes = lambda limit: world.accept("small", 100) or ask(limit)  # type: ignore[method-assign,func-returns-value]
    world.read()
    assert world.quotas.is_full("small")


def test_while_the_store_is_away_what_is_known_counts(world: World) -> None:
    world.put_into_store("small", 90)
    world.read()
    world.store.is_away = True
    world.accept("small", 10)
    with pytest.raises(StoreUnavailableError):
        world.read()
    assert world.quotas.is_full("small")


def test_without_any_quota_nobody_is_asked() -> None:
    world = World(LimitsByProject(ProjectLimits()))
    world.store.is_away = True
    world.read()


def test_a_long_outage_takes_bounded_room() -> None:
    arrivals = Arrivals()
    for _ in range(10 * MAX_SLOTS):
        arrivals.add({"p": 1}, seq=1)
        arrivals.turn()
    assert arrivals.of("p") == 10 * MAX_SLOTS
    assert len(arrivals._slots) <= MAX_SLOTS
    arrivals.forget(2)
    assert arrivals.of("p") == 0
