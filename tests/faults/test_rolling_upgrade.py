"""Rolling upgrades: roles of the previous release are replaced by this one's under load.

Nothing is lost or refused, no process ends by itself, and the previous release can start again
until the upgrade is finished: by the keeper, once that release is inactive, or by
``spanloom migrate --finish``.
"""

from __future__ import annotations

import time
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from tests.support import programs
from tests.support.feed_follower import Follower
from tests.support.fleet import APIS, ROLES, Fleet
from tests.support.ledger import Outcome
from tests.support.release_before import unpack_release
from tests.support.settling import check_spans
from tests.support.started_server import started_server

from spanloom.storage.engine.statements import migrations
from spanloom.storage.engine.upgrading import EXPANSIONS, WATCHES, WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from clickhouse_connect.driver.client import Client
    from tests.support.started_server import StartedServer

    Before = Callable[[str], Mapping[str, str]]

pytestmark = [pytest.mark.service, pytest.mark.nightly]

THIS: Mapping[str, str] = {}
KINDS = ("keeper", "collect", "extract", "api")
DAILY = (("collect", "keeper", "extract", "api"),)
"""Orders in which the roles are replaced, except in the slow test, which tries all."""
SETTLED_S = 60.0
QUIET_S = 3
BOTH_S = 3.0
"""Seconds for which the change feed is followed over APIs of both releases."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server") as started:
        yield started


@pytest.fixture(scope="session")
def before(tmp_path_factory: pytest.TempPathFactory) -> Before:
    """Return a function from the number of a release's newest migration to its environment.

    Tests share the unpacked releases, because programs are forked from one interpreter for each.
    """

    @cache
    def environment(name: str) -> Mapping[str, str]:
        place = unpack_release(name, tmp_path_factory.mktemp("before"))
        return {"PYTHONPATH": str(place)}

    return environment


def numbers(client: Client) -> list[int]:
    """Return the numbers in the table of migrations, which the previous release checks."""
    rows = client.query("SELECT number FROM schema_migrations FINAL ORDER BY number").result_rows
    return [number for (number,) in rows]


def left_of_upgrade(client: Client) -> list[str]:
    names = client.query("SELECT name FROM system.tables WHERE database = 'spanloom'").result_rows
    return [n for (n,) in names if n in (EXPANSIONS, WRITERS) or n.startswith(WATCHES)]


def of_kind(order: Sequence[str]) -> list[str]:
    """Return the names of all processes, grouped by kind in the given order."""
    return [name for kind in order for name in ROLES if name.partition("-")[0] == kind]


def roll(fleet: Fleet, old: Mapping[str, str], order: Sequence[str], client: Client) -> None:
    """Replace every process by one of this release, and check that nothing is lost or refused.

    All except the second one of a kind are first restarted in the old release.
    """
    known, follower = numbers(client), Follower()
    with fleet.load(), fleet.followed(follower):
        for name in of_kind(order):
            if not name.endswith("-2"):
                fleet.restart(old, name)
            fleet.restart(THIS, name)
            if name == APIS[0]:
                time.sleep(BOTH_S)
            fleet.check()
            assert numbers(client) == known
        fleet.wait_until_ready()
    assert not fleet.ledger.requests(Outcome.REFUSED)
    check_spans(fleet.running["api-1"].api, fleet.ledger.account())
    follower.check(fleet.running["api-2"].api)
    fleet.check()


@pytest.fixture
def fleet(server: StartedServer, tmp_path: Path) -> Iterator[Fleet]:
    found = Fleet(server.url(), tmp_path)
    yield found
    found.end()


def begin(fleet: Fleet, old: Mapping[str, str]) -> None:
    """Start all roles of the previous release, the keeper first, as it makes the tables."""
    fleet.begin(old, "keeper")
    fleet.begin(old, *ROLES[1:])


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("order", DAILY, ids=",".join)
def test_the_release_before_goes_on_and_starts_again(
    fleet: Fleet, server: StartedServer, before: Before, order: Sequence[str]
) -> None:
    old = before("0003")
    begin(fleet, old)
    client = server.client()
    roll(fleet, old, order, client)
    finish(server, client)
    refused = programs.run(
        *("-m", "spanloom", "api", f"--store-url={server.url()}", "--api-port=0"), env=old
    )
    assert (refused.returncode, "newer Spanloom" in refused.stderr) == (1, True), refused.stderr
    fleet.check()


def finish(server: StartedServer, client: Client) -> None:
    """Finish the upgrade with ``spanloom migrate --finish``; check that it leaves nothing over."""
    ended = programs.run("-m", "spanloom", "migrate", "--finish", f"--store-url={server.url()}")
    assert (ended.returncode, ended.stdout.count("finished ")) != (0, 0), ended.stderr
    assert numbers(client) == [migration.number for migration in migrations()]
    assert left_of_upgrade(client) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("order", list(permutations(KINDS)), ids=",".join)
@pytest.mark.parametrize("release", ["0001", "0003"])
def test_any_order_will_do(
    fleet: Fleet,
    server: StartedServer,
    before: Before,
    release: str,
    order: Sequence[str],
) -> None:
    old = before(release)
    begin(fleet, old)
    roll(fleet, old, order, server.client())
    finish(server, server.client())
    fleet.check()


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_the_keeper_ends_an_upgrade_once_the_release_before_is_quiet(
    fleet: Fleet, server: StartedServer, before: Before
) -> None:
    old = before("0003")
    begin(fleet, old)
    client = server.client()
    flag = f"--finish-upgrade-s={QUIET_S}"
    with fleet.load():
        fleet.restart(THIS, "keeper", flag)
        time.sleep(3 * QUIET_S)
        assert numbers(client) == [1, 2, 3]
    for name in ROLES[1:]:
        fleet.restart(THIS, name)
    until = time.monotonic() + SETTLED_S
    while left_of_upgrade(client):
        assert time.monotonic() < until, fleet.running["keeper"].log
        time.sleep(0.2)
    assert numbers(client) == [migration.number for migration in migrations()]
    assert "the upgrade is finished" in fleet.running["keeper"].log
    check_spans(fleet.running["api-2"].api, fleet.ledger.account())
    fleet.check()


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["0001", "0003"])
def test_a_collector_of_this_release_writes_to_the_tables_of_the_one_before(
    fleet: Fleet, before: Before, release: str
) -> None:
    old = before(release)
    fleet.begin(old, "keeper")
    fleet.begin(THIS, "collect-1", "collect-2")
    with fleet.load():
        time.sleep(1)
    fleet.restart(THIS, "keeper")
    fleet.begin(THIS, "extract-1", "api-1")
    check_spans(fleet.running["api-1"].api, fleet.ledger.account())
