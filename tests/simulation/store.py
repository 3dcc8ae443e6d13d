"""The ports of extraction over the modelled engine, statement by statement.

Each method asks what its SQL asks: the names of the queries are in the comments. Every statement
goes through ``Connection``, where a simulated process can stop, die or lose the answer.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from tests.simulation.engine import NS
from tests.simulation.tables import (
    BuildRow,
    CallRow,
    Change,
    ListRow,
    Mark,
    ProgressRow,
    RunRow,
    Told,
)

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import FOREVER_S, ChangedSeconds, Progress, TraceChange
from spanloom.core.ports.spans import Arrived, TracePart
from spanloom.storage.runs import ledger
from spanloom.storage.runs.rows import placed_steps
from spanloom.storage.runs.store import ClickHouseTrajectories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tests.simulation.engine import Engine

    from spanloom.core.model.span import Span
    from spanloom.core.ports.building import Call, CallWindow, CarriedRecord, TrajectoryRecord
    from spanloom.core.ports.feed import Announcement
    from spanloom.storage.engine.lane import Lane


class Connection:
    """The statements of one process; ``hook`` is called around each with what it does."""

    def __init__(self, engine: Engine, before: Callable[[str], None], after: Callable[[str], None]):
        self.engine = engine
        self._before = before
        self._after = after

    def select(self, table: str) -> list[Any]:
        self._before(f"SELECT {table}")
        return self.engine.rows(table)

    def ping(self) -> None:
        self._before("ping")

    def insert(self, table: str, rows: Sequence[object]) -> None:
        if rows:
            self._before(f"INSERT {table}")
            self.engine.commit(table, rows)
            self._after(f"INSERT {table}")


class SimStore:
    """``ExtractionStore`` for one process."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection
        self.spans = SimSpans(connection)
        self.progress = SimProgress(connection)
        self.trajectories = SimTrajectories(connection)
        self.calls = SimCalls(connection)
        self.feed = SimFeed(connection)
        self.replays = None

    def ping(self) -> None:
        """ping.sql"""
        self._store.ping()


