"""Changes of traces, and the progress of the extractor, in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import FOREVER_S, ChangedSeconds, Progress, TraceChange
from spanloom.core.sharing import ALL
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.slices import in_slices, lowest, read_watermarks, record_watermarks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


_KIND = "extract"
PROGRESS_COLUMNS = (
    *("Project", "TraceId", "Seq", "Status", "Attempts", "Arrived", "Error"),
    *("Requests", "Digest", "IsWhole"),
)


class ClickHouseProgress:
    """Implements ``ChangeReader`` and ``ProgressWriter`` with the extractor's connection."""

    def __init__(
        self,
        worker: Connection,
        appends: Callable[[], int | None],
        revisit: Callable[[Sequence[TraceKey]], None],
    ) -> None:
        """Use the connection, which the caller closes.

        ``appends`` returns the number of ended appends of spans; ``revisit`` requests new builds.
        """
        self._worker = worker
        self._appends = appends
        self._revisit = revisit

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

    def overlooked(self, begins_with: str, slices: Slices = ALL) -> Sequence[TraceChange]:
        """See ``ChangeReader.overlooked``."""
        shared = in_slices(slices)
        rows = self._worker.rows("overlooked", begins_with=begins_with, shared=shared)
        return list(map(_change_of, rows))

    def present(
        self, requests: Iterable[tuple[TraceKey, int, int]]
    ) -> AbstractSet[tuple[TraceKey, int, int]]:
        """See ``ChangeReader.present``."""
        return {
            (TraceKey(row.Project, row.TraceId), row.Seq, row.Spans)
            for some in batched(sorted(requests))
            for row in self._worker.rows("present", changes=[[s, *key, n] for key, s, n in some])
        }

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
        rows = (
            [
                *(*p.key, p.seq, p.status.value, p.attempts, p.arrived, p.error),
                *(p.requests, p.digest, p.is_whole),
            ]
            for p in progress
        )
        self._worker.insert("extraction_progress", PROGRESS_COLUMNS, rows)

    def record_revisits(self, keys: Sequence[TraceKey]) -> None:
        """See ``ProgressWriter.record_revisits``."""
        if keys:
            self._revisit(keys)

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
        first_accepted_ns=row.first_accepted,
        last_accepted_ns=row.last_accepted,
        has_root=bool(row.has_root),
        span_count=row.spans,
        second=row.second,
        requests=frozenset((seq, spans) for seq, spans in row.requests),
    )


def _progress_of(row: Row) -> Progress:
    return Progress(
        key=TraceKey(row.Project, row.TraceId),
        seq=row.Seq,
        status=Status(row.Status),
        attempts=row.Attempts,
        arrived=row.Arrived,
        error=row.Error,
        requests=row.Requests,
        digest=row.Digest,
        is_whole=bool(row.IsWhole),
    )
