"""An account that reads the public views of a real server reads nothing else."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import clickhouse_connect
import pytest
from click.testing import CliRunner
from clickhouse_connect.driver.exceptions import DatabaseError
from tests.support.configured_server import SECRET, Account, ConfiguredServer, configured_server
from tests.support.isolation import make_twins

from spanloom.cli.running import spanloom
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.storage.engine.connect import open_unchecked
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.reading import (
    PUBLIC,
    account_statements,
    create_account,
    definer_of,
    grants,
)
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

pytestmark = pytest.mark.service

DELETED, KEPT = "ab" * 16, "cd" * 16


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConfiguredServer]:
    """A server with two traces, one of them deleted, and the account that reads the views.

    The accounts are defined in a file, with the rights that ``account_statements`` would grant.
    """
    accounts = {"grafana": Account(grants("spanloom"), profile="reading"), "earlier": Account()}
    with configured_server(tmp_path_factory.mktemp("accounts"), accounts) as running:
        with closing(open_upkeep(running.url())) as upkeep:
            upkeep.migrate()
        with closing(open_store(running.url())) as store:
            for trace_id in (DELETED, KEPT):
                make_twins(store, "mine", "theirs", trace_id)
            scope = DeletionScope(Reach.ALL, DELETED, None, None)
            store.deletions.delete(new_deletion(scope, "me", 10**18))
        yield running


@pytest.fixture
def reader(filled: ConfiguredServer) -> Iterator[Client]:
    client = clickhouse_connect.get_client(dsn=filled.url("grafana"))
    yield client
    client.close()


@pytest.mark.nightly
@pytest.mark.parametrize("view", PUBLIC)
def test_it_reads_the_views_without_what_was_deleted(reader: Client, view: str) -> None:
    found = reader.query(f"SELECT DISTINCT TraceId FROM {view}").result_rows
    traces = {trace_id for (trace_id,) in found}
    assert KEPT in traces
    assert DELETED not in traces


@pytest.mark.nightly
@pytest.mark.parametrize(
    "table", ["trajectory_list", "otel_traces", "v_scores", "v_annotations", "access_keys"]
)
def test_it_reads_no_table(reader: Client, table: str) -> None:
    with pytest.raises(DatabaseError, match="Not enough privileges"):
        reader.query(f"SELECT * FROM {table}")


def test_a_later_start_of_the_keeper_leaves_the_views_as_they_are(
    filled: ConfiguredServer, reader: Client
) -> None:
    with closing(open_upkeep(filled.url())) as upkeep:
        assert upkeep.migrate() == []
    asked = f"SELECT count() FROM v_steps WHERE TraceId = '{DELETED}'"
    assert reader.query(asked).result_rows == [(0,)]


def test_views_of_an_account_that_is_gone_are_made_again(
    filled: ConfiguredServer, reader: Client
) -> None:
    with closing(open_upkeep(filled.url("earlier"))) as upkeep:
        upkeep.migrate()
    assert definers(filled) == {"earlier"}
    with closing(open_upkeep(filled.url())) as upkeep:
        upkeep.migrate()
    assert definers(filled) == {"owner"}
    kept = reader.query(f"SELECT count() FROM v_steps WHERE TraceId = '{DELETED}'").result_rows
    assert kept == [(0,)]


def definers(filled: ConfiguredServer) -> set[str]:
    """Return with whose rights the public views read."""
    with closing(open_unchecked(filled.url())) as connection:
        return {definer_of(row.create_table_query) for v in PUBLIC for row in texts(connection, v)}


def texts(connection: Connection, view: str) -> Iterator[Row]:
    return connection.rows("view_text", view=view)


def test_an_account_that_gets_no_rights_is_removed_again() -> None:
    connection = HalfServer()
    with pytest.raises(StoreUnavailableError, match="no grant"):
        create_account(connection, "grafana", "its password")  # type: ignore[arg-type]  # as far as used
    assert [text.split()[0] for text in connection.statements] == ["CREATE", "GRANT", "DROP"]


class HalfServer:
    """A server whose account may make accounts, and grant nothing."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def rows(self, name: str, **_: object) -> list[tuple[str, ...]]:
        if name == "account":
            return [("owner", "spanloom")]
        made = "CREATE VIEW v DEFINER = owner SQL SECURITY DEFINER AS SELECT 1"
        return [(made, "SELECT deleted_traces", "")]

    def run(self, statement: str) -> None:
        self.statements.append(statement)
        if statement.startswith("GRANT"):
            raise StoreUnavailableError("no grant")


def test_an_empty_file_is_no_password(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("\n")
    at = ["--store-url=clickhouse://me@nowhere/d", f"--password-file={file}"]
    ended = CliRunner().invoke(spanloom, ["sql-account", "create", "grafana", *at])
    assert ended.exit_code == 2
    assert "is empty" in ended.output


def test_the_statements_are_those_of_a_server(filled: ConfiguredServer) -> None:
    client = filled.server.client()
    for statement in account_statements("graf-ana", "its password", "spanloom"):
        assert "its password" not in statement
        shown = client.query("SELECT formatQuery({text:String})", parameters={"text": statement})
        assert "`graf-ana`" in shown.result_rows[0][0]
    client.close()


def test_a_server_that_keeps_no_accounts_says_so(filled: ConfiguredServer) -> None:
    """This one reads them from a file."""
    ended = CliRunner().invoke(
        spanloom, ["sql-account", "create", "grafana", f"--store-url={filled.url()}"]
    )
    assert isinstance(ended.exception, StoreUnavailableError)
    assert "access storage" in str(ended.exception) or "is readonly" in str(ended.exception)
    assert SECRET not in str(ended.exception)


def test_an_embedded_store_has_no_accounts() -> None:
    ended = CliRunner().invoke(spanloom, ["sql-account", "create", "grafana"])
    assert ended.exit_code == 2
    assert "spanloom keys create" in ended.output
