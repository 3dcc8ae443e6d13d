"""A process leaves a host that fails, and uses no host that is not as good, on a real server."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.configured_server import SECRET, ConfiguredServer
from tests.support.host_link import HostLink, answers, closes, host_link, says_nothing

from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.storage.diagnosis import diagnose
from spanloom.storage.engine import examination, hosts
from spanloom.storage.engine.address import StoreAddress
from spanloom.storage.engine.connect import connector_of, hosts_of, refused_hosts
from spanloom.storage.engine.lane import Lane
from spanloom.storage.store import ClickHouseStore, open_store

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.service


@pytest.fixture
def first(server: ConfiguredServer) -> Iterator[HostLink]:
    with host_link(server.port) as link:
        yield link


@pytest.fixture
def second(server: ConfiguredServer) -> Iterator[HostLink]:
    with host_link(server.port) as link:
        yield link


def url_of(*ports: int, database: str = "spanloom", account: str = "owner") -> str:
    listed = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"clickhouse://{account}:{SECRET}@{listed}/{database}"


def host_in_use(store: ClickHouseStore) -> int:
    return int(re.findall(r":(\d+)$", store.lanes.worker._client.url)[0])  # type: ignore[attr-defined]


MODES: dict[str, Callable[[socket.socket], None]] = {
    "closes": closes,
    "is silent": says_nothing,
    "answers 500": answers("500 Internal Server Error"),
    "answers 503": answers("503 Service Unavailable"),
    "is no ClickHouse": answers("200 OK", lambda _: b"hello"),
}


@pytest.mark.parametrize("mode", MODES)
def test_all_lanes_leave_a_host_that_fails_and_go_on_at_the_next(
    first: HostLink, second: HostLink, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "SILENT_S", 1)
    with closing(open_store(url_of(first.port, second.port))) as store:
        store.ping()
        assert host_in_use(store) == first.port
        first.fail(MODES[mode])
        if mode == "is no ClickHouse":
            first.fail(closes)  # an established host does not become another program
        with pytest.raises(StoreUnavailableError):
            store.ping()
        store.ping()
        assert list(store.deletions.list(1)) == []
        store.lanes.writer.insert("extraction_watermark", ["Id"], [[0]])
        assert {host_in_use(store), second.port} == {second.port}
        first.work()
        store.ping()
        assert host_in_use(store) == second.port


@pytest.mark.parametrize("mode", MODES)
def test_a_host_that_fails_at_the_start_is_passed_over_with_a_sentence(
    first: HostLink, second: HostLink, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "SILENT_S", 1)
    first.fail(MODES[mode])
    url = url_of(first.port, second.port)
    with closing(open_store(url)) as store:
        store.ping()
    (refusal,) = hosts_of(StoreAddress(url)).refusals
    assert str(refusal).startswith(f"127.0.0.1:{first.port} ")
    assert "\n" not in str(refusal)
    assert diagnose(url).refused_hosts != ()


def test_where_no_host_can_be_used_each_has_its_sentence(first: HostLink, second: HostLink) -> None:
    first.fail(closes)
    second.fail(answers("500 Internal Server Error"))
    with pytest.raises(StartupError) as refusal:
        open_store(url_of(first.port, second.port))
    assert f"127.0.0.1:{first.port} cannot be reached" in str(refusal.value)
    assert f"127.0.0.1:{second.port} cannot be reached" in str(refusal.value)
    assert SECRET not in str(refusal.value)


def reason_for(server: ConfiguredServer, first: HostLink, **where: str) -> str:
    """Return why the second of two hosts is not used."""
    del server
    (reason, *others) = {
        str(r).partition(" ")[2] for r in refused_hosts(url_of(first.port, 1, **where))
    }
    return next(r for r in (reason, *others) if "cannot be reached" not in r)


def test_an_older_server_is_named(
    server: ConfiguredServer, first: HostLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "OLDEST", (99, 1))
    assert re.fullmatch(
        r"is of version 26\.\d+\.\S+, and 99\.1 is needed", reason_for(server, first)
    )


def test_a_full_disk_is_named(
    server: ConfiguredServer, first: HostLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "LEAST_FREE_BYTES", 1 << 60)
    assert re.fullmatch(r"has \d+ MiB left on its disks", reason_for(server, first))


def test_a_database_without_tables_is_named(server: ConfiguredServer, first: HostLink) -> None:
    assert reason_for(server, first, database="default") == "has no tables of Spanloom"


def test_a_wrong_account_and_a_missing_database_are_named(
    server: ConfiguredServer, first: HostLink
) -> None:
    wrong = "refuses the account: its name or password is wrong"
    assert reason_for(server, first, account="nobody") == wrong
    assert "missing" in reason_for(server, first, database="missing")


def test_tables_of_another_release_are_named(server: ConfiguredServer, first: HostLink) -> None:
    lane = Lane(connector_of(server.url(database="other"))())
    lane.run("INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, '9999_x', 'x')")
    try:
        assert "newer Spanloom" in reason_for(server, first, database="other")
    finally:
        lane.run("ALTER TABLE schema_migrations DELETE WHERE number = 9999")
        lane.close()


def test_a_host_with_another_store_is_not_used(server: ConfiguredServer) -> None:
    """Two databases are two stores; the id is compared once one is known."""
    for database, found in (("spanloom", "first-id"), ("other", "second-id")):
        with closing(Lane(connector_of(server.url(database=database))())) as lane:
            lane.run(
                "CREATE TABLE IF NOT EXISTS store_facts (Name String, Value String) "
                "ENGINE = ReplacingMergeTree ORDER BY Name"
            )
            lane.run(f"INSERT INTO store_facts (Name, Value) VALUES ('id', '{found}')")
    examine = examination.Examination()
    with closing(Lane(connector_of(server.url(database="spanloom"))())) as lane:
        assert examine(lane._client) == ""
    with closing(Lane(connector_of(server.url(database="other"))())) as lane:
        assert examine(lane._client) == "has another store: its id is second-id, not first-id"


@pytest.mark.parametrize("account", ["full", "bound"])
def test_a_host_that_takes_no_inserts_is_left(
    server: ConfiguredServer, first: HostLink, second: HostLink, account: str
) -> None:
    """Here the account meets the same at every host; so it is examined again and again."""
    del server
    url = url_of(first.port, second.port, account=account)
    with closing(Lane(connector_of(url)())) as lane:
        for left in (first, second):
            with pytest.raises(StoreUnavailableError):
                lane.insert("extraction_watermark", ["Id"], [[0]])
            reasons = [str(r) for r in hosts_of(StoreAddress(url)).refusals]
            assert any(r.startswith(f"127.0.0.1:{left.port} refuses: ") for r in reasons)
