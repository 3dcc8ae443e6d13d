"""Records the state of an upgrade in the store, and which releases may write to it.

While roles of the previous release run, ``schema_migrations`` lists only migrations that they know;
migrations whose additions are made are in ``schema_expansions``. Views record each INSERT of an
older release in ``upgrade_writers``; INSERTs of this release name its newest migration in their
``log_comment`` (``WRITER``). These tables and views are dropped when the upgrade is finished.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.upkeep import Older
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.connection import Connection

EXPANSIONS = "schema_expansions"
FACTS = "store_facts"
WRITERS = "upgrade_writers"
WATCHES = "upgrade_watches_"
"""Prefix of the names of the views that record writers."""
WATCHED = (
    *("otlp_requests", "otlp_event_requests", "extraction_progress", "extraction_watermark"),
    *("trajectories", "text_watermark", "replays", "deletions", "access_keys", "scores"),
    *("annotations", "annotation_schemes", "annotation_queues", "annotation_queue_events"),
)
"""The tables to which roles write; collecting, extracting and indexing roles do so regularly."""


def listed_expansions(connection: Connection) -> Mapping[int, tuple[str, str]]:
    """Return name and checksum of migrations whose additions are made, keyed by number.

    Call this before reading the list of finished migrations, because at the end a migration is in
    both for a moment.
    """
    if not _has(connection, EXPANSIONS):
        return {}
    try:
        rows = list(connection.rows("applied_expansions"))
    except StoreUnavailableError:
        if _has(connection, EXPANSIONS):
            raise
        return {}  # it was finished in between
    return {number: (name, checksum) for number, name, checksum in rows}


def is_under_way(connection: Connection) -> bool:
    """Return whether an upgrade to this release is unfinished, so that older roles may run."""
    return _has(connection, EXPANSIONS)


def writes_from(connection: Connection) -> str:
    """Return the migration that a release must have to write to the store; empty if unknown."""
    if not _has(connection, FACTS):
        return ""
    return next((str(value) for (value,) in connection.rows("store_fact", fact="writes_from")), "")


def permit_from(connection: Connection, migration: str) -> None:
    """Let only releases that have this migration write to the store."""
    if _has(connection, FACTS) and writes_from(connection) != migration:
        connection.run(query("record_fact"), fact="writes_from", value=migration)


def watch_writers(connection: Connection, number: int, before_each: Callable[[], None]) -> None:
    """Start recording the writes of releases that lack the migration ``number``."""
    before_each()
    connection.run(query("create_expansions"))
    before_each()
    connection.run(query("create_writers"))
    tables = [str(name) for name, _ in connection.rows("table_definitions", tables=list(WATCHED))]
    for table in tables:
        before_each()
        connection.run(
            query("watch_writers"),
            watch=f"{WATCHES}{number}_{table}",
            table=table,
            writers=WRITERS,
            newest=number,
        )


def forget_upgrade(connection: Connection, before_each: Callable[[], None]) -> None:
    """Drop the tables and views that are only needed during an upgrade."""
    for (watch,) in list(connection.rows("upgrade_watches", prefix=WATCHES)):
        before_each()
        connection.run(query("drop_watch"), name=watch)
    for table in (WRITERS, EXPANSIONS):
        before_each()
        connection.run(query("drop_upgrade"), name=table)


def older_releases(connection: Connection, number: int) -> Older:
    """Return the latest write or heartbeat of a release that lacks the migration ``number``.

    If there is none since the additions of the upgrade were made, return their age, with no name.
    """
    ((age_s,),) = connection.rows("expanded_age")
    found = [Older(float(age), name) for age, name in connection.rows("older_writers")]
    if _has(connection, "workers"):
        found += [
            Older(float(age), name) for age, name in connection.rows("older_workers", newest=number)
        ]
    # Earlier records may be from an upgrade that is over.
    return min([*found, Older(float(age_s), "")], key=lambda older: older.age_s)


def number_of(migration: str) -> int:
    """Return the number in a migration's name: 4 for ``0004_exact``; 0 if it has none."""
    found = re.match(r"\d+", migration)
    return int(found[0]) if found else 0


def _has(connection: Connection, table: str) -> bool:
    return any(connection.rows("table_definitions", tables=[table]))
