"""Changes of traces, and how far the extractor has come, in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import FOREVER_S, ChangedSeconds, Progress, TraceChange
from spanloom.core.sharing import ALL
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.slices import in_slices, lowest, read_watermarks, record_watermarks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


_KIND = "extract"
PROGRESS_COLUMNS = ("Project", "TraceId", "Seq", "Status", "Attempts", "Arrived", "Error")


class ClickHouseProgress:
    """``ChangeReader`` and ``ProgressWriter`` over the extractor's lane."""

    def __init__(self, worker: Lane, appends: Callable[[], int | None]) -> None:
        """Use the lane, which the caller closes, and the count of ended appends."""
        self._worker = worker
        self._appends = appends

    def clock(self) -> int:
        """See ``ChangeReader.clock``."""
        ((second,),) = self._worker.rows("clock")
        return int(second)

    def appends(self) -> int | None:
        """See ``ChangeReader.appends``."""
        return self._appends()

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """See ``ChangeReader.inserted``."""
        rows = self._worker.rows("inserted", since=since_s, width=width_s)
        return {int(second): int(fingerprint) for second, fingerprint in rows}

    def changes_since(
        self, since_s: int, known: Mapping[int, int], slices: Slices = ALL
    ) -> ChangedSeconds:
        """See ``ChangeReader.changes_since``."""
        known_s = list(known.items())
        shared = in_slices(slices)
        rows = list(self._worker.rows("changes_since", since=since_s, known=known_s, shared=shared))
        changes = list(map(_change_of, rows))
        deleted = self._worker.hiding.deleted_among(self._worker, (c.key for c in changes))
        return ChangedSeconds(
            [change for change in changes if change.key not in deleted],
            {row.second: row.fingerprint for row in rows},
        )

    def unextracted(
        self, since_s: int = 0, until_s: int = FOREVER_S, slices: Slices = ALL
    ) -> Sequence[TraceChange]:
        """See ``ChangeReader.unextracted``."""
        shared = in_slices(slices)
        rows = self._worker.rows("unextracted", since=since_s, until=until_s, shared=shared)
        return list(map(_change_of, rows))

    def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
        """See ``ChangeReader.unfinished``."""
        rows = self._worker.rows("unfinished", shared=in_slices(slices))
        return list(map(_change_of, rows))

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """See ``ChangeReader.read_progress``."""
        found = {}
        for some in batched(keys):
            for row in self._worker.rows("read_progress", keys=some):
                progress = _progress_of(row)
                found[progress.key] = progress
        return found

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """See ``ChangeReader.quarantined``."""
        return list(map(_progress_of, self._worker.rows("quarantined", limit=limit)))

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """See ``ProgressWriter.record_progress``."""
        rows = ([*p.key, p.seq, p.status.value, p.attempts, p.arrived, p.error] for p in progress)
        self._worker.insert("extraction_progress", PROGRESS_COLUMNS, rows)

    def read_watermark(self, slices: Slices = ALL) -> int:
        """See ``ChangeReader.read_watermark``."""
        whole = next((int(second) for (second,) in self._worker.rows("read_watermark")), 0)
        marks = {} if slices is None else read_watermarks(self._worker, _KIND)
        return lowest(whole, marks, slices)

    def record_watermark(self, second: int) -> None:
        """See ``ProgressWriter.record_watermark``."""
        self._worker.insert("extraction_watermark", ("Second",), [(second,)])

    def record_watermarks(self, seconds: Mapping[int, int]) -> None:
        """See ``ProgressWriter.record_watermarks``."""
        record_watermarks(self._worker, _KIND, seconds)


def _change_of(row: Row) -> TraceChange:
    """Return a row of ``changes_since``, ``unextracted`` or ``unfinished`` as a change."""
    return TraceChange(
        key=TraceKey(row.Project, row.TraceId),
        max_seq=row.newest,
        first_accepted_ns=row.first_accepted,
        last_accepted_ns=row.last_accepted,
        has_root=bool(row.has_root),
        span_count=row.spans,
        second=row.second,
    )


def _progress_of(row: Row) -> Progress:
    return Progress(
        key=TraceKey(row.Project, row.TraceId),
        seq=row.Seq,
        status=Status(row.Status),
        attempts=row.Attempts,
        arrived=row.Arrived,
        error=row.Error,
    )
