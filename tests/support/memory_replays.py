"""In-memory replays."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tests.support.memory_state import MemorySubject

from spanloom.core.model.upkeep import BEFORE_ALL, PARTS, StoredTrace
from spanloom.core.sharing import slice_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Replay, Selection
    from spanloom.core.ports.trajectories import TrajectoryRecord

Key = TypeVar("Key", bound=Hashable)


class MemoryReplays(MemorySubject):
    """Replays and the traces that they select."""

    is_shared = False
    """Whether replays have parts, as on a server."""

    def count_traces(self, selection: Selection) -> int:
        """See ``ReplayRequests.count_traces``."""
        return len(self.traces_after(selection, BEFORE_ALL, sys.maxsize))

    def parts(self, replay: Replay) -> Sequence[Replay]:
        """See ``ReplayQueue.parts``."""
        return replay.in_parts(self._parts_of(replay)) if self.is_shared else [replay]

    def finish(self, replay: Replay) -> None:
        """See ``ReplayQueue.finish``."""
        with self._state.lock:
            known = self._state.replays[replay.id]
            if sum(part.is_finished for part in self._parts_of(replay)) == PARTS:
                self._state.replays[replay.id] = replace(known, is_finished=True)

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int, part: int | None = None
    ) -> Sequence[StoredTrace]:
        """See ``ReplayQueue.traces_after``."""
        with self._state.lock:
            records = list(self._state.records.values())
        rest = sorted(
            (
                r
                for r in records
                if _is_selected(r, selection)
                and r.key > after
                and part in (None, slice_of(r.key, PARTS))
            ),
            key=lambda r: r.key,
        )
        return [StoredTrace(r.key, r.status, r.trajectory.span_count) for r in rest[:limit]]

    def record(self, replay: Replay) -> None:
        """See ``ReplayRequests.record``."""
        with self._state.lock:
            if replay.part is None:
                _keep_newest(self._state.replays, replay.id, replay)
            else:
                _keep_newest(self._state.replay_parts, (replay.id, replay.part), replay)

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """See ``ReplayRequests.get``."""
        with self._state.lock:
            known = self._state.replays.get(replay_id)
        found = known and known.with_parts(self._parts_of(known))
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
            within = [r for r in self._state.replays.values() if reach.includes(r.selection.reach)]
        return [replay.with_parts(self._parts_of(replay)) for replay in within]

    def _parts_of(self, replay: Replay) -> Sequence[Replay]:
        with self._state.lock:
            return [p for p in self._state.replay_parts.values() if p.id == replay.id]


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


def _keep_newest(known: dict[Key, Replay], key: Key, replay: Replay) -> None:
    if key not in known or replay.step >= known[key].step:
        known[key] = replay