class SimSpans:
    """``SpanReader``."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """arrived.sql"""
        found: dict[TraceKey, Arrived] = {}
        for row in of_keys(self._store.select("trace_arrivals"), keys):
            known = found.get(row.key, Arrived(0))
            newest = max(known.newest_seq, row.seq)
            found[row.key] = Arrived(known.spans + row.spans, newest)
        return found

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """read_spans.sql, and ``newest_spans``."""
        found: dict[TraceKey, dict[str, Span]] = {}
        if not keys:
            return {}
        for row in of_keys(self._store.select("otel_traces"), keys):
            spans = found.setdefault(row.key, {})
            known = spans.get(row.span.span_id)
            if known is None or known.precedence <= row.span.precedence:
                spans[row.span.span_id] = row.span
        return {key: list(spans.values()) for key, spans in found.items()}

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """read_part.sql"""
        spans = self.read_spans([key]).get(key, [])
        shown = sorted(spans, key=lambda s: (s.parent_span_id != "", s.start_ns, s.span_id))
        newest = max((span.row_version for span in spans), default=0)
        return TracePart(shown[:limit], len(spans), 0, newest)


class SimTrajectories(ClickHouseTrajectories):
    """``TrajectoryWriter``: the real one, over a lane that answers its queries from the model."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(cast("Lane", SimLane(connection)), is_alone=False)
        self._store = connection

    def write(self, records: list[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.write``: the records are not encoded."""
        return self.write_carried(cast("Sequence[CarriedRecord]", records))

    def _write_rows(self, current: Sequence[Any]) -> None:
        insert = self._store.insert
        calls = [CallRow(c, r.build.rank, r.version) for r in current for c in r.calls]
        insert("call_index", calls)
        insert("trajectories", [run_row(r) for r in current])
        insert("trajectory_list", [row for r in current for row in list_rows(r)])


class SimLane:
    """The queries and the INSERT of ``ClickHouseTrajectories`` and ``Ledger``."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def rows(self, name: str, **asked: Any) -> Iterable[Any]:
        return getattr(self, name)(**asked) if any(asked.values()) else []

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        assert table == "trajectory_builds"
        assert list(columns) == list(ledger.COLUMNS)
        now_ns = self._store.engine.now_ns
        self._store.insert(
            table, [BuildRow._make([TraceKey(*r[:2]), *r[2:], now_ns]) for r in rows]
        )

    def heads(self, keys: Sequence[TraceKey]) -> Iterable[Any]:
        rows = of_keys(self._store.select("trajectories"), keys)
        return map(named, sorted(rows, key=lambda r: (r.seq, r.version)))

    def newest_builds(self, keys: Sequence[TraceKey]) -> Iterable[Any]:
        return self.heads(keys)

    def newest_places(self, places: Sequence[tuple[str, int, str]]) -> Iterable[Any]:
        found: dict[object, ListRow] = {}
        for row in self._store.select("trajectory_list"):
            place = row.key.project, row.start_ns, row.key.trace_id
            known = found.get(place, row)
            if place in places and rank_in_list(known) <= rank_in_list(row):
                found[place] = row
        return map(named, found.values())

    def reserved_builds(self, keys: Sequence[TraceKey], most: int) -> Iterable[Any]:
        rows = of_keys(self._store.select("trajectory_builds"), keys)
        rows.sort(key=lambda r: (r.rank, r.version), reverse=True)
        now_ns = self._store.engine.now_ns
        for key in keys:
            for row in [row for row in rows if row.key == key][:most]:
                yield named(row, AgeS=(now_ns - row.reserved_ns) // NS)


def rank_in_list(row: ListRow) -> tuple[int, int, bool]:
    return row.seq, row.version, row.is_deleted


COLUMNS = {
    "version": "Version",
    "seq": "Seq",
    "rank": "Rank",
    "newest_seq": "NewestSeq",
    "read_mark": "ReadMark",
    "status": "Status",
    "extractor_version": "ExtractorVersion",
    "fingerprint": "Fingerprint",
    "start_ns": "StartTimeUnixNano",
    "before": "Before",
    "step_ids": "StepIds",
    "span_count": "SpanCount",
    "is_deleted": "IsDeleted",
    "builder": "Builder",
}


def named(row: Any, **more: object) -> SimpleNamespace:
    """Return a row with the names that its columns have in SQL."""
    own = {COLUMNS[name]: value for name, value in row._asdict().items() if name in COLUMNS}
    return SimpleNamespace(Project=row.key.project, TraceId=row.key.trace_id, **own, **more)


class SimCalls:
    """``CallIndex``."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """find_calls.sql, and newest_versions.sql"""
        if not windows:
            return []
        newest: dict[object, CallRow] = {}
        rows: Iterable[CallRow] = self._store.select("call_index")
        for row in sorted(rows, key=lambda r: (r.seq, r.version)):
            if row.call.key.project == project:
                newest[row.call.key, row.call.call_key, row.call.step_id] = row
        found = [r for r in newest.values() if any(map(r.call.is_within, windows))]
        if not found:
            return []
        heads = {r.key: (r.seq, r.version) for r in self._store.engine.final("trajectories")}
        return [r.call for r in found if (r.seq, r.version) >= heads.get(r.call.key, (2**64, 0))]

    def find_parts(self, project: str, windows: Sequence[CallWindow], most: int) -> Sequence[Call]:
        """See ``PartFinder.find_parts``."""
        return self.find(project, windows)[:most]


class SimFeed:
    """``FeedWriter``."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """``SharedClock``: the time is that of the store."""
        now_us = self._store.engine.now_ns // 1000
        rows = [Told(a.key, a.version, a.status.value, now_us) for a in announcements]
        self._store.insert("trajectory_changes", rows)


class SimProgress:
    """``ProgressStore``."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def clock(self) -> int:
        """clock.sql"""
        return self._store.engine.now_ns // NS

    def appends(self) -> int | None:
        """Other processes append to a server."""
        return None

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """inserted.sql"""
        first_s = since_s // width_s * width_s
        found: dict[int, int] = {}
        for row in self._store.select("trace_changes"):
            if row.second >= first_s:
                second = row.second // width_s * width_s
                found[second] = found.get(second, 0) + fingerprint_of(row)
        return found

    def changes_since(self, since_s: int, known: Mapping[int, int]) -> ChangedSeconds:
        """changes_since.sql"""
        rows = [r for r in self._store.select("trace_changes") if r.second >= since_s]
        prints: dict[int, int] = {}
        for row in rows:
            prints[row.second] = prints.get(row.second, 0) + fingerprint_of(row)
        new = {s: mark for s, mark in prints.items() if known.get(s) != mark}
        groups: dict[tuple[int, TraceKey], list[Change]] = {}
        for row in rows:
            if row.second in new:
                groups.setdefault((row.second, row.key), []).append(row)
        return ChangedSeconds([summed_up(own) for own in groups.values()], new)

    def unextracted(self, since_s: int = 0, until_s: int = FOREVER_S) -> Sequence[TraceChange]:
        """unextracted.sql"""
        self._store.select("trace_changes")
        return unextracted(self._store.engine, since_s, until_s)

    def unfinished(self) -> Sequence[TraceChange]:
        """unfinished.sql"""
        self._store.select("extraction_progress")
        engine = self._store.engine
        found = []
        for row in sorted(engine.final("extraction_progress")):
            own = of_keys(engine.rows("trace_arrivals"), [row.key])
            if own and (row.status == "live" or row.attempts):
                at_ns, spans = max(r.accepted_ns for r in own), sum(r.spans for r in own)
                found.append(
                    TraceChange(row.key, row.seq, at_ns, at_ns, has_root=False, span_count=spans)
                )
        return found

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """read_progress.sql"""
        if not keys:
            return {}
        self._store.select("extraction_progress")
        rows = of_keys(self._store.engine.final("extraction_progress"), keys)
        return {row.key: progress_of(row) for row in rows}

    def read_watermark(self) -> int:
        """read_watermark.sql"""
        self._store.select("extraction_watermark")
        return next((row.second for row in self._store.engine.final("extraction_watermark")), 0)

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """No extractor asks."""
        raise NotImplementedError(limit)

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """See ``ProgressWriter.record_progress``."""
        rows = [
            ProgressRow(p.key, p.seq, p.status.value, p.attempts, p.arrived, p.error)
            for p in progress
        ]
        self._store.insert("extraction_progress", rows)

    def record_watermark(self, second: int) -> None:
        """See ``ProgressWriter.record_watermark``."""
        self._store.insert("extraction_watermark", [Mark(second, self._store.engine.now_ns)])


def unextracted(engine: Engine, since_s: int = 0, until_s: int = FOREVER_S) -> list[TraceChange]:
    """Return what unextracted.sql returns now."""
    groups: dict[TraceKey, list[Change]] = {}
    for row in engine.rows("trace_changes"):
        if since_s <= row.second < until_s:
            groups.setdefault(row.key, []).append(row)
    known = {row.key: row for row in engine.final("extraction_progress")}
    arrived: dict[TraceKey, int] = {}
    for row in engine.rows("trace_arrivals"):
        arrived[row.key] = arrived.get(row.key, 0) + row.spans
    return [
        summed_up(own)
        for key, own in sorted(groups.items())
        if is_due(known.get(key), max(row.seq for row in own), arrived.get(key, 0))
    ]


def is_due(known: ProgressRow | None, newest: int, arrived: int) -> bool:
    """Return the condition of unextracted.sql."""
    if known is None or known.status == "live" or known.attempts or known.seq < newest:
        return True
    return 0 < known.arrived < arrived


def of_keys(rows: Iterable[Any], keys: Sequence[TraceKey]) -> list[Any]:
    """Return the rows of some traces."""
    wanted = set(keys)
    return [row for row in rows if row.key in wanted]


def fingerprint_of(row: Change) -> int:
    return hash((row.key, row.seq, row.spans))


def summed_up(rows: Sequence[Change]) -> TraceChange:
    return TraceChange(
        rows[0].key,
        max(row.seq for row in rows),
        min(row.accepted_ns for row in rows),
        max(row.accepted_ns for row in rows),
        any(row.has_root for row in rows),
        sum(row.spans for row in rows),
        min(row.second for row in rows),
    )


def progress_of(row: ProgressRow) -> Progress:
    return Progress(row.key, row.seq, Status(row.status), row.attempts, row.arrived, row.error)


def run_row(record: TrajectoryRecord) -> RunRow:
    trajectory = record.trajectory
    return RunRow(
        record.key,
        record.version,
        record.build.rank,
        record.seq,
        record.read.mark,
        record.status.value,
        trajectory.extractor_version,
        record.fingerprint,
        record.start_ns,
        record.before,
        [step.id for _, step in placed_steps(trajectory)],
        trajectory.span_count,
        record.document,
    )


def list_rows(record: TrajectoryRecord) -> Iterable[ListRow]:
    """Yield the row of a record, and a tombstone for each place that it leaves."""
    row = ListRow(
        record.key,
        record.start_ns,
        record.build.rank,
        is_deleted=False,
        version=record.version,
        status=record.status.value,
        span_count=record.trajectory.span_count,
    )
    yield row
    for place in record.before:
        yield row._replace(start_ns=place, is_deleted=True)
