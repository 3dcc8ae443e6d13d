"""In-memory trajectories: writes them, reads their documents and finds their calls."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.matching.listed import placed_steps
from spanloom.core.ports.reading import Documents, StoredVersion
from spanloom.core.ports.trajectories import Confirmation, Head, TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.calls import Call, CallWindow


class MemoryTrajectories(MemorySubject):
    """Trajectories by their newest records."""

    is_shared = False

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """See ``TrajectoryWriter.heads``."""
        with self._state.lock:
            return {
                key: _head(self._state.records[key]) for key in keys if key in self._state.records
            }

    def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.write``."""
        written = set()
        with self._state.lock:
            self._state.write_count += 1
            for record in records:
                if self._state.is_late(record):
                    self._state.remove({record.key})
                known = self._state.records.get(record.key)
                if not record.build.follows(known.build if known else None):
                    continue
                written.add(record.key)
                if record.key not in self._state.deleted:
                    self._state.records[record.key] = record
                    self._state.stored_s[record.key] = self._state.clock()
        return written

    def confirm(self, _confirmed: Sequence[Confirmation]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.confirm``; there is no other writer."""
        return frozenset()

    def make_room(self) -> None:
        """See ``TrajectoryWriter.make_room``; there is nothing to free."""


class MemoryCalls(MemorySubject):
    """Calls of the current trajectories."""

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """See ``CallFinder.find``."""
        wanted: dict[str, list[CallWindow]] = {}
        for window in windows:
            wanted.setdefault(window.call_key, []).append(window)
        with self._state.lock:
            own = [r for r in self._state.records.values() if r.key.project == project]
            calls = [c for r in own for c in r.calls if c.call_key in wanted]
        return [call for call in calls if any(map(call.is_within, wanted[call.call_key]))]

    def find_parts(self, project: str, windows: Sequence[CallWindow], most: int) -> Sequence[Call]:
        """See ``PartFinder.find_parts``."""
        found: dict[str, list[Call]] = {}
        for call in self.find(project, windows):
            found.setdefault(call.call_key, []).append(call)
        return [call for calls in found.values() for call in calls[:most]]


class MemoryDocuments(MemorySubject):
    """Documents of the current trajectories."""

    def get(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``DocumentReader.get``."""
        record = self._state.find(trace_id, reach)
        return record.document if record else None

    def many(
        self, keys: Sequence[TraceKey], most_bytes: int, most_each: int | None = None
    ) -> Sequence[bytes | None]:
        """See ``DocumentReader.many``."""
        found = [r.document if (r := self._state.records.get(key)) else None for key in keys]
        if most_each is not None:
            found = [one if len(one or b"") <= most_each else None for one in found]
        sums = accumulate(len(document or b"") for document in found)
        return found[: max(1, sum(total <= most_bytes for total in sums))]

    def spans(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``DocumentReader.spans``."""
        record = self._state.find(trace_id, reach)
        return record.spans_document if record else None

    def both(self, trace_id: str, reach: Reach) -> Documents | None:
        """See ``DocumentReader.both``."""
        record = self._state.find(trace_id, reach)
        return Documents(record.document, record.spans_document) if record else None

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        """See ``DocumentReader.versions``."""
        record = self._state.find(trace_id, reach)
        if record is None:
            return []
        stored_ms = self._state.stored_s[record.key] * 1000
        trajectory = record.trajectory
        built_by, spans = trajectory.extractor_version, trajectory.span_count
        return [StoredVersion(record.version, record.status, stored_ms, built_by, spans)]


def _head(record: TrajectoryRecord) -> Head:
    trajectory = record.trajectory
    return Head(
        key=record.key,
        version=record.version,
        seq=record.seq,
        fingerprint=record.fingerprint,
        start_ns=record.start_ns,
        step_ids=[step.id for _, step in placed_steps(trajectory)],
        span_count=trajectory.span_count,
        rank=record.build.rank,
        read_mark=record.read.mark,
        status=record.status,
        extractor_version=trajectory.extractor_version,
        before=record.before,
    )
