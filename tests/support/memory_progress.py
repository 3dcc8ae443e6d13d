"""In-memory extraction progress: which traces changed and are not extracted yet."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.ports.progress import FOREVER_S, ChangedSeconds, Progress, TraceChange
from spanloom.core.sharing import ALL, covers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.sharing import Slices


class MemoryProgress(MemorySubject):
    """The changes of traces, and the progress of the extractor."""

    def clock(self) -> int:
        """See ``ChangeReader.clock``."""
        return self._state.clock()

    def appends(self) -> int | None:
        """See ``ChangeReader.appends``."""
        return self._state.append_count

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """See ``ChangeReader.inserted``."""
        found: defaultdict[int, list[TraceChange]] = defaultdict(list)
        for change in self._changes(since_s // width_s * width_s, FOREVER_S):
            found[change.second // width_s * width_s].append(change)
        return {second: hash(tuple(changes)) for second, changes in found.items()}

    def changes_since(
        self, since_s: int, known: Mapping[int, int], slices: Slices = ALL
    ) -> ChangedSeconds:
        """See ``ChangeReader.changes_since``."""
        found = {s: mark for s, mark in self.inserted(since_s).items() if known.get(s) != mark}
        changes = [c for s in sorted(found) for c in _by_trace(self._changes(s, s + 1))]
        changes = [c for c in changes if covers(slices, c.key)]
        seconds = {c.second for c in changes}
        return ChangedSeconds(changes, {s: mark for s, mark in found.items() if s in seconds})

    def unextracted(
        self, since_s: int = 0, until_s: int = FOREVER_S, slices: Slices = ALL
    ) -> Sequence[TraceChange]:
        """See ``ChangeReader.unextracted``."""
        with self._state.lock:
            changes = _by_trace(self._changes(since_s, until_s))
            return [c for c in changes if covers(slices, c.key) and self._is_unextracted(c)]

    def overlooked(self, begins_with: str, slices: Slices = ALL) -> Sequence[TraceChange]:
        """See ``ChangeReader.overlooked``."""
        changes = self.unextracted(slices=slices)
        return [c for c in changes if c.key.trace_id.startswith(begins_with)]

    def present(
        self, requests: Iterable[tuple[TraceKey, int, int]]
    ) -> AbstractSet[tuple[TraceKey, int, int]]:
        """See ``ChangeReader.present``."""
        stored = {(c.key, *own) for c in self._changes(0, FOREVER_S) for own in c.requests}
        return stored & set(requests)

    def record_revisits(self, keys: Sequence[TraceKey]) -> None:
        """See ``ProgressWriter.record_revisits``."""
        if keys:
            self._state.revisit(keys)

    def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
        """See ``ChangeReader.unfinished``."""
        with self._state.lock:
            return [
                self._known_of(progress)
                for key, progress in sorted(self._state.progress.items())
                if not progress.is_finished and key in self._state.arrivals and covers(slices, key)
            ]

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """See ``ProgressWriter.record_progress``."""
        with self._state.lock:
            for step in progress:
                if step.key in self._state.deleted:
                    continue
                known = self._state.progress.get(step.key)
                if known is None or step.seq >= known.seq:
                    self._state.progress[step.key] = step

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """See ``ChangeReader.read_progress``."""
        with self._state.lock:
            return {key: self._state.progress[key] for key in keys if key in self._state.progress}

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """See ``ChangeReader.quarantined``."""
        with self._state.lock:
            failed = [p for p in self._state.progress.values() if p.attempts]
        return sorted(failed, key=lambda p: (-p.attempts, p.key))[:limit]

    def read_watermark(self, slices: Slices = ALL) -> int:
        """See ``ChangeReader.read_watermark``."""
        marks = [self._state.slice_watermarks.get(number, 0) for number in slices or ()]
        return max(self._state.watermark, min(marks, default=0))

    def record_watermark(self, second: int) -> None:
        """See ``ProgressWriter.record_watermark``."""
        self._state.watermark = second

    def record_watermarks(self, seconds: Mapping[int, int]) -> None:
        """See ``ProgressWriter.record_watermarks``."""
        self._state.slice_watermarks |= seconds

    def _changes(self, since_s: int, until_s: int) -> Sequence[TraceChange]:
        with self._state.lock:
            arrived = [c for changes in self._state.arrivals.values() for c in changes]
        return [c for c in arrived if since_s <= c.second < until_s]

    def _is_unextracted(self, change: TraceChange) -> bool:
        known = self._state.progress.get(change.key)
        if known is None or not known.is_finished:
            return True
        arrived = self._state.arrived([change.key])[change.key]
        if not known.requests:
            return known.seq < max(change.requests)[0] or 0 < known.arrived < arrived.spans
        seen = {(request.seq, request.spans) for request in arrived.requests}
        is_built = known.is_whole and known.digest == arrived.digest
        return not is_built or not change.requests <= seen

    def _known_of(self, progress: Progress) -> TraceChange:
        summed_up = _sum_up(self._state.arrivals[progress.key])
        accepted_ns = summed_up.last_accepted_ns
        return TraceChange(progress.key, accepted_ns, accepted_ns, False, summed_up.span_count)


def _by_trace(changes: Iterable[TraceChange]) -> list[TraceChange]:
    found: defaultdict[TraceKey, list[TraceChange]] = defaultdict(list)
    for change in changes:
        found[change.key].append(change)
    return [_sum_up(found[key]) for key in sorted(found)]


def _sum_up(changes: Sequence[TraceChange]) -> TraceChange:
    return TraceChange(
        changes[0].key,
        min(c.first_accepted_ns for c in changes),
        max(c.last_accepted_ns for c in changes),
        any(c.has_root for c in changes),
        sum(c.span_count for c in changes),
        min(c.second for c in changes),
        frozenset().union(*(c.requests for c in changes)),
    )
