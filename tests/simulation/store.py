"""The ports of extraction over the modelled engine, statement by statement.

A method returns the result of the SQL query that its docstring names. Every statement goes through
``Connection``, where a simulated process can stop, be killed or lose the response.
"""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from tests.simulation.engine import NS, final
from tests.simulation.tables import (
    Beat,
    BuildRow,
    CallRow,
    Change,
    ListRow,
    Mark,
    ProgressRow,
    RequestRow,
    RunRow,
    Told,
    revisit_blocks,
)

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.matching.listed import placed_steps
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import FOREVER_S, ChangedSeconds, Progress, TraceChange
from spanloom.core.ports.spans import (
    LONGEST_APPEND_S,
    NOTHING_ARRIVED,
    Arrived,
    Ids,
    Request,
    TracePart,
    Traces,
    Unplaced,
)
from spanloom.core.ports.workers import LIVING_S, Worker
from spanloom.core.sharing import ALL, covers
from spanloom.extractor.span_cap import read_traces
from spanloom.storage.annotations.queues import ReadQueues
from spanloom.storage.engine.slices import lowest
from spanloom.storage.feed import clocks
from spanloom.storage.feed.store import ClickHouseFeed
from spanloom.storage.runs import ledger
from spanloom.storage.runs.store import ClickHouseTrajectories
from spanloom.storage.spans.rows import as_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tests.simulation.engine import Engine

    from spanloom.core.model.score import Score
    from spanloom.core.model.span import Span
    from spanloom.core.ports.building import CarriedRecord
    from spanloom.core.ports.calls import Call, CallWindow
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.connection import Connection as StoreConnection


class Connection:
    """Executes statements of one process; calls ``before`` each one and ``after`` each INSERT."""

    def __init__(self, engine: Engine, before: Callable[[str], None], after: Callable[[str], None]):
        self.engine = engine
        self._before = before
        self._after = after

    def select(self, table: str) -> list[Any]:
        self._before(f"SELECT {table}")
        return self.engine.rows(table)

    def ping(self) -> None:
        self._before("ping")

    def begin(self, table: str) -> int:
        """Begin an INSERT; return the time."""
        self._before(f"begin INSERT {table}")
        return self.engine.now_ns

    def insert(
        self,
        table: str,
        rows: Sequence[object],
        until_ns: int | None = None,
        began_ns: int | None = None,
    ) -> float:
        """Commit a block of rows; after ``until_ns`` raise, as the store aborts the INSERT then.

        Returns the seconds since ``began_ns``, without a sleep of the process after the INSERT.
        """
        took_s = 0.0
        if rows:
            self._before(f"INSERT {table}")
            if until_ns is not None and self.engine.now_ns > until_ns:
                raise StoreUnavailableError(f"INSERT {table} took too long")
            self.engine.commit(table, rows)
            took_s = 0.0 if began_ns is None else (self.engine.now_ns - began_ns) / NS
            self._after(f"INSERT {table}")
        return took_s


