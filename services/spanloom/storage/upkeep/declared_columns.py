"""Adds columns that records declare (``core/records``) and a table lacks, without a schema file.

Columns are only added; changing or removing one takes a numbered schema file. Rows stored before
have the default of the column's type. Safe to interrupt, and to repeat.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.records.annotation import ANNOTATION
from spanloom.core.records.declared import Stored
from spanloom.core.records.every import RECORDS
from spanloom.core.records.run import RUN
from spanloom.core.records.score import SCORE
from spanloom.storage.engine.parameters import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.records.declaration import Declaration
    from spanloom.core.records.declared import StoredSteps
    from spanloom.storage.engine.lane import Lane

LIST = "trajectory_list"


class _View(NamedTuple):
    """A view over a table, with the columns that the table had when the view was created."""

    record: Declaration
    hidden: Sequence[str] = ()
    """Columns of fields that it does not show."""


VIEWS = {
    "v_trajectories": _View(RUN),
    "v_scores": _View(SCORE),
    "v_annotations": _View(ANNOTATION, ("WriteId", "BaseRevision", "UndoGroup", "IsDeleted")),
}


def declared_columns() -> Mapping[str, Mapping[str, str]]:
    """Return the declared columns of each table by name, each in the form for ``ADD COLUMN``."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    for declaration in RECORDS:
        for stored in declaration.stored:
            for table in _tables(declaration, stored):
                columns[table][stored.column] = stored.definition
    return columns


def _tables(declaration: Declaration, stored: Stored | StoredSteps) -> Sequence[str]:
    if declaration.table:
        return (declaration.table,)
    return stored.tables.value if isinstance(stored, Stored) else (LIST,)


def add_declared(lane: Lane, before_each: Callable[[], None] = lambda: None) -> list[str]:
    """Add the declared columns that tables lack; return them as ``table.column``.

    ``before_each`` is called before every statement, for a lock that has to be kept alive.
    """
    declared = declared_columns()
    there: dict[str, list[str]] = defaultdict(list)
    for row in lane.rows("columns_of_tables", tables=[*declared, *VIEWS]):
        there[row.table].append(row.name)
    missing = [
        (table, name, definition)
        for table, columns in declared.items()
        for name, definition in columns.items()
        if name not in there[table]
    ]
    for table, _, definition in missing:
        before_each()
        lane.run(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition}")
    for view in VIEWS:
        _show(lane, view, there[view], before_each)
    return [f"{table}.{name}" for table, name, _ in missing]


def _show(lane: Lane, view: str, shown: list[str], before_each: Callable[[], None]) -> None:
    """Create the view again if its table has a field of the record that the view lacks.

    What it selects from, and its comment, stay as they are.
    """
    made = VIEWS[view]
    columns = [stored.column for field in made.record.fields if (stored := field.find(Stored))]
    if lacking := [column for column in columns if column not in (*shown, *made.hidden)]:
        names = ", ".join(f"`{column}`" for column in (*shown, *lacking))
        ((source, comment),) = lane.rows("view_definition", view=view)
        before_each()
        lane.run(
            f"CREATE OR REPLACE VIEW {view} AS SELECT {names} {source} COMMENT {quoted(comment)}"
        )
