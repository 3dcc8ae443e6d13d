"""Adds columns that records declare (``core/records``) and a table lacks, without a schema file.

Columns are only added; changing or removing one takes a numbered schema file. Rows stored before
have the default of the column's type. Safe to interrupt, and to repeat.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.records.declared import Stored
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP
from spanloom.storage.engine.conditions import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.lane import Lane

LIST = "trajectory_list"
VIEW = "v_trajectories"
"""A view with the columns that the list had when the view was created."""


def declared_columns() -> Mapping[str, Mapping[str, str]]:
    """Return the declared columns of each table by name, each in the form for ``ADD COLUMN``."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    for stored in (*RUN.stored, *STEP.stored):
        for table in stored.tables.value if isinstance(stored, Stored) else (LIST,):
            columns[table][stored.column] = stored.definition
    return columns


def add_declared(lane: Lane, before_each: Callable[[], None] = lambda: None) -> list[str]:
    """Add the declared columns that tables lack; return them as ``table.column``.

    ``before_each`` is called before every statement, for a lock that has to be kept alive.
    """
    declared = declared_columns()
    there: dict[str, list[str]] = defaultdict(list)
    for row in lane.rows("columns_of_tables", tables=[*declared, VIEW]):
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
    _show(lane, there[VIEW], before_each)
    return [f"{table}.{name}" for table, name, _ in missing]


def _show(lane: Lane, shown: list[str], before_each: Callable[[], None]) -> None:
    """Create the view again if the list has a field of runs that the view lacks."""
    columns = [stored.column for field in RUN.fields if (stored := field.find(Stored))]
    if lacking := [column for column in columns if column not in shown]:
        names = ", ".join(f"`{column}`" for column in (*shown, *lacking))
        ((comment,),) = lane.rows("comment_of_table", table=VIEW)
        before_each()
        lane.run(
            f"CREATE OR REPLACE VIEW {VIEW} AS SELECT {names} FROM {LIST} FINAL "  # noqa: S608
            f"COMMENT {quoted(comment)}"
        )
