"""Writes trajectories, and caches the stored versions until the next write."""

from __future__ import annotations

from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.building import Head
from spanloom.storage.deletions.store import record_late
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.remembered import Writes
from spanloom.storage.engine.row_binary import Pieces
from spanloom.storage.runs.calls import CALL_COLUMNS
from spanloom.storage.runs.rows import TRAJECTORY_COLUMNS, encode_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.building import CarriedRecord, TrajectoryRecord
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


MOST = 50_000
"""The most traces in the cache: traces that do not change are never written, so never removed."""


class ToldHeads:
    """Caches the highest span version of trajectories from reading their heads to writing them.

    Example: after a read of ``a1`` at 7, the caller that writes ``a1`` at 9 removes the 7. Another
    caller that read the same and writes ``a1`` later finds no entry and queries the store.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self.writes = Writes()
        """The context that every write of trajectories must use."""
        self._lock = Lock()
        self._seqs: dict[TraceKey, int] = {}

    def note(self, writes_before: int | None, told: Mapping[TraceKey, int]) -> None:
        """Cache what was read, if nothing was written since ``writes.ended`` was that number."""
        with self._lock:
            if writes_before is None or writes_before != self.writes.ended:
                return
            if len(self._seqs) + len(told) > MOST:
                self._seqs.clear()
            self._seqs.update(told)

    def take(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int] | None:
        """Remove the entries of these keys and return them; ``None`` if any is missing.

        To be called within ``writes``, before the first row goes out.
        """
        with self._lock:
            taken = {key: self._seqs.pop(key) for key in keys if key in self._seqs}
        return taken if len(taken) == len(set(keys)) else None


LONG_DOCUMENTS = 1 << 25
"""From this many bytes of documents in one write, memory is freed first."""


class ClickHouseTrajectories:
    """``TrajectoryWriter`` over the extractor's lane."""

    def __init__(self, worker: Lane, *, is_alone: bool) -> None:
        """Use the lane, which the caller owns and closes.

        ``is_alone`` means that no other process writes.
        """
        self._worker = worker
        self._is_alone = is_alone
        self._told_heads = ToldHeads()

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """See ``TrajectoryWriter.heads``."""
        writes_before = self.writes()
        found = {}
        for some in batched(keys):
            for row in self._worker.rows("heads", keys=some):
                head = _head_of(row)
                found[head.key] = head
        seqs = {key: found[key].seq if key in found else 0 for key in keys}
        self._told_heads.note(writes_before, seqs)
        return found

    def write(self, records: list[TrajectoryRecord]) -> None:
        """See ``TrajectoryWriter.write``."""
        self._make_room_for(records)
        carried = list(map(encode_record, records))
        if len(records) == 1:
            records.clear()
        self.write_carried(carried)

    def write_carried(self, records: Sequence[CarriedRecord]) -> None:
        """See ``TrajectoryWriter.write``: the row in ``trajectories`` makes the others valid."""
        with self._told_heads.writes:
            newest = self._newest([r.key for r in records])
            if current := [r for r in records if r.seq >= newest.get(r.key, 0)]:
                self._write_rows(current)

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._told_heads.writes.ended if self._is_alone else None

    def _write_rows(self, current: Sequence[CarriedRecord]) -> None:
        lane, flat = self._worker, chain.from_iterable
        record_late(lane, current)
        self._make_room_for(current)
        lane.insert_texts("call_index", CALL_COLUMNS, flat(r.calls for r in current))
        lane.insert_texts("trajectory_list", (), (b"".join(r.listed) for r in current))
        self._make_room_for(current)
        rows = Pieces(list(flat(r.row for r in current)))
        lane.insert_binary("trajectories", TRAJECTORY_COLUMNS, rows)
        lane.insert_texts("trajectory_list", (), (r.moved for r in current if r.moved))

    def make_room(self) -> None:
        """See ``TrajectoryWriter.make_room``."""
        self._worker.relax()

    def _newest(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the sequence that each stored trajectory was built from, cached or read again."""
        if (told := self._told_heads.take(keys)) is not None and self._is_alone:
            return told
        return {
            TraceKey(row.Project, row.TraceId): row.Seq
            for some in batched(keys)
            for row in self._worker.rows("newest_versions", keys=some)
        }

    def _make_room_for(self, records: Sequence[TrajectoryRecord | CarriedRecord]) -> None:
        if sum(record.size for record in records) > LONG_DOCUMENTS:
            self.make_room()


def _head_of(row: Row) -> Head:
    """Return a row of ``heads.sql`` as the head of a trajectory."""
    return Head(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        seq=row.Seq,
        fingerprint=row.Fingerprint,
        start_ns=row.StartTimeUnixNano,
        step_ids=row.StepIds,
        span_count=row.SpanCount,
    )
