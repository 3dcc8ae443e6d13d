"""What readers see of a run, asked of the engine as the API and the views ask."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.engine import Engine
    from tests.simulation.tables import ListRow, RunRow, Told

    from spanloom.core.model.span import TraceKey


def head(engine: Engine, key: TraceKey) -> RunRow | None:
    """Return the row of a trace that counts (document.sql)."""
    rows: list[RunRow] = [row for row in engine.rows("trajectories") if row.key == key]
    rows.sort(key=lambda row: (row.seq, row.version))
    return rows[-1] if rows else None


def document(engine: Engine, key: TraceKey) -> dict[str, Any]:
    """Return the document of a trace without its version; empty if there is none."""
    row = head(engine, key)
    found: dict[str, Any] = json.loads(row.document) if row else {}
    if found:
        del found["extraction"]["version"]
    return found


def span_count(engine: Engine, key: TraceKey) -> int:
    """Return how many spans the document of a trace was built from; 0 if there is none."""
    row = head(engine, key)
    return row.span_count if row else 0


def read_of(row: RunRow) -> Any:
    """Return what grows with the spans that a run was built from: the read mark, if it has one.

    A document that shows only why the spans could not be read has counted them, and read none.
    """
    return getattr(row, "read_mark", row.span_count if row.seq else 0)


def listed(engine: Engine, key: TraceKey) -> Sequence[ListRow]:
    """Return the rows of a trace in the list with FINAL, which the views and statistics read."""
    return [row for row in engine.final("trajectory_list") if row.key == key]


def paged(engine: Engine, key: TraceKey) -> Sequence[ListRow]:
    """Return the rows that pages of lists show: newest at their place (newest_places.sql)."""
    newest: dict[int, ListRow] = {}
    for row in engine.rows("trajectory_list"):
        known = newest.get(row.start_ns)
        if row.key == key and (known is None or by_rank(row) >= by_rank(known)):
            newest[row.start_ns] = row
    return [row for row in newest.values() if not row.is_deleted]


def by_key(engine: Engine, key: TraceKey) -> ListRow | None:
    """Return the row of a run that is looked up by its key (list_page.sql)."""
    runs: list[RunRow] = [row for row in engine.rows("trajectories") if row.key == key]
    places = {place for row in runs for place in (row.start_ns, *row.before)}
    rows = [r for r in engine.rows("trajectory_list") if r.key == key and r.start_ns in places]
    rows.sort(key=lambda row: (row.seq, row.version, not row.is_deleted))
    return rows[-1] if rows and not rows[-1].is_deleted else None


def by_rank(row: ListRow) -> tuple[int, int, bool]:
    return row.seq, row.version, row.is_deleted


def told(engine: Engine, key: TraceKey) -> Sequence[Told]:
    """Return the lines of the change feed about a trace."""
    return [row for row in engine.rows("trajectory_changes") if row.key == key]
