"""In-memory deletions."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject, covers_record, covers_span

from spanloom.core.ports.upkeep import Extent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Deletion, DeletionScope


class MemoryDeletions(MemorySubject):
    """Deletions, which take effect everywhere at once."""

    def now_ns(self) -> int:
        """See ``DeletionLedger.now_ns``."""
        return time.time_ns()

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """See ``DeletionLedger.extent_of``."""
        with self._state.lock:
            keys = self._in_scope(scope, self._reaching(until_seq))
            return Extent(
                len(keys), sum(own.spans for own in self._state.arrived(list(keys)).values())
            )

    def delete(self, deletion: Deletion) -> Deletion:
        """See ``DeletionLedger.delete``."""
        with self._state.lock:
            until_seq = self._reaching(deletion.until_seq)
            traces, spans = self.extent_of(deletion.scope, until_seq)
            counted = replace(deletion, traces=traces, spans=spans, until_seq=until_seq)
            gone = self._in_scope(deletion.scope, until_seq)
            torn = self._torn(gone)
            self._state.remove(gone)
            self._state.revisit(sorted(torn & self._state.arrivals.keys()))
            self._state.deletions[deletion.id] = counted
            return counted

    def list(self, limit: int) -> Sequence[Deletion]:
        """See ``DeletionLedger.list``."""
        newest_first = sorted(self._state.deletions.values(), key=lambda d: d.id, reverse=True)
        return newest_first[:limit]

    def _torn(self, gone: set[TraceKey]) -> set[TraceKey]:
        """Return traces with a deleted part, or stored as part or duplicate of a deleted trace."""
        found: set[TraceKey] = set()
        for record in self._state.records.values():
            original = record.trajectory.duplicate_of
            if original and record.key._replace(trace_id=original.trace_id) in gone:
                found.add(record.key)
            for call in record.calls:
                home = record.key._replace(trace_id=call.step_id)
                is_part = call.call_key.startswith("part of ") and call.step_id
                if is_part and (record.key in gone) != (home in gone):
                    found.add(home if record.key in gone else record.key)
        return found - gone

    def _reaching(self, until_seq: int) -> int:
        stored = (f.span.row_version for held in self._state.spans.values() for f in held.values())
        return max(until_seq, *stored, 0)

    def _in_scope(self, scope: DeletionScope, until_seq: int) -> set[TraceKey]:
        spans = {
            key
            for key, held in self._state.spans.items()
            for found in held.values()
            if scope.conversation_id is None and covers_span(scope, until_seq, found)
        }
        records = {
            r.key for r in self._state.records.values() if covers_record(r, scope, until_seq)
        }
        rows = [(row.slot.key, row.at_us) for row in self._state.annotations]
        rows += [(score.key, score.revision) for score in self._state.scores.values()]
        said = {
            key
            for key, at_us in rows
            if at_us <= until_seq
            and key.trace_id
            and key not in self._state.deleted
            and (scope.conversation_id, scope.start_before_ns) == (None, None)
            and scope.reach.covers(key.project)
            and scope.trace_id in (None, key.trace_id)
        }
        anywhere = replace(scope, trace_id=None)
        parts = {
            r.key
            for r in self._state.records.values()
            if scope.conversation_id is None and covers_record(r, anywhere, until_seq)
            for call in r.calls
            if call.call_key.startswith("part of ") and call.step_id == scope.trace_id
        }
        return spans | records | said | parts
