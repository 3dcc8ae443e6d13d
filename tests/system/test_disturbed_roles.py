"""Two collectors and two extractors over a real ClickHouse server, undisturbed and under kills."""

from __future__ import annotations

import threading
import time
from functools import partial
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.busy_machine import load_of
from tests.support.disturbed_roles import (
    ROLES,
    Fleet,
    Followers,
    await_whole,
    check_once,
    in_turn,
    one_content_each,
)
from tests.support.ground_truth import all_captures
from tests.support.late_link import LateLink
from tests.support.sent_captures import MANY, measure_settled
from tests.support.started_server import started_server, url_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.conftest import StartSpanloom
    from tests.support.ground_truth import Capture
    from tests.support.started_server import StartedServer

EVERY = 24
"""By default one run in 24 is sent."""
STALE_S = 30.0
"""A run is complete within this time after its last request, on a busy machine too."""
RIGHT_S = 60.0
"""Time limit for a complete run to become right, as it may still change."""
LATE_S = 8.0
"""Delay with which one collector stores its spans, in seconds."""
MOST_READ = 1.3
"""Maximum of spans read by undisturbed extractors, per span sent."""


@pytest.fixture
def server(tmp_path: Path, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server", made=made_server) as started:
        yield started


@pytest.fixture
def late(server: StartedServer) -> Iterator[LateLink]:
    with LateLink(server.address) as link:
        yield link


@pytest.fixture
def fleet(start_spanloom: StartSpanloom, tmp_path: Path, server: StartedServer) -> Iterator[Fleet]:
    made = Fleet(start_spanloom, server, tmp_path, MANY)
    made.begin()
    yield made
    made.end()


def of(every: int) -> list[Capture]:
    return all_captures()[::every]


def check(fleet: Fleet, captures: Sequence[Capture], follower: Followers) -> None:
    """Assert that every run is right, complete, stored once and announced once."""
    await_whole(fleet, captures)
    with httpx.Client(base_url=fleet.api, timeout=20) as api:
        measured = {c.id: measure_settled(api, c, time.monotonic() + RIGHT_S) for c in captures}
    wrong = {capture: found for capture, found in measured.items() if any(found.values())}
    assert wrong == {}
    check_once(fleet)
    one_content_each(fleet.server.client())
    while follower.read_on():
        pass
    assert [version for version, times in follower.seen.items() if times > 1] == []
    assert {trace for trace, _ in follower.seen} >= {t for c in captures for t in c.spans_by_trace}


@pytest.mark.nightly
def test_in_peace_each_run_is_built_about_once(fleet: Fleet) -> None:
    captures, follower = of(EVERY), Followers(fleet)
    with follower.following():
        assert fleet.send(captures) == 0
        await_whole(fleet, captures, within_s=60)
    check(fleet, captures, follower)
    spans = sum(n for c in captures for n in c.spans_by_trace.values())
    assert fleet.metric("spanloom_spans_extracted_total") <= MOST_READ * spans


def test_whatever_is_killed_all_runs_are_right_and_there_once(fleet: Fleet) -> None:
    disturbed(fleet, of(EVERY), ["store", *ROLES[1:], "keeper", "store"], every_s=1.0)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_runs_while_each_part_and_the_store_are_killed_twice(fleet: Fleet) -> None:
    disturbed(fleet, of(1), ["store", *ROLES] * 2, every_s=6.0)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("turn", range(10))
def test_in_peace_on_a_busy_machine_no_run_is_stale(fleet: Fleet, turn: int) -> None:
    captures, follower = of(1), Followers(fleet)
    with follower.following(), load_of(10):
        assert fleet.send(captures) == 0, f"turn {turn}"
        await_whole(fleet, captures, within_s=STALE_S)
    check(fleet, captures, follower)


@pytest.mark.nightly
def test_extractors_that_are_frozen_in_turn_change_nothing(fleet: Fleet) -> None:
    frozen_in_turn(fleet, of(EVERY), lambda: 2.0)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_runs_while_a_collector_is_late_and_extractors_are_frozen(
    late: LateLink, fleet: Fleet
) -> None:
    fleet.running["collect-1"].stop()
    fleet.urls["collect-1"] = url_of(late.address)
    fleet.begin_one("collect-1")
    fleet.running["collect-1"].wait_until_ready()
    late.late_s = LATE_S
    frozen_in_turn(fleet, of(1), partial(Random(1).uniform, 1, 5))
    late.late_s = 0.0


def frozen_in_turn(fleet: Fleet, captures: Sequence[Capture], seconds: Callable[[], float]) -> None:
    """Send captures while extractors are frozen in turn, and check the resulting runs."""
    follower, ending = Followers(fleet), threading.Event()

    def freeze(name: str) -> None:
        with fleet.frozen(name):
            time.sleep(seconds())

    names = cycle(["extract-0", "extract-1"])
    freezing = threading.Thread(target=in_turn, args=(names, freeze, 0.3, ending))
    with follower.following():
        freezing.start()
        try:
            fleet.send(captures)
            await_whole(fleet, captures)
        finally:
            ending.set()
            freezing.join()
    check(fleet, captures, follower)


def disturbed(
    fleet: Fleet, captures: Sequence[Capture], names: Sequence[str], every_s: float
) -> None:
    """Send captures while processes are killed in turn, and check the resulting runs."""
    follower, ending = Followers(fleet), threading.Event()
    killing = threading.Thread(target=in_turn, args=(names, fleet.kill, every_s, ending))
    with follower.following():
        killing.start()
        fleet.send(captures)
        killing.join()
        await_whole(fleet, captures)
    check(fleet, captures, follower)
