"""A process leaves a host that fails, and uses no host that is not as good, on a real server."""

from __future__ import annotations

import re
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.configured_server import SECRET, ConfiguredServer
from tests.support.host_link import HostLink, answers, closes, host_link, says_nothing

from spanloom.access.last_known import STORE_KNOWN, LastKnown
from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.storage.diagnosis import diagnose
from spanloom.storage.engine import connect, examination
from spanloom.storage.engine.address import StoreAddress
from spanloom.storage.engine.connect import (
    connector_of,
    hosts_of,
    keep_store_id,
    refused_hosts,
)
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.hosts import client
from spanloom.storage.engine.late import LateConnection, Opening
from spanloom.storage.engine.migrate import OLDEST_WRITABLE
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.engine.statements import WRITER, comment_of, migrations
from spanloom.storage.engine.upgrading import permit_from
from spanloom.storage.store import ClickHouseStore, open_store

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

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
    return int(re.findall(r":(\d+)$", store.connections.worker._client.url)[0])  # type: ignore[attr-defined]


MODES: dict[str, Callable[[socket.socket], None]] = {
    "closes": closes,
    "is silent": says_nothing,
    "answers 500": answers("500 Internal Server Error"),
    "answers 503": answers("503 Service Unavailable"),
    "is no ClickHouse": answers("200 OK", lambda _: b"hello"),
}


