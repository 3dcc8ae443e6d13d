"""A reader's view of a run, queried from the engine as by the API and the SQL views."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.simulation.store import Connection, feed_over

from spanloom.core.model.access import Reach
from spanloom.core.query.positions import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.engine import Engine
    from tests.simulation.tables import ListRow, RunRow

    from spanloom.core.model.span import TraceKey

LINES = 3
"""Maximum number of announcements that a follower reads at once."""


def head(engine: Engine, key: TraceKey) -> RunRow | None:
    """Return the current row of a trace, as ``document.sql`` selects it."""
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
    """Return the read mark of a run, which grows with the spans from which the run was built.

    For a document that only states why the spans could not be read, they were counted but not read.
    """
    return row.read_mark


def listed(engine: Engine, key: TraceKey) -> Sequence[ListRow]:
    """Return the rows of a trace in the list, read with FINAL as the views and statistics do."""
    return [row for row in engine.final("trajectory_list") if row.key == key]


def by_key(engine: Engine, key: TraceKey) -> Sequence[ListRow]:
    """Return the row in the list that a query by a run's key shows (``list_page.sql``)."""
    runs: list[RunRow] = [row for row in engine.rows("trajectories") if row.key == key]
    places = {place for run in runs for place in (run.start_ns, *run.before)}
    rows: list[ListRow] = [r for r in engine.rows("trajectory_list") if r.key == key]
    found = [row for row in rows if row.start_ns in places]
    found.sort(key=lambda row: (row.seq, row.version, not row.is_deleted))
    return [row for row in found[-1:] if not row.is_deleted]


class Follower:
    """Follows the change feed from its beginning."""

    def __init__(self, engine: Engine) -> None:
        self._feed = feed_over(Connection(engine, lambda _: None, lambda _: None))
        self._at = Position()
        self.told: dict[TraceKey, list[int]] = {}
        """The versions of each trace that the feed announced, in order."""

    def look(self) -> None:
        """Read the feed on to its end."""
        has_more = True
        while has_more:
            page = self._feed.announced(Reach.ALL, None, self._at, LINES)
            for line in page.announcements:
                self.told.setdefault(line.key, []).append(line.version)
            self._at, has_more = page.next, page.has_more
