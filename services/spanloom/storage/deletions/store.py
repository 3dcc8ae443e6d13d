"""``DeletionLedger`` in ClickHouse: a deletion is a row, and a row for each of its traces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.ports.deletions import Extent
from spanloom.storage.deletions.ledger import (
    reaching,
    read_deletions,
    read_traces,
    record_deletion,
    record_traces,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.deletion import Deletion, DeletionScope
    from spanloom.storage.deletions.hiding import DeletedRows
    from spanloom.storage.engine.answers import Row
    from spanloom.storage.engine.lane import Lane


class ClickHouseDeletions:
    """``DeletionLedger`` over the extractor's lane."""

    def __init__(self, worker: Lane, hiding: DeletedRows) -> None:
        """Take the lane, which its opener closes, and what hides the deleted rows from now on."""
        self._worker = worker
        self._hiding = hiding

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """See ``DeletionLedger.extent_of``."""
        return _extent(read_traces(self._worker, scope, reaching(self._worker, until_seq)))

    def delete(self, deletion: Deletion) -> Deletion:
        """See ``DeletionLedger.delete``.

        The traces are read first: with the deletion recorded, its own rows would be hidden.
        """
        until_seq = reaching(self._worker, deletion.until_seq)
        traces = read_traces(self._worker, deletion.scope, until_seq)
        extent = _extent(traces)
        self._hiding.begin()
        counted = replace(deletion, traces=extent.traces, spans=extent.spans, until_seq=until_seq)
        record_deletion(self._worker, counted)
        record_traces(self._worker, deletion.id, traces)
        return counted

    def list(self, limit: int) -> Sequence[Deletion]:
        """See ``DeletionLedger.list``."""
        return read_deletions(self._worker, limit)


def _extent(traces: Sequence[Row]) -> Extent:
    return Extent(len(traces), sum(int(trace.spans) for trace in traces))