class SimStore:
    """Implements ``ExtractionStore`` for one process."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection
        self.spans = SimSpans(connection)
        self.progress = SimProgress(connection)
        self.trajectories = SimTrajectories(connection)
        self.calls = SimCalls(connection)
        self.feed = feed_over(connection)
        self.scores = NoScores()
        self.replays = None

    def ping(self) -> None:
        """Behave like ``ping.sql``."""
        self._store.ping()


class NoScores:
    """Implements ``ScoreStore`` without scores, because simulated runs are not evaluated."""

    def of_traces(self, _keys: Sequence[TraceKey]) -> Sequence[Score]:
        """Return no scores."""
        return []


class SimSpans:
    """Implements ``SpanReader`` over the modelled engine."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def read_unplaced(self, _keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Unplaced]]:
        """Return no evaluation results."""
        return {}

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """Return the result of ``arrived.sql``."""
        self._store.select("trace_requests")
        found = arrived(self._store.engine)
        return {key: found[key] for key in keys if key in found}

    def read_ids(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Ids]]:
        """Return the result of ``request_ids.sql``."""
        found: dict[TraceKey, list[Ids]] = {}
        for row in of_keys(self._store.select("trace_requests"), keys):
            ids = Ids(row.seq, is_events=False, finished=row.finished, opened=row.opened)
            found.setdefault(row.key, []).append(ids)
        return found

    def whole_builds(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the result of ``whole_builds.sql``."""
        self._store.select("extraction_progress")
        rows = of_keys(self._store.engine.final("extraction_progress"), keys)
        return {row.key: row.digest for row in rows if row.is_whole}

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        """Return the result of ``read_spans.sql`` with ``newest_spans``."""
        found: dict[TraceKey, dict[str, Span]] = {}
        if not keys:
            return Traces()
        for row in of_keys(self._store.select("otel_traces"), keys):
            spans = found.setdefault(row.key, {})
            known = spans.get(row.span.span_id)
            if known is None or known.precedence <= row.span.precedence:
                spans[row.span.span_id] = row.span
        return as_traces(found)

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """Return the result of ``read_part.sql``."""
        own = self.arrived([key])
        whole = read_traces(self, [key], own, 2**63)[key]
        spans = whole.spans
        shown = sorted(spans, key=lambda s: (s.parent_span_id != "", s.start_ns, s.span_id))
        return whole._replace(spans=shown[:limit], unlisted={})


class SimTrajectories(ClickHouseTrajectories):
    """The real ``TrajectoryWriter``, whose connection answers queries from the model."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(cast("StoreConnection", SimConnection(connection)), is_alone=False)
        self._store = connection

    def write(self, records: list[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.write``; the records are written without encoding."""
        return self.write_carried(cast("Sequence[CarriedRecord]", records))

    def _write_rows(self, current: Sequence[Any]) -> None:
        insert = self._store.insert
        calls = [CallRow(c, r.build.rank, r.version) for r in current for c in r.calls]
        insert("call_index", calls)
        insert("trajectories", [run_row(r) for r in current])
        insert("trajectory_list", [row for r in current for row in list_rows(r)])


class SimConnection:
    """Answers queries and INSERTs of ``ClickHouseTrajectories``, ``Ledger`` and the feed."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def rows(self, name: str, **asked: Any) -> Iterable[Any]:
        return getattr(self, name)(**asked) if asked.get("keys", True) else []

    def insert(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        most_s: float = LONGEST_APPEND_S,
    ) -> float:
        """Insert rows, with the time at which the INSERT began; return the seconds that it took."""
        began_ns = self._store.begin(table)
        make: Callable[..., object]
        make, expected, at = {
            "trajectory_builds": (BuildRow, ledger.COLUMNS, began_ns),
            "trajectory_changes": (Told, clocks.NUMBERED, began_ns // 1000),
        }[table]
        assert tuple(columns) == tuple(expected)
        made = [make(TraceKey(*row[:2]), *row[2:], at) for row in rows]
        return self._store.insert(table, made, began_ns + int(most_s * NS), began_ns)

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
        shown: Counter[tuple[TraceKey, int]] = Counter()
        for row in rows:
            shown[row.key, row.builder] += 1
            if shown[row.key, row.builder] <= most:
                yield named(row, AgeS=(now_ns - row.reserved_ns) // NS)

    def feed_clock(self) -> Iterable[Any]:
        return [(self._store.engine.now_ns // 1000,)]

    def announcements(self, after_us: int, until_us: int, most: int, **_: object) -> Iterable[Any]:
        found = sorted(
            (
                r
                for r in self._store.select("trajectory_changes")
                if after_us < r.changed_us <= until_us
            ),
            key=lambda r: r.changed_us,
        )
        last_us = found[most - 1].changed_us if len(found) >= most else until_us
        return [named(row) for row in found if row.changed_us <= last_us]

    def announcements_of(self, keys: Sequence[TraceKey], since_us: int) -> Iterable[Any]:
        rows = of_keys(self._store.select("trajectory_changes"), keys)
        found = (row for row in rows if row.changed_us > since_us)
        return map(named, sorted(found, key=lambda r: r.changed_us))

    def list_page(self, **_: object) -> Iterable[Any]:
        """Return no runs, because followers in a simulation read only the announcements."""
        return []

    def table_definitions(self, **_: object) -> Iterable[Any]:
        """Return no definitions, so that no table has a retention."""
        return []


def feed_over(connection: Connection) -> ClickHouseFeed:
    """Return the real feed over a connection of the simulation."""
    served = cast("StoreConnection", SimConnection(connection))
    clock = clocks.SharedClock(lambda: connection.engine.now_ns / NS)
    return ClickHouseFeed(served, clock, clocks.Announcer(served, clock), ReadQueues(served))


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
    "is_judgement": "IsSaid",
    "writer": "Writer",
    "number": "Number",
    "is_repeated": "IsAgain",
    "changed_us": "changed",
}


def named(row: Any, **more: object) -> SimpleNamespace:
    """Return a row with the names that its columns have in SQL."""
    own = {COLUMNS[name]: value for name, value in row._asdict().items() if name in COLUMNS}
    return SimpleNamespace(Project=row.key.project, TraceId=row.key.trace_id, **own, **more)


class SimCalls:
    """Implements ``CallIndex`` over the modelled engine."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """Return the result of ``find_calls.sql`` and ``newest_versions.sql``."""
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


class SimWorkers:
    """Implements ``WorkerStore``; heartbeats do not wait for the process's other statements."""

    def __init__(self, engine: Engine, me: str) -> None:
        self._engine = engine
        self._me = me

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        """Write heartbeats as ``beat.sql`` does."""
        assert age_s >= 0
        now_ns = self._engine.now_ns
        rows = [Beat(kind, self._me, "", now_ns, is_over=False) for kind in kinds]
        self._engine.commit("workers", rows)

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        """Raise, because simulated processes never end in an orderly way."""
        raise NotImplementedError

    def living(self) -> Sequence[Worker]:
        """Return the result of ``living.sql``."""
        since_ns = self._engine.now_ns - int(LIVING_S * NS)
        found = [row for row in self._engine.final("workers") if row.seen_ns > since_ns]
        return [Worker(row.kind, row.worker, row.release) for row in found if not row.is_over]

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""


class SimProgress:
    """Implements ``ProgressStore`` over the modelled engine."""

    def __init__(self, connection: Connection) -> None:
        self._store = connection

    def clock(self) -> int:
        """Return the result of ``clock.sql``."""
        return self._store.engine.now_ns // NS

    def appends(self) -> int | None:
        """Return ``None``, because other processes append too."""
        return None

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """Return the result of ``inserted.sql``."""
        first_s = since_s // width_s * width_s
        found: dict[int, int] = {}
        for row in self._store.select("trace_changes"):
            if row.second >= first_s:
                second = row.second // width_s * width_s
                found[second] = found.get(second, 0) + fingerprint_of(row)
        return found

    def changes_since(
        self, since_s: int, known: Mapping[int, int], slices: Slices = ALL
    ) -> ChangedSeconds:
        """Return the result of ``changes_since.sql``."""
        rows = [r for r in self._store.select("trace_changes") if r.second >= since_s]
        prints: dict[int, int] = {}
        for row in rows:
            prints[row.second] = prints.get(row.second, 0) + fingerprint_of(row)
        new = {s: mark for s, mark in prints.items() if known.get(s) != mark}
        groups: dict[tuple[int, TraceKey], list[Change]] = {}
        for row in rows:
            if row.second in new and covers(slices, row.key):
                groups.setdefault((row.second, row.key), []).append(row)
        shown = {second: new[second] for second, _ in groups}
        return ChangedSeconds([summed_up(own) for own in groups.values()], shown)

    def unextracted(
        self, since_s: int = 0, until_s: int = FOREVER_S, slices: Slices = ALL
    ) -> Sequence[TraceChange]:
        """Return the result of ``unextracted.sql``."""
        self._store.select("trace_changes")
        found = unextracted(self._store.engine, since_s, until_s)
        return [change for change in found if covers(slices, change.key)]

    def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the result of ``unfinished.sql``."""
        self._store.select("extraction_progress")
        engine = self._store.engine
        found = []
        for row in sorted(engine.final("extraction_progress")):
            own = of_keys(engine.rows("trace_requests"), [row.key])
            if own and covers(slices, row.key) and (row.status == "live" or row.attempts):
                at_ns, spans = max(r.accepted_ns for r in own), sum(r.spans for r in own)
                found.append(TraceChange(row.key, at_ns, at_ns, has_root=False, span_count=spans))
        return found

    def overlooked(self, begins_with: str, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the result of ``overlooked.sql``."""
        self._store.select("trace_requests")
        engine = self._store.engine
        known = {row.key: row for row in engine.final("extraction_progress")}
        groups: dict[TraceKey, list[RequestRow]] = {}
        for row in engine.final("trace_requests"):
            if row.key.trace_id.startswith(begins_with) and covers(slices, row.key):
                groups.setdefault(row.key, []).append(row)
        have = arrived(engine)
        return [
            summed_up([Change(r.key, r.seq, r.accepted_ns, True, r.spans, 0) for r in own])
            for key, own in sorted(groups.items())
            if is_due(known.get(key), frozenset(), have[key])
        ]

    def present(
        self, requests: Iterable[tuple[TraceKey, int, int]]
    ) -> AbstractSet[tuple[TraceKey, int, int]]:
        """Return the result of ``present.sql``."""
        stored = {(row.key, row.seq, row.spans) for row in self._store.select("trace_changes")}
        return stored & set(requests)

    def record_revisits(self, keys: Sequence[TraceKey]) -> None:
        """See ``ProgressWriter.record_revisits``."""
        engine = self._store.engine
        mark = len(engine.logs["trace_requests"].every_row)
        for table, rows in revisit_blocks(keys, engine.now_ns, mark):
            self._store.insert(table, rows)

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """Return the result of ``read_progress.sql``."""
        if not keys:
            return {}
        self._store.select("extraction_progress")
        rows = of_keys(self._store.engine.final("extraction_progress"), keys)
        return {row.key: progress_of(row) for row in rows}

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the result of ``read_watermark.sql`` and ``read_slice_watermarks.sql``."""
        self._store.select("extraction_watermark")
        engine = self._store.engine
        whole = next((row.second for row in engine.final("extraction_watermark")), 0)
        marks = {row.number: row.second for row in engine.final("slice_watermarks")}
        return lowest(whole, marks, slices)

    def record_watermarks(self, seconds: Mapping[int, int]) -> None:
        """See ``ProgressWriter.record_watermarks``."""
        now_ns = self._store.engine.now_ns
        marks = [Mark(second, now_ns, number) for number, second in seconds.items()]
        self._store.insert("slice_watermarks", marks)

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """Raise, because no extractor calls this."""
        raise NotImplementedError(limit)

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """See ``ProgressWriter.record_progress``."""
        rows = [
            ProgressRow(
                *(p.key, p.seq, p.status.value, p.attempts, p.arrived, p.error),
                *(p.requests, p.digest, p.is_whole),
            )
            for p in progress
        ]
        self._store.insert("extraction_progress", rows)

    def record_watermark(self, second: int) -> None:
        """See ``ProgressWriter.record_watermark``."""
        self._store.insert("extraction_watermark", [Mark(second, self._store.engine.now_ns)])


def unextracted(engine: Engine, since_s: int = 0, until_s: int = FOREVER_S) -> list[TraceChange]:
    """Return the current result of ``unextracted.sql``."""
    groups: dict[TraceKey, list[Change]] = {}
    for row in engine.rows("trace_changes"):
        if since_s <= row.second < until_s:
            groups.setdefault(row.key, []).append(row)
    known = {row.key: row for row in engine.final("extraction_progress")}
    have = arrived(engine)
    changes = {key: summed_up(own) for key, own in sorted(groups.items())}
    return [
        change
        for key, change in changes.items()
        if is_due(known.get(key), change.requests, have.get(key, NOTHING_ARRIVED))
    ]


def arrived(engine: Engine) -> dict[TraceKey, Arrived]:
    """Return the current result of ``arrived.sql``."""
    groups: dict[TraceKey, list[RequestRow]] = {}
    for row in final(engine.logs["trace_requests"].table, engine.rows("trace_requests")):
        groups.setdefault(row.key, []).append(row)
    return {
        key: Arrived(
            [Request(r.seq, False, len(r.finished) + len(r.opened), r.spans) for r in own],
            sum(r.spans for r in own),
            sum(hash((r.seq, r.mark)) for r in own),
        )
        for key, own in groups.items()
    }


def is_due(known: ProgressRow | None, changed: AbstractSet[tuple[int, int]], have: Arrived) -> bool:
    """Return whether a trace meets the condition of ``unextracted.sql``."""
    if known is None or known.status == "live" or known.attempts:
        return True
    if not known.requests and not known.is_whole:
        newest = max(changed)[0] if changed else have.newest_seq
        return known.seq < newest or 0 < known.arrived < have.spans
    is_built = (known.requests, known.digest) == (len(have.requests), have.digest)
    visible = {(request.seq, request.spans) for request in have.requests}
    return not (known.is_whole and is_built and changed <= visible)


def of_keys(rows: Iterable[Any], keys: Sequence[TraceKey]) -> list[Any]:
    """Return the rows of some traces."""
    wanted = set(keys)
    return [row for row in rows if row.key in wanted]


def fingerprint_of(row: Change) -> int:
    return hash((row.key, row.seq, row.spans))


def summed_up(rows: Sequence[Change]) -> TraceChange:
    return TraceChange(
        rows[0].key,
        min(row.accepted_ns for row in rows),
        max(row.accepted_ns for row in rows),
        any(row.has_root for row in rows),
        sum(row.spans for row in rows),
        min(row.second for row in rows),
        frozenset((row.seq, row.spans) for row in rows),
    )


def progress_of(row: ProgressRow) -> Progress:
    return Progress(
        *(row.key, row.seq, Status(row.status), row.attempts, row.arrived, row.error),
        *(row.requests, row.digest, row.is_whole),
    )


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
    """Yield a record's row in the list, and a tombstone for each earlier place of the run."""
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
