"""The schema of a store: which numbered files it has applied, and applying those it lacks.

Safe to interrupt: every statement says ``IF NOT EXISTS``, ``OR REPLACE`` or ``MODIFY QUERY``, and a
file counts as applied only after its last statement. Only the keeper applies files; every other
part calls ``check_schema``, which changes nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaLostError,
    SchemaNotReadyError,
    SchemaTooNewError,
)
from spanloom.storage.engine.statements import query, schema_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.statements import SchemaFile

LEDGER = "schema_migrations"
"""The table that lists the applied files with their checksums."""
_LATER_TABLE = "trajectories"
"""Made by the fourth file: where it is, at least three are on the list."""


def migrate(lane: Lane, before_each: Callable[[], None] = lambda: None) -> list[str]:
    """Apply the files that the store lacks, in order; return their names.

    ``before_each`` is called before every statement, for a lock that has to be kept alive.

    Raises ``SchemaTooNewError`` if the store has a file that this version does not ship,
    ``SchemaChangedError`` if it has applied a file with another text under the same number, and
    ``SchemaLostError`` if it has tables and no list of the files.
    """
    lane.run(query("create_migrations"))
    applied = _applied(lane)
    known = schema_files()
    _refuse_lost(lane, applied)
    _refuse_newer(applied)
    _refuse_changed(applied)
    missing = [file for file in known if file.number not in applied]
    for file in missing:
        for statement in file.statements:
            before_each()
            lane.run(statement)
        lane.run(
            query("record_migration"),
            number=file.number,
            name=file.name,
            checksum=checksum_of(file),
        )
    return [file.name for file in missing]


def check_schema(lane: Lane, command: str) -> None:
    """Return if the store has exactly the schema files of this version; change nothing.

    Raises ``SchemaNotReadyError``, which tells the user to run ``command``, if files are missing,
    and ``SchemaTooNewError`` if the store was written by a newer version.
    """
    applied = applied_files(lane)
    _refuse_lost(lane, applied)
    _refuse_newer(applied)
    missing = [file.name for file in schema_files() if file.number not in applied]
    if missing:
        found = f"lacks {missing[0]}" + (f" and {len(missing) - 1} more" if missing[1:] else "")
        state = "has no tables yet" if not applied else f"is of an older Spanloom: it {found}"
        raise SchemaNotReadyError(f"the store {state}; run `{command}` first")


def applied_files(lane: Lane) -> Mapping[int, tuple[str, str]]:
    """Return number → (name, checksum) of the applied files, of which there may be none."""
    return _applied(lane) if _has_ledger(lane) else {}


def checksum_of(file: SchemaFile) -> str:
    """Return the SHA-256 of a schema file's text, in hex."""
    return hashlib.sha256(file.text.encode()).hexdigest()


def _has_ledger(lane: Lane) -> bool:
    return any(lane.rows("table_definitions", tables=[LEDGER]))


def _applied(lane: Lane) -> Mapping[int, tuple[str, str]]:
    """Return number → (name, checksum) of the applied files, in the order of numbers."""
    rows = lane.rows("applied_migrations")
    return {number: (name, checksum) for number, name, checksum in rows}


def has_lost_ledger(lane: Lane, applied: Mapping[int, tuple[str, str]]) -> bool:
    """Return whether there are tables, but nothing says which files have made them."""
    return not applied and any(lane.rows("table_definitions", tables=[_LATER_TABLE]))


def _refuse_lost(lane: Lane, applied: Mapping[int, tuple[str, str]]) -> None:
    if has_lost_ledger(lane, applied):
        raise SchemaLostError(
            f"the store has tables but has lost the list of their schema files ({LEDGER}), as on a "
            "damaged disk: restore a backup (`spanloom restore`), or use another data directory"
        )


def _refuse_newer(applied: Mapping[int, tuple[str, str]]) -> None:
    last = schema_files()[-1]
    if newer := [name for number, (name, _) in applied.items() if number > last.number]:
        raise SchemaTooNewError(
            f"the store was written by a newer Spanloom (schema {newer[-1]}, this version knows "
            f"{last.name}): upgrade Spanloom, or use another data directory"
        )


def _refuse_changed(applied: Mapping[int, tuple[str, str]]) -> None:
    for file in schema_files():
        _, checksum = applied.get(file.number, ("", checksum_of(file)))
        if checksum != checksum_of(file):
            raise SchemaChangedError(
                f"the store has applied another text of {file.name} than this Spanloom ships: use "
                "the release that wrote the store, or restore the file; a released schema file "
                "never changes"
            )