@pytest.mark.parametrize("mode", MODES)
def test_all_connections_leave_a_host_that_fails_and_go_on_at_the_next(
    first: HostLink, second: HostLink, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SILENT_S", 1)
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
        store.connections.writer.insert("extraction_watermark", ["Id"], [[0]])
        assert {host_in_use(store), second.port} == {second.port}
        first.work()
        store.ping()
        assert host_in_use(store) == second.port


@pytest.mark.nightly
@pytest.mark.parametrize("mode", MODES)
def test_a_host_that_fails_at_the_start_is_passed_over_with_a_sentence(
    first: HostLink, second: HostLink, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SILENT_S", 1)
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


@pytest.mark.nightly
def test_tables_of_another_release_are_named(
    server: ConfiguredServer, other: str, first: HostLink
) -> None:
    connection = Connection(connector_of(server.url(database=other))())
    permit_from(connection, "9999_x")
    try:
        assert "newer Spanloom" in reason_for(server, first, database=other)
    finally:
        permit_from(connection, migrations()[-1].name)
        connection.close()


@pytest.fixture
def older(server: ConfiguredServer, other: str, first: HostLink, second: HostLink) -> Iterator[str]:
    """Return the URL of two hosts that have the tables of 0.1.0, as far as their list says."""
    ledger = "schema_migrations"
    with closing(Connection(connector_of(server.url(database=other))())) as connection:
        connection.run(f"CREATE OR REPLACE TABLE kept AS {ledger}")
        connection.run(f"INSERT INTO kept SELECT * FROM {ledger}")
        connection.run(f"DELETE FROM {ledger} WHERE number > {OLDEST_WRITABLE}")
        connect.hosts_of.cache_clear()
        yield url_of(first.port, second.port, database=other)
        connection.run(f"INSERT INTO {ledger} SELECT * FROM kept WHERE number > {OLDEST_WRITABLE}")
        connection.run("DROP TABLE kept")


def test_a_store_of_the_release_before_is_used_by_who_can(older: str) -> None:
    with pytest.raises(StartupError, match="is of an older Spanloom"):
        open_store(older)
    time.sleep(1)  # they are examined once a second
    open_store(older, OLDEST_WRITABLE).close()
    with pytest.raises(StartupError, match="is of an older Spanloom"):
        open_store(older)  # also by one whose process can


def test_a_collector_waits_for_no_upgrade(older: str) -> None:
    connection = LateConnection(Opening(older, OLDEST_WRITABLE, ["collect"]))
    connection.connect()
    connection.close()


def test_the_doctor_sees_a_store_of_any_release(older: str) -> None:
    state = diagnose(older)
    assert min(state.applied) <= OLDEST_WRITABLE
    assert all("is of an older Spanloom" in reason for reason in state.refused_hosts)


def test_the_doctor_loosens_nothing_for_its_process(older: str) -> None:
    """As ``GET /v1/doctor`` runs in a process that works on the store."""
    diagnose(older)
    with pytest.raises(StoreUnavailableError, match="is of an older Spanloom"):
        hosts_of(StoreAddress(older)).connect()


def test_an_earlier_process_of_the_directory_says_which_store_it_is(
    server: ConfiguredServer, first: HostLink, second: HostLink, other: str, tmp_path: Path
) -> None:
    for database, found in (("spanloom", "first-id"), (other, "second-id")):
        have_id(server, database, found)
    kept = LastKnown(tmp_path / STORE_KNOWN)
    keep_store_id(url := url_of(first.port, second.port), kept)
    open_store(url).close()
    assert kept.read() == "first-id"
    keep_store_id(url := url_of(first.port, second.port, database=other), kept)
    with pytest.raises(StartupError, match="has another store: its id is second-id, not first-id"):
        open_store(url)


def have_id(server: ConfiguredServer, database: str, found: str) -> None:
    """Give the store of a database this id."""
    with closing(Connection(connector_of(server.url(database=database))())) as connection:
        connection.run(
            "CREATE TABLE IF NOT EXISTS store_facts (Name String, Value String) "
            "ENGINE = ReplacingMergeTree ORDER BY Name"
        )
        connection.run(f"INSERT INTO store_facts (Name, Value) VALUES ('id', '{found}')")


def test_a_host_with_another_store_is_not_used(server: ConfiguredServer, other: str) -> None:
    """Two databases are two stores; the id is compared once one is known."""
    for database, found in (("spanloom", "first-id"), (other, "second-id")):
        have_id(server, database, found)
    examine = examination.Examination()
    with closing(Connection(connector_of(server.url(database="spanloom"))())) as connection:
        assert examine(connection._client) == ""
    with closing(Connection(connector_of(server.url(database=other))())) as connection:
        assert examine(connection._client) == "has another store: its id is second-id, not first-id"


@pytest.mark.parametrize("account", ["full", "bound"])
def test_a_host_that_takes_no_inserts_is_left(
    server: ConfiguredServer, first: HostLink, second: HostLink, account: str
) -> None:
    """Here the account meets the same at every host; so it is examined again and again."""
    del server
    url = url_of(first.port, second.port, account=account)
    with closing(Connection(connector_of(url)())) as connection:
        for left in (first, second):
            with pytest.raises(StoreUnavailableError):
                connection.insert("extraction_watermark", ["Id"], [[0]])
            reasons = [str(r) for r in hosts_of(StoreAddress(url)).refusals]
            assert any(r.startswith(f"127.0.0.1:{left.port} refuses: ") for r in reasons)


def test_a_mutation_longer_than_a_host_may_be_silent_is_waited_for(
    server: ConfiguredServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SILENT_S", 1)
    with closing(Connection(connector_of(server.url())(), UPKEEP_SETTINGS)) as connection:
        connection.run("CREATE OR REPLACE TABLE slow (Id UInt8) ENGINE = MergeTree ORDER BY Id")
        connection.run("INSERT INTO slow VALUES (1), (2), (3)")
        connection.run("ALTER TABLE slow DELETE WHERE sleepEachRow(0.9) = 0")
        assert connection.answer("SELECT count() FROM slow") == b"0"
        mutations = "SELECT count() FROM system.mutations WHERE table = 'slow'"
        assert connection.answer(mutations) == b"1"
        connection.run("DROP TABLE slow")


def test_a_connection_over_a_server_has_a_session_of_one_host(
    server: ConfiguredServer, first: HostLink, second: HostLink
) -> None:
    """Others see who it is; once its host is left, nothing runs until the session is over."""
    del server
    with closing(Connection(connector_of(url_of(first.port, second.port))())) as connection:
        connection.run("CREATE OR REPLACE TABLE marks (Who String) ENGINE = MergeTree ORDER BY Who")
        connection.begin_session("me", 60)
        assert connection.has_session
        connection.run("CREATE TEMPORARY TABLE of_the_session (Id UInt8)")
        connection.run("INSERT INTO of_the_session VALUES (1)")
        assert connection.answer("SELECT getSetting('log_comment')").decode() == comment_of("me")
        first.fail(closes)
        for _ in range(2):
            with pytest.raises(StoreUnavailableError):
                connection.run("INSERT INTO marks VALUES ('me')")
        connection.end_session()
        assert not connection.has_session
        assert connection.answer("SELECT getSetting('log_comment')").decode() == WRITER
        assert connection.answer("SELECT count() FROM marks") == b"0"
        connection.run("DROP TABLE marks")
