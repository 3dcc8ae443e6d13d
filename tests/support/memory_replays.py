"""In-memory replays."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.model.upkeep import BEFORE_ALL, StoredTrace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Replay, Selection
    from spanloom.core.ports.building import TrajectoryRecord


class MemoryReplays(MemorySubject):
    """Replays and the traces that they select."""

    def count_traces(self, selection: Selection) -> int:
        """See ``ReplayRequests.count_traces``."""
        return len(self.traces_after(selection, BEFORE_ALL, sys.maxsize))

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """See ``ReplayQueue.traces_after``."""
        with self._state.lock:
            selected = [r for r in self._state.records.values() if _is_selected(r, selection)]
        rest = sorted((r for r in selected if r.key > after), key=lambda r: r.key)
        return [StoredTrace(r.key, r.status, r.trajectory.span_count) for r in rest[:limit]]

    def record(self, replay: Replay) -> None:
        """See ``ReplayRequests.record``."""
        with self._state.lock:
            known = self._state.replays.get(replay.id)
            if known is None or replay.step >= known.step:
                self._state.replays[replay.id] = replay

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """See ``ReplayRequests.get``."""
        with self._state.lock:
            found = self._state.replays.get(replay_id)
        return found if found and reach.includes(found.selection.reach) else None

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """See ``ReplayRequests.list``."""
        found = sorted(self._replays_within(reach), key=lambda r: r.id, reverse=True)
        return [r for r in found if after is None or r.id < after][:limit]

    def unfinished(self, reach: Reach) -> Sequence[Replay]:
        """See ``ReplayRequests.unfinished``."""
        found = [r for r in self._replays_within(reach) if not r.is_finished]
        return sorted(found, key=lambda replay: replay.id)

    def _replays_within(self, reach: Reach) -> Sequence[Replay]:
        with self._state.lock:
            return [r for r in self._state.replays.values() if reach.includes(r.selection.reach)]


def _is_selected(record: TrajectoryRecord, selection: Selection) -> bool:
    trajectory = record.trajectory
    start_ns, until_ns = trajectory.root.start_ns, selection.start_before_ns
    return (
        selection.reach.covers(record.key.project)
        and start_ns >= (selection.start_from_ns or 0)
        and (until_ns is None or start_ns < until_ns)
        and (selection.dialect is None or selection.dialect in trajectory.dialects)
        and selection.other_than != trajectory.extractor_version
    )
