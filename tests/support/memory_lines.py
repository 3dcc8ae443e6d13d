"""In-memory summaries: the list items of stored trajectories."""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject
from tests.support.memory_visible import visible_of
from tests.support.where_evaluation import holds, run_of, with_said

from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    find_continuations,
)
from spanloom.core.query.lists import meets
from spanloom.storage.runs.current import listed_run
from spanloom.storage.runs.rows import summary_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.memory_state import MemoryState
    from tests.support.where_evaluation import Run

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.selection import RunSelection


class _Told:
    """The summary and the facts of a record, computed on first use."""

    def __init__(self, record: TrajectoryRecord) -> None:
        self.record = record

    @cached_property
    def summary(self) -> ListedRun:
        return _summary(self.record)

    @cached_property
    def run(self) -> Run:
        return run_of(self.record)


class MemoryLines(MemorySubject):
    """The summaries of the stored trajectories, for the subjects that list them."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._told: dict[TraceKey, _Told] = {}

    def all(self) -> Sequence[ListedRun]:
        with self._state.lock:
            lines = [self._tell(record).summary for record in self._state.records.values()]
        found = find_continuations(line for line in lines if meets(line, TURNS))
        return [line.continued(found.get(line.key, NO_CONTINUATION)) for line in lines]

    def run(self, key: TraceKey) -> Run:
        with self._state.lock:
            return with_said(self._tell(self._state.records[key]).run, visible_of(self._state, key))

    def is_asked_for(self, key: TraceKey, query: RunSelection) -> bool:
        return query.where is None or holds(query.where, self.run(key))

    def _tell(self, record: TrajectoryRecord) -> _Told:
        known = self._told.get(record.key)
        if known is None or known.record is not record:
            known = self._told[record.key] = _Told(record)
        return known


class MemoryListing(MemorySubject):
    """A subject that lists stored trajectories."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._lines = MemoryLines(state)


def _summary(record: TrajectoryRecord) -> ListedRun:
    """Return a record as read from the columns of its row."""
    longest = run_of(record).facts["longest_repeat"]
    stored = {**summary_row(record), "LongestRepeat": longest, "Rank": ()}
    return listed_run(SimpleNamespace(**stored))
