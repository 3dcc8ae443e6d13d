"""Reads which migrations of the schema are applied to a store, and applies missing migrations.

Safe to interrupt: every statement can be repeated (``IF NOT EXISTS``, ``OR REPLACE``, ``MODIFY``),
and a migration counts as applied only after its last statement. Only the keeper applies migrations;
every other role calls ``check_schema``, which changes nothing.

On a server an upgrade has two phases: additions of migrations are made at once, removals only when
no role of an older release is running. Until then the store's ledger does not list the migrations.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaLostError,
    SchemaNotReadyError,
    SchemaTooNewError,
    SchemaTooOldError,
)
from spanloom.storage.engine.statements import migrations, query
from spanloom.storage.engine.upgrading import (
    forget_upgrade,
    listed_expansions,
    number_of,
    older_releases,
    permit_from,
    watch_writers,
    writes_from,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.core.model.upkeep import Older
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.statements import Migration

Listed: TypeAlias = "Mapping[int, tuple[str, str]]"
"""Name and checksum of migrations, keyed by number."""

LEDGER = "schema_migrations"
"""The table that lists the migrations of a store with their checksums."""
OLDEST_WRITABLE = 1
"""The last migration that a store needs so that collectors can write to it.

Their requests, and the table for them, are the same as in 0.1.0.
"""
_IN_EVERY_STORE = "trajectories"
"""A table of the baseline, which never exists before the baseline is in the ledger."""
_BEGUN = ""
"""The checksum, in the ledger, of a migration that was not applied completely."""


def migrate(
    connection: Connection,
    before_each: Callable[[], None] = lambda: None,
    *,
    in_phases: bool = False,
) -> list[str]:
    """Apply the missing migrations in order; return their names.

    With ``in_phases``, only the additions are made, unless the store is new, so that roles of the
    previous release keep running, and may restart, until ``finish``. ``before_each`` is called
    before every statement, to keep a lock alive.

    Raises ``SchemaTooNewError`` if the store has a migration that this version does not ship,
    ``SchemaTooOldError`` if it was made before the baseline, ``SchemaChangedError`` if it has
    applied another text under the same number, ``SchemaLostError`` if it has tables but no ledger.
    """
    expanded, listed = _usable(connection)
    _refuse_changed(listed, expanded)
    connection.run(query("create_migrations"))
    if in_phases and not _is_new(expanded, listed):
        return _expand(connection, expanded, listed, before_each)
    missing = missing_in(listed)
    for migration in missing:  # all are recorded before the first statement; see ``_is_new``
        _record(connection, migration, _BEGUN)
    for migration in missing:
        _run(connection, migration.statements, before_each)
        permit_from(connection, migration.name)
        _run(connection, migration.finish_statements, before_each)
        _record(connection, migration, checksum_of(migration))
    forget_upgrade(connection, before_each)
    return [migration.name for migration in missing]


def finish(connection: Connection, before_each: Callable[[], None] = lambda: None) -> list[str]:
    """Apply the removals of all migrations whose additions are made; return their names.

    From its first statement on, releases that do not know the migrations are refused. Raises the
    same errors as ``migrate``, and ``SchemaNotReadyError`` if additions are missing.
    """
    expanded, listed = _usable(connection)
    _refuse_changed(listed, expanded)
    if lacking := _lacking(expanded, listed):
        raise SchemaNotReadyError(f"the store lacks {lacking[0].name}: migrate it first")
    missing = missing_in(listed)
    for migration in missing:
        _record(connection, migration, _BEGUN)
    permit_from(connection, migrations()[-1].name)
    for migration in missing:
        _run(connection, migration.finish_statements, before_each)
        _record(connection, migration, checksum_of(migration))
    forget_upgrade(connection, before_each)
    return [migration.name for migration in missing]


def awaited(connection: Connection) -> Older | None:
    """Return the latest write or heartbeat of an older release during an upgrade.

    ``None`` if no upgrade waits to be finished. See ``older_releases``.
    """
    expanded, listed = listed_expansions(connection), listed_migrations(connection)
    if not missing_in(listed) or _lacking(expanded, listed):
        return None
    return older_releases(connection, migrations()[-1].number)


def check_schema(connection: Connection, command: str, oldest: int | None = None) -> None:
    """Check that the store has the additions of this version's migrations; change nothing.

    ``oldest`` is the last migration that a role requires: collectors write to a store of the
    previous release. Raises ``SchemaNotReadyError``, which asks the user to run ``command``, if
    some are missing, ``SchemaTooNewError`` if only newer versions may write to the store, and
    ``SchemaTooOldError`` if it was made before the baseline.
    """
    expanded, listed = _usable(connection)
    missing = [migration.name for migration in _lacking(expanded, listed)]
    if missing and (oldest is None or number_of(missing[0]) <= oldest):
        found = f"lacks {missing[0]}" + (f" and {len(missing) - 1} more" if missing[1:] else "")
        is_empty = missing[0] == migrations()[0].name
        state = "has no tables yet" if is_empty else f"is of an older Spanloom: it {found}"
        raise SchemaNotReadyError(f"the store {state}; run `{command}` first")


def refuse_newer(connection: Connection) -> None:
    """Raise ``SchemaTooNewError`` if only newer versions may write to the store now."""
    _refuse_newer({}, writes_from(connection))


def listed_migrations(connection: Connection) -> Listed:
    """Return names and checksums of migrations from the store's ledger, in the order of numbers."""
    if not any(connection.rows("table_definitions", tables=[LEDGER])):
        return {}
    rows = connection.rows("applied_migrations")
    return {number: (name, checksum) for number, name, checksum in rows}


