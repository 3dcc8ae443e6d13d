"""An account that lacks a right of its role is told so in one sentence, on a real server."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.configured_server import Account, ConfiguredServer, configured_server

from spanloom.core.errors import NoHeartbeatError, StoreUnavailableError
from spanloom.storage.engine.address import StoreAddress
from spanloom.storage.engine.connect import connector_of, hosts_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import check_schema
from spanloom.storage.engine.rights import (
    EVERY,
    RIGHTS,
    MissingRightError,
    require_rights,
    shipped_tables,
    tables_of,
)
from spanloom.storage.upkeep.store import open_upkeep
from spanloom.storage.workers import open_workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.storage.engine.rights import Right

pytestmark = pytest.mark.service

CASES = [
    (role, number)
    for role, rights in RIGHTS.items()
    for number, right in enumerate(rights)
    if not right.is_optional
]


def grants(rights: Sequence[Right]) -> tuple[str, ...]:
    return tuple(f"GRANT {right.privilege} ON spanloom.{right.table}" for right in rights)


def without(role: str, number: int) -> tuple[str, ...]:
    return grants([right for n, right in enumerate(RIGHTS[role]) if n != number])


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConfiguredServer]:
    """A server with an account for each role, and one more for each of its rights: without it."""
    accounts = {role: Account(grants(rights)) for role, rights in RIGHTS.items()}
    accounts["keeper"] = Account((*grants(RIGHTS["keeper"]), "GRANT TABLE ENGINE ON *"))
    accounts["no_engine"] = Account(grants(RIGHTS["keeper"]))
    accounts |= {f"{role}_{n}": Account(without(role, n)) for role, n in CASES}
    needed = {role: [r for r in rights if not r.is_optional] for role, rights in RIGHTS.items()}
    accounts |= {f"{role}_least": Account(grants(rights)) for role, rights in needed.items()}
    every = [f"GRANT SELECT ON spanloom.{table}" for table in tables_of("SELECT", "api")]
    accounts |= {"by_table": Account(every), "all_but_one": Account(every[1:])}
    both = [
        f"GRANT {privilege} ON spanloom.{table}"
        for privilege in ("SELECT", "INSERT")
        for table in tables_of(privilege, "extract")
    ]
    accounts["extract_by_table"] = Account(both)
    accounts |= {f"reads_{n}": Account(profile=f"reads_{n}") for n in (1, 2)}
    profiles = {f"reads_{n}": {"readonly": n} for n in (1, 2)}
    with configured_server(tmp_path_factory.mktemp("rights"), accounts, profiles) as running:
        with closing(open_upkeep(running.url("keeper"))) as upkeep:
            assert upkeep.migrate()
        yield running


def connection_of(roles: ConfiguredServer, account: str) -> Connection:
    return Connection(connector_of(roles.url(account))())


@pytest.mark.parametrize("role", RIGHTS)
def test_an_account_with_the_rights_of_its_role_lacks_none(
    roles: ConfiguredServer, role: str
) -> None:
    with closing(connection_of(roles, role)) as connection:
        require_rights(connection, role)


@pytest.mark.parametrize(("role", "number"), CASES)
def test_each_right_that_is_missing_is_named(
    roles: ConfiguredServer, role: str, number: int
) -> None:
    privilege, table, *_ = RIGHTS[role][number]
    account = f"{role}_{number}"
    grant = f"GRANT {privilege} ON spanloom.{table} TO {account}"
    with (
        closing(connection_of(roles, account)) as connection,
        pytest.raises(MissingRightError) as refusal,
    ):
        require_rights(connection, role)
    assert str(refusal.value) == f"the account {account} lacks a right that it needs: {grant}"


@pytest.mark.parametrize("role", ["collect", "extract", "keeper"])
@pytest.mark.parametrize("number", [1, 2])
def test_an_account_that_may_only_read_is_not_asked_to_be_granted_more(
    roles: ConfiguredServer, role: str, number: int
) -> None:
    account = f"reads_{number}"
    with (
        closing(connection_of(roles, account)) as connection,
        pytest.raises(MissingRightError) as refusal,
    ):
        require_rights(connection, role)
    said = f"the account {account} may only read, and {role} writes: its profile sets readonly ="
    assert str(refusal.value).startswith(f"{said} {number}; ")
    assert "GRANT" not in str(refusal.value)


@pytest.mark.parametrize("role", ["collect", "api", "keeper"])
def test_a_role_works_without_the_optional_rights(roles: ConfiguredServer, role: str) -> None:
    with closing(connection_of(roles, f"{role}_least")) as connection:
        require_rights(connection, role)
        check_schema(connection, "spanloom migrate")


@pytest.mark.parametrize("account", ["reads_1", "reads_2", "collect_least"])
def test_an_account_without_the_right_has_no_heartbeat(
    roles: ConfiguredServer, account: str
) -> None:
    address = StoreAddress(roles.url(account).replace("127.0.0.1", "localhost"))
    with closing(open_workers(address, "me", "1.0")) as workers:
        with pytest.raises(NoHeartbeatError):
            workers.beat(["api"], 1.0)
        with pytest.raises(NoHeartbeatError):
            workers.beat(["api"], 2.0)
    assert hosts_of(address).turn == 1
    if account != "collect_least":
        with closing(connection_of(roles, account)) as connection:
            require_rights(connection, "api")


def test_nothing_is_to_be_inserted_into_views() -> None:
    assert "v_steps" in tables_of("SELECT", "extract")
    assert "v_steps" not in tables_of("INSERT", "extract")
    assert "workers" in tables_of("INSERT", "extract")


def test_a_right_for_every_table_may_be_given_table_by_table(roles: ConfiguredServer) -> None:
    with closing(connection_of(roles, "by_table")) as connection:
        require_rights(connection, "api")
    with closing(connection_of(roles, "extract_by_table")) as connection:
        require_rights(connection, "extract")
    with (
        closing(connection_of(roles, "all_but_one")) as connection,
        pytest.raises(MissingRightError),
    ):
        require_rights(connection, "api")


@pytest.mark.parametrize(
    ("account", "statement", "grant"),
    [
        ("api", "INSERT INTO deletions (Id) VALUES ('1')", "INSERT(Id) ON spanloom.deletions"),
        ("collect", "SELECT 1 FROM trajectories", "SELECT ON spanloom.trajectories"),
        ("extract", "ALTER TABLE replays DELETE WHERE 1", "ALTER DELETE ON spanloom.replays"),
        (
            "no_engine",
            "CREATE TABLE more (a UInt8) ENGINE = MergeTree ORDER BY a",
            "TABLE ENGINE ON MergeTree",
        ),
        ("extract", "CREATE TABLE more (a UInt8) ENGINE = Memory", "CREATE TABLE ON spanloom.more"),
    ],
)
def test_a_right_that_is_missed_later_is_named_as_well(
    roles: ConfiguredServer, account: str, statement: str, grant: str
) -> None:
    with (
        closing(connection_of(roles, account)) as connection,
        pytest.raises(StoreUnavailableError) as error,
    ):
        connection.run(statement)
    said = f"the account {account} lacks a right that it needs: GRANT {grant} TO {account}"
    assert str(error.value) == said


def test_every_table_that_a_role_names_is_one_of_ours() -> None:
    named = {right.table for rights in RIGHTS.values() for right in rights} - {EVERY}
    assert named - {"schema_migrations", "schema_expansions"} <= set(shipped_tables())
