"""Writes trajectories: documents, rows of lists, and calls."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.building import Head
from spanloom.storage.deletions.ledger import record_late
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.row_binary import Pieces
from spanloom.storage.trajectories.calls import CALL_COLUMNS
from spanloom.storage.trajectories.carried import encode_record
from spanloom.storage.trajectories.rows import TRAJECTORY_COLUMNS
from spanloom.storage.trajectories.told_heads import ToldHeads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.building import TrajectoryRecord
    from spanloom.core.ports.carried import CarriedRecord
    from spanloom.storage.engine.answers import Row
    from spanloom.storage.engine.lane import Lane

LONG_DOCUMENTS = 1 << 25
"""Bytes of documents in one write from which memory is made room for them."""


class ClickHouseTrajectories:
    """``TrajectoryWriter`` over the extractor's lane."""

    def __init__(self, worker: Lane, *, is_alone: bool) -> None:
        """Take the lane; whoever opened it closes it.

        ``is_alone`` says that no other process writes.
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
        """See ``TrajectoryWriter.write``: the row in ``trajectories`` makes the others true."""
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
        """Return the sequence that each stored trajectory was built from, as heads told or anew."""
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