def missing_in(listed: Listed) -> list[Migration]:
    """Return the migrations that are not completely applied."""
    return [m for m in migrations() if listed.get(m.number, ("", _BEGUN))[1] == _BEGUN]


def checksum_of(migration: Migration) -> str:
    """Return the SHA-256 of a migration's text, in hex."""
    return _sha256(migration.text + migration.finish)


def has_lost_ledger(connection: Connection, listed: Listed) -> bool:
    """Return whether there are tables, but no ledger of the migrations that made them."""
    return not listed and any(connection.rows("table_definitions", tables=[_IN_EVERY_STORE]))


def is_before_baseline(listed: Listed) -> bool:
    """Return whether a store was made by a version before the first release."""
    baseline = migrations()[0]
    name, _ = listed.get(baseline.number, (baseline.name, _BEGUN))
    return name != baseline.name


def _usable(connection: Connection) -> tuple[Listed, Listed]:
    """Return the migrations whose additions are made, and the migrations in the ledger.

    Raises the errors of ``check_schema`` if the store is unusable, except for missing additions.
    """
    expanded, listed = listed_expansions(connection), listed_migrations(connection)
    _refuse_lost(connection, listed)
    _refuse_older(listed)
    _refuse_newer(listed, writes_from(connection))
    return expanded, listed


def _lacking(expanded: Listed, listed: Listed) -> list[Migration]:
    """Return the migrations whose additions are not made."""
    return [m for m in missing_in(listed) if m.number not in expanded]


def _is_new(expanded: Listed, listed: Listed) -> bool:
    """Return whether no older release can be running, because the store never had its tables.

    This includes a new store whose first migration was interrupted: the ledger of such a store
    lists all migrations from the start. ``finish`` lists migrations too, but only those whose
    additions are made.
    """
    missing = missing_in(listed)
    return migrations()[0] in missing or any(
        m.number in listed and m.number not in expanded for m in missing
    )


def _is_over(expanded: Listed, listed: Listed) -> bool:
    """Return whether the store still records an upgrade that is completely applied."""
    done = {number for number, (_, checksum) in listed.items() if checksum != _BEGUN}
    return bool(expanded) and expanded.keys() <= done


def _expand(
    connection: Connection, expanded: Listed, listed: Listed, before_each: Callable[[], None]
) -> list[str]:
    """Make the missing additions, without recording them in the ledger that older releases read."""
    lacking = _lacking(expanded, listed)
    if _is_over(expanded, listed):  # its process was killed before it had dropped everything
        forget_upgrade(connection, before_each)
    if lacking:
        watch_writers(connection, migrations()[-1].number, before_each)
    for migration in lacking:
        _run(connection, migration.statements, before_each)
        checksum = _sha256(migration.text)
        what = {"number": migration.number, "name": migration.name, "checksum": checksum}
        connection.run(query("record_expansion"), **what)
    done = [migration for migration in migrations() if migration not in missing_in(listed)]
    if lacking:
        permit_from(connection, done[-1].name)
    return [migration.name for migration in lacking]


def _run(
    connection: Connection, statements: Iterable[str], before_each: Callable[[], None]
) -> None:
    for statement in statements:
        before_each()
        connection.run(statement)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _record(connection: Connection, migration: Migration, checksum: str) -> None:
    number, name = migration.number, migration.name
    connection.run(query("record_migration"), number=number, name=name, checksum=checksum)


def _refuse_lost(connection: Connection, listed: Listed) -> None:
    if has_lost_ledger(connection, listed):
        raise SchemaLostError(
            f"the store has tables but has lost the list of their schema files ({LEDGER}), as on a "
            "damaged disk: restore a backup (`spanloom restore`), or use another data directory"
        )


def _refuse_older(listed: Listed) -> None:
    if is_before_baseline(listed):
        raise SchemaTooOldError("the store")


def _refuse_newer(listed: Listed, writes_from: str) -> None:
    """Raise ``SchemaTooNewError`` if only newer releases may write to the store.

    If ``writes_from`` is empty, the migrations in the ledger decide.
    """
    last = migrations()[-1]
    names = [writes_from] if writes_from else [name for name, _ in listed.values()]
    if newer := [name for name in names if number_of(name) > last.number]:
        raise SchemaTooNewError(
            f"the store was written by a newer Spanloom (schema {newer[-1]}, this version knows "
            f"{last.name}): upgrade Spanloom, or use another data directory"
        )


def _refuse_changed(listed: Listed, expanded: Listed) -> None:
    for migration in migrations():
        _, checksum = listed.get(migration.number, ("", _BEGUN))
        _, added = expanded.get(migration.number, ("", _BEGUN))
        if checksum not in (_BEGUN, checksum_of(migration)) or added not in (
            _BEGUN,
            _sha256(migration.text),
        ):
            raise SchemaChangedError(
                f"the store has applied another text of {migration.name} than this Spanloom ships: "
                "use the release that wrote the store, or restore the file; a released migration "
                "never changes"
            )
