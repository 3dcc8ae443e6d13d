"""An upgrade beside roles of the previous release adds first, and drops only at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.examples import some_every_day
from tests.unit.storage.test_migrate import BreakingConnection, definitions, kills

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaNotReadyError,
    SchemaTooNewError,
    StoreUnavailableError,
)
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import awaited, check_schema, finish, migrate
from spanloom.storage.engine.statements import Migration, migrations, query
from spanloom.storage.engine.upgrading import EXPANSIONS, WRITERS, permit_from, writes_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clickhouse_connect.driver.client import Client

SHIPPED = migrations()
NUMBER = SHIPPED[-1].number + 1
PHASED = Migration(
    NUMBER,
    f"{NUMBER:04}_phased",
    """-- A column that takes the place of another.
ALTER TABLE replays ADD COLUMN IF NOT EXISTS Note String COMMENT 'Why.';

ALTER TABLE replays ADD COLUMN IF NOT EXISTS Remark String COMMENT 'What for.';
""",
    """-- What nobody reads any longer.
ALTER TABLE replays DROP COLUMN IF EXISTS Note;

ALTER TABLE replays MODIFY COMMENT 'Replays with remarks.';
""",
)
"""A migration of two phases, as a later release may have it."""

LATER = Migration(NUMBER + 1, f"{NUMBER + 1:04}_later", "SELECT 1;\n")
"""A migration of the release after that."""


def ship(monkeypatch: pytest.MonkeyPatch, *shipped: Migration) -> None:
    """Make this process the release that ships the given migrations."""
    monkeypatch.setattr(migrating, "migrations", lambda: shipped)


def ledger(connection: Connection) -> list[tuple[int, bool]]:
    """Return what earlier releases read: each migration's number, and whether it was applied."""
    return [
        (number, bool(checksum)) for number, _, checksum in connection.rows("applied_migrations")
    ]


def listed(release: Sequence[Migration]) -> list[tuple[int, bool]]:
    return [(migration.number, True) for migration in release]


MIDDLE = 3
every_release = pytest.mark.parametrize(
    "before",
    some_every_day([MIDDLE, 1, len(SHIPPED)]),
    indirect=True,
)
"""Runs a test over a store of each previous release; each needs a database of its own."""


@pytest.fixture
def before(request: pytest.FixtureRequest) -> tuple[Migration, ...]:
    """Return the migrations of the previous release: those of 0.1.0, a middle one, or all."""
    return SHIPPED[: getattr(request, "param", MIDDLE)]


@pytest.fixture
def connection(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, before: tuple[Migration, ...]
) -> Connection:
    """Return a connection to a store of the previous release; this process ships ``PHASED``."""
    connection = Connection(fresh_database)
    ship(monkeypatch, *before)
    migrate(connection)
    ship(monkeypatch, *SHIPPED, PHASED)
    return connection


def test_until_the_end_the_list_of_the_store_names_nothing_new(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, before: tuple[Migration, ...]
) -> None:
    with pytest.raises(SchemaNotReadyError):
        check_schema(connection, "")
    added = [m.name for m in (*SHIPPED, PHASED) if m not in before]
    assert migrate(connection, in_phases=True) == added
    assert migrate(connection, in_phases=True) == []
    assert ledger(connection) == listed(before)
    check_schema(connection, "")
    assert "`Note` String COMMENT" in definitions(connection)["replays"]
    ship(monkeypatch, *before)
    check_schema(connection, "")
    assert migrate(connection, in_phases=True) == migrate(connection) == []


@every_release
def test_from_the_end_on_the_release_before_is_refused(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, before: tuple[Migration, ...]
) -> None:
    added = migrate(connection, in_phases=True)
    assert finish(connection) == added
    assert finish(connection) == []
    check_schema(connection, "")
    assert ledger(connection) == listed((*SHIPPED, PHASED))
    assert "`Note`" not in definitions(connection)["replays"]
    assert not [name for name in definitions(connection) if "upgrade" in name or name == EXPANSIONS]
    ship(monkeypatch, *before)
    with pytest.raises(SchemaTooNewError, match=PHASED.name):
        check_schema(connection, "")


@every_release
def test_an_upgrade_killed_anywhere_in_both_phases_goes_on(
    connection: Connection, fresh_database: Client, before: tuple[Migration, ...]
) -> None:
    for statements in kills():
        with_kill = BreakingConnection(fresh_database, statements)
        try:
            migrate(with_kill, in_phases=True)
        except StoreUnavailableError:
            assert ledger(connection) == listed(before)
            continue
        break
    check_schema(connection, "")
    for statements in kills():
        try:
            finish(BreakingConnection(fresh_database, statements))
        except StoreUnavailableError:
            check_schema(connection, "")  # the new release goes on meanwhile
            continue
        break
    phased = definitions(connection)
    migrate(connection)
    assert definitions(connection) == phased
    assert ledger(connection) == listed((*SHIPPED, PHASED))
    assert not [name for name in phased if "upgrade" in name or name == EXPANSIONS]


