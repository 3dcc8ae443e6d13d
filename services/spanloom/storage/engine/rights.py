"""The rights that each role needs on a server, and an error for a missing right.

A view that decodes requests reads its source with the rights of the inserting account, so
``collect`` needs SELECT on all tables that its INSERTs fill. ClickHouse checks no rights on the
targets of such views.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import StartupError
from spanloom.storage.engine.failures import sentence
from spanloom.storage.engine.parameters import identifier
from spanloom.storage.engine.statements import migrations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spanloom.storage.engine.connection import Connection

EVERY = "*"
"""Every table of the database."""


class Right(NamedTuple):
    """A privilege on a table, as named in ``GRANT``."""

    privilege: str
    table: str
    use: str
    """Why the role needs the privilege, as text: ``to store spans``."""
    is_optional: bool = False
    """Whether the role works without the privilege."""


def _all(
    privileges: Sequence[str], tables: Sequence[str], use: str, *, is_optional: bool = False
) -> Iterator[Right]:
    return (
        Right(privilege, table, use, is_optional) for table in tables for privilege in privileges
    )


WORKERS = "workers"
"""The table of heartbeats; only extractors need it, to divide the slices among themselves."""
_HEARTBEAT = Right("INSERT", WORKERS, "to show that it lives", is_optional=True)


RIGHTS: Mapping[str, Sequence[Right]] = {
    "collect": (
        *_all(["INSERT", "SELECT"], ["otlp_requests", "otlp_event_requests"], "to store spans"),
        *_all(["SELECT"], ["otel_traces", "genai_events"], "to store spans"),
        *_all(["SELECT"], ["trace_changes"], "to know how much a project has stored"),
        *_all(["SELECT", "INSERT"], ["access_keys"], "to know keys, and note their use"),
        *_all(["SELECT"], ["schema_migrations", "deletions"], "to begin"),
        *_all(
            ["SELECT"],
            ["schema_expansions", "store_facts"],  # new since 0.1.0
            "to know of an upgrade",
            is_optional=True,
        ),
        _HEARTBEAT,
    ),
    "extract": tuple(_all(["SELECT", "INSERT"], [EVERY], "to read spans and store trajectories")),
    "api": (
        *_all(["SELECT"], [EVERY], "to answer readers"),
        _HEARTBEAT,
    ),
    "keeper": (
        *_all(["SELECT", "INSERT"], [EVERY], "to bring the tables up to date"),
        *_all(
            ["CREATE TABLE", "DROP TABLE", "ALTER TABLE"],  # including views
            [EVERY],
            "to bring the tables up to date",
        ),
    ),
}
"""The rights of each role.

``api`` also needs ``INSERT`` if readers annotate, store views, delete or replay.

``TABLE ENGINE ON *``, which the keeper needs if the server's configuration requires it, is not
listed, because it cannot be looked up. If it is missing, a failing statement reports that.
"""


class MissingRightError(StartupError):
    """Raised if the account of a role lacks a right; the message gives the remedy."""


READS_ALONE = (
    "the account {} may only read, and {} writes: its profile sets readonly = {}; set readonly = 0 "
    "there, or use another account"
)


def require_rights(connection: Connection, role: str) -> None:
    """Raise ``MissingRightError`` with one sentence if a connection's account lacks a right.

    Optional rights are not checked. An account with the setting ``readonly`` cannot write, even
    with a grant.
    """
    ((account, database),) = connection.rows("account")
    for privilege, table in ((r.privilege, r.table) for r in RIGHTS[role] if not r.is_optional):
        if not _has(connection, database, privilege, table, role):
            ((read_only,),) = connection.rows("read_only")
            if int(read_only) and privilege != "SELECT":
                raise MissingRightError(READS_ALONE.format(account, role, read_only))
            place = EVERY if table == EVERY else identifier(table)
            raise MissingRightError(sentence(account, privilege, f"{identifier(database)}.{place}"))


def _has(connection: Connection, database: str, privilege: str, table: str, role: str) -> bool:
    """Return whether the account has a right; for ``EVERY``, a grant for each table suffices."""
    if _is_granted(connection, database, privilege, table):
        return True
    return table == EVERY and all(
        _is_granted(connection, database, privilege, one) for one in tables_of(privilege, role)
    )


def tables_of(privilege: str, role: str) -> Collection[str]:
    """Return the tables on which a role must have a privilege that it needs on ``EVERY`` table.

    Views need no INSERT. Only an extractor needs the heartbeats.
    """
    tables = set(shipped_tables())
    if privilege == "INSERT":
        tables -= set(_made("VIEW"))
    return sorted(tables if role == "extract" else tables - {WORKERS})


def _is_granted(connection: Connection, database: str, privilege: str, table: str) -> bool:
    place = EVERY if table == EVERY else identifier(table)
    return connection.answer(f"CHECK GRANT {privilege} ON {identifier(database)}.{place}") == b"1"


def shipped_tables() -> Collection[str]:
    """Return the names of the tables and views that the migrations make."""
    return sorted({*_made("TABLE"), *_made("VIEW")})


@cache
def _made(kind: str) -> Collection[str]:
    """Return the names of the tables, or of the plain views, that the migrations create."""
    made = re.compile(rf"CREATE {kind} IF NOT EXISTS (\w+)")
    return sorted({name for m in migrations() for name in made.findall(m.text)})
