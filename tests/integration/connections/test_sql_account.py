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
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.reading import PUBLIC, account_statements, grants
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

pytestmark = pytest.mark.service

DELETED, KEPT = "ab" * 16, "cd" * 16


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConfiguredServer]:
    """A server with two traces, one of them deleted, and the account that reads the views.

    Its accounts are files, so the rights come from there: they are those of the statements.
    """
    accounts = {"grafana": Account(grants("spanloom"), profile="reading")}
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


@pytest.mark.parametrize("view", PUBLIC)
def test_it_reads_the_views_without_what_was_deleted(reader: Client, view: str) -> None:
    found = reader.query(f"SELECT DISTINCT TraceId FROM {view}").result_rows
    traces = {trace_id for (trace_id,) in found}
    assert KEPT in traces
    assert DELETED not in traces


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
