"""The schema of a store: which migrations it has applied, and applying those that it lacks.

Safe to interrupt: every statement can be repeated (``IF NOT EXISTS``, ``OR REPLACE``, ``MODIFY``),
and a migration counts as applied only after its last statement. Only the keeper applies them; every
other part calls ``check_schema``, which changes nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaLostError,
    SchemaNotReadyError,
    SchemaTooNewError,
    SchemaTooOldError,
)
from spanloom.storage.engine.statements import migrations, query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.statements import Migration

LEDGER = "schema_migrations"
"""The table that lists the migrations of a store with their checksums."""
_IN_EVERY_STORE = "trajectories"
"""A table of the baseline: it does not exist before the baseline is in the ledger."""
_BEGUN = ""
"""The checksum of a migration in the ledger that was not applied completely."""


def migrate(lane: Lane, before_each: Callable[[], None] = lambda: None) -> list[str]:
    """Apply the migrations that the store lacks, in order; return their names.

    ``before_each`` is called before every statement, for a lock that has to be kept alive.

    Raises ``SchemaTooNewError`` if the store has a migration that this version does not ship,
    ``SchemaTooOldError`` if it was made before the baseline, ``SchemaChangedError`` if it has
    applied another text under the same number, ``SchemaLostError`` if it has tables and no list.
    """
    listed = listed_migrations(lane)
    _refuse_lost(lane, listed)
    _refuse_older(listed)
    _refuse_newer(listed)
    _refuse_changed(listed)
    lane.run(query("create_migrations"))
    missing = missing_in(listed)
    for migration in missing:
        _record(lane, migration, _BEGUN)
        for statement in migration.statements:
            before_each()
            lane.run(statement)
        _record(lane, migration, checksum_of(migration))
    return [migration.name for migration in missing]


def check_schema(lane: Lane, command: str) -> None:
    """Return if the store has exactly the migrations of this version; change nothing.

    Raises ``SchemaNotReadyError``, which tells the user to run ``command``, if some are missing,
    ``SchemaTooNewError`` if the store was written by a newer version, and ``SchemaTooOldError`` if
    it was made before the baseline.
    """
    listed = listed_migrations(lane)
    _refuse_lost(lane, listed)
    _refuse_older(listed)
    _refuse_newer(listed)
    missing = [migration.name for migration in missing_in(listed)]
    if missing:
        found = f"lacks {missing[0]}" + (f" and {len(missing) - 1} more" if missing[1:] else "")
        is_empty = missing[0] == migrations()[0].name
        state = "has no tables yet" if is_empty else f"is of an older Spanloom: it {found}"
        raise SchemaNotReadyError(f"the store {state}; run `{command}` first")


def listed_migrations(lane: Lane) -> Mapping[int, tuple[str, str]]:
    """Return number → (name, checksum) of what the store lists, in the order of numbers."""
    if not any(lane.rows("table_definitions", tables=[LEDGER])):
        return {}
    rows = lane.rows("applied_migrations")
    return {number: (name, checksum) for number, name, checksum in rows}


def missing_in(listed: Mapping[int, tuple[str, str]]) -> list[Migration]:
    """Return the migrations that are not applied completely."""
    return [m for m in migrations() if listed.get(m.number, ("", _BEGUN))[1] == _BEGUN]


def checksum_of(migration: Migration) -> str:
    """Return the SHA-256 of a migration's text, in hex."""
    return hashlib.sha256(migration.text.encode()).hexdigest()


def has_lost_ledger(lane: Lane, listed: Mapping[int, tuple[str, str]]) -> bool:
    """Return whether there are tables, and no ledger of the migrations that made them."""
    return not listed and any(lane.rows("table_definitions", tables=[_IN_EVERY_STORE]))


def is_before_baseline(listed: Mapping[int, tuple[str, str]]) -> bool:
    """Return whether a store was made by a version before the first release."""
    baseline = migrations()[0]
    name, _ = listed.get(baseline.number, (baseline.name, _BEGUN))
    return name != baseline.name


def _record(lane: Lane, migration: Migration, checksum: str) -> None:
    number, name = migration.number, migration.name
    lane.run(query("record_migration"), number=number, name=name, checksum=checksum)


def _refuse_lost(lane: Lane, listed: Mapping[int, tuple[str, str]]) -> None:
    if has_lost_ledger(lane, listed):
        raise SchemaLostError(
            f"the store has tables but has lost the list of their schema files ({LEDGER}), as on a "
            "damaged disk: restore a backup (`spanloom restore`), or use another data directory"
        )


def _refuse_older(listed: Mapping[int, tuple[str, str]]) -> None:
    if is_before_baseline(listed):
        raise SchemaTooOldError("the store")


def _refuse_newer(listed: Mapping[int, tuple[str, str]]) -> None:
    last = migrations()[-1]
    if newer := [name for number, (name, _) in listed.items() if number > last.number]:
        raise SchemaTooNewError(
            f"the store was written by a newer Spanloom (schema {newer[-1]}, this version knows "
            f"{last.name}): upgrade Spanloom, or use another data directory"
        )


def _refuse_changed(listed: Mapping[int, tuple[str, str]]) -> None:
    for migration in migrations():
        _, checksum = listed.get(migration.number, ("", _BEGUN))
        if checksum not in (_BEGUN, checksum_of(migration)):
            raise SchemaChangedError(
                f"the store has applied another text of {migration.name} than this Spanloom ships: "
                "use the release that wrote the store, or restore the file; a released migration "
                "never changes"
            )