def leave_what_was_to_be_dropped(
    connection: Connection, fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finish the upgrade as a process that is killed before it drops any leftovers."""
    migrate(connection, in_phases=True)
    fresh_database.set_client_setting("log_comment", "")
    fresh_database.command("INSERT INTO extraction_watermark (Second) VALUES (1)")
    with monkeypatch.context() as killed:
        killed.setattr(migrating, "forget_upgrade", lambda *_: None)
        finish(connection)


def upgrade_tables(connection: Connection) -> list[str]:
    return [name for name in definitions(connection) if "upgrade" in name or name == EXPANSIONS]


def test_what_a_killed_end_left_is_dropped_by_the_next_start(
    connection: Connection, fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_what_was_to_be_dropped(connection, fresh_database, monkeypatch)
    assert awaited(connection) is None
    assert upgrade_tables(connection) != []
    assert migrate(connection, in_phases=True) == []
    assert upgrade_tables(connection) == []


def test_what_a_killed_end_left_ends_no_later_upgrade(
    connection: Connection, fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_what_was_to_be_dropped(connection, fresh_database, monkeypatch)
    ship(monkeypatch, *SHIPPED, PHASED, LATER)
    assert migrate(connection, in_phases=True) == [LATER.name]
    assert found_writers(fresh_database) == []


def test_writers_of_before_do_not_age_an_upgrade(
    connection: Connection, fresh_database: Client
) -> None:
    migrate(connection, in_phases=True)
    fresh_database.command(
        f"INSERT INTO {WRITERS} (SeenAt, Source, Writer) VALUES (now64(3) - 864000, 'scores', '')"
    )
    quiet = awaited(connection)
    assert quiet is not None
    assert (quiet.name, quiet.age_s < 60) == ("", True)


def test_a_restart_of_the_release_before_drops_nothing_of_an_upgrade(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, before: tuple[Migration, ...]
) -> None:
    migrate(connection, in_phases=True)
    under_way = upgrade_tables(connection)
    ship(monkeypatch, *before)
    assert migrate(connection, in_phases=True) == []
    assert upgrade_tables(connection) == under_way


@every_release
def test_both_ways_make_the_same_tables(connection: Connection) -> None:
    migrate(connection, in_phases=True)
    finish(connection)
    phased = definitions(connection)
    for name in phased:
        connection.run(f"DROP TABLE IF EXISTS {name} SYNC")
    migrate(connection)
    assert definitions(connection) == phased


def test_a_new_store_has_no_phases(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    assert migrate(connection, in_phases=True) == [migration.name for migration in SHIPPED]
    assert ledger(connection) == listed(SHIPPED)
    assert writes_from(connection) == SHIPPED[-1].name
    assert awaited(connection) is None


def test_a_new_store_whose_first_migration_is_killed_anywhere_is_no_upgrade(
    fresh_database: Client,
) -> None:
    """Otherwise the feed would work for a day as beside 0.1.0, which shows changes twice."""
    for statements in kills():
        try:
            migrate(BreakingConnection(fresh_database, statements), in_phases=True)
        except StoreUnavailableError:
            assert upgrade_tables(Connection(fresh_database)) == []
            continue
        break
    assert ledger(Connection(fresh_database)) == listed(SHIPPED)
    assert writes_from(Connection(fresh_database)) == SHIPPED[-1].name


def test_the_end_needs_the_additions(connection: Connection) -> None:
    with pytest.raises(SchemaNotReadyError, match="lacks"):
        finish(connection)
    assert awaited(connection) is None


def test_additions_of_another_text_are_refused(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(connection, in_phases=True)
    ship(monkeypatch, *SHIPPED, PHASED._replace(text=PHASED.text + "\n-- an afterthought"))
    with pytest.raises(SchemaChangedError, match=PHASED.name):
        migrate(connection, in_phases=True)
    with pytest.raises(SchemaChangedError, match=PHASED.name):
        finish(connection)


def test_a_collector_writes_to_a_store_of_the_release_before(
    connection: Connection, before: tuple[Migration, ...]
) -> None:
    newest = before[-1].number
    check_schema(connection, "", oldest=newest)
    with pytest.raises(SchemaNotReadyError, match="older"):
        check_schema(connection, "", oldest=newest + 1)


def test_a_store_without_tables_takes_nothing(fresh_database: Client) -> None:
    with pytest.raises(SchemaNotReadyError, match="no tables"):
        check_schema(Connection(fresh_database), "", oldest=1)


def test_a_store_says_which_releases_may_write(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This release keeps working if a later release permits it to write."""
    connection = Connection(fresh_database)
    migrate(connection)
    connection.run(query("record_migration"), number=PHASED.number, name=PHASED.name, checksum="x")
    check_schema(connection, "")
    permit_from(connection, PHASED.name)
    with pytest.raises(SchemaTooNewError, match=PHASED.name):
        check_schema(connection, "")
    ship(monkeypatch, *SHIPPED, PHASED)
    check_schema(connection, "")


def test_an_older_release_that_writes_is_noticed(
    connection: Connection, fresh_database: Client
) -> None:
    migrate(connection, in_phases=True)
    write = "INSERT INTO extraction_watermark (Second) VALUES (1)"
    fresh_database.set_client_setting("log_comment", f"spanloom/{PHASED.number}")
    fresh_database.command(write)
    assert found_writers(fresh_database) == []
    quiet = awaited(connection)
    assert quiet is not None
    assert (quiet.name, 0 <= quiet.age_s < 60) == ("", True)
    for comment in ("", "spanloom/1", "mine"):
        fresh_database.set_client_setting("log_comment", comment)
        fresh_database.command(write)
    assert found_writers(fresh_database) == ["", "mine", "spanloom/1"]
    older = awaited(connection)
    assert older is not None
    assert older.name == "an INSERT into extraction_watermark"
    assert 0 <= older.age_s <= quiet.age_s + 60


def found_writers(client: Client) -> list[str]:
    rows = client.query(f"SELECT Writer FROM {WRITERS} ORDER BY Writer").result_rows
    return [writer for (writer,) in rows]
