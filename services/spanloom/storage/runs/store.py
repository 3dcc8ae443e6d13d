"""Writes trajectories, and caches the stored versions until the next write."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.builds import Build, Precedence
from spanloom.core.ports.trajectories import Head
from spanloom.storage.deletions.store import record_late
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.remembered import Writes
from spanloom.storage.engine.row_binary import Pieces
from spanloom.storage.runs.calls import CALL_COLUMNS
from spanloom.storage.runs.candidates import read_places
from spanloom.storage.runs.ledger import Ledger
from spanloom.storage.runs.rows import TRAJECTORY_COLUMNS, encode_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.ports.building import CarriedRecord
    from spanloom.core.ports.trajectories import Confirmation, TrajectoryRecord
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.runs.candidates import Place


MOST = 50_000
"""Maximum traces in the cache; traces that do not change are not written, and so not removed."""


class HeadCache:
    """Caches the stored builds of trajectories between reading their heads and writing them.

    Stays empty if other processes write too, because ``note`` then gets no number of writes.

    Example: after a read of ``a1`` at rank 7, the caller that writes ``a1`` at rank 9 removes the
    entry. Another caller that read rank 7 and writes ``a1`` later finds no entry and queries the
    store.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.writes = Writes()
        """The context that every write of trajectories must use."""
        self._lock = Lock()
        self._builds: dict[TraceKey, Build | None] = {}

    def note(self, writes_before: int | None, builds: Mapping[TraceKey, Build | None]) -> None:
        """Cache the builds, unless a write has occurred since ``writes.ended`` had this value."""
        with self._lock:
            if writes_before is None or writes_before != self.writes.ended:
                return
            if len(self._builds) + len(builds) > MOST:
                self._builds.clear()
            self._builds.update(builds)

    def take(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Build | None] | None:
        """Remove the entries of these keys and return them; ``None`` if any is missing.

        Call this within ``writes``, before the first row is sent.
        """
        with self._lock:
            reserved = {key: self._builds.pop(key) for key in keys if key in self._builds}
        return reserved if len(reserved) == len(set(keys)) else None


LONG_DOCUMENTS = 1 << 25
"""Memory is freed before a write with more than this many bytes of documents."""


class ClickHouseTrajectories:
    """Implements ``TrajectoryWriter`` with the extractor's connection to ClickHouse."""

    def __init__(self, worker: Connection, *, is_alone: bool) -> None:
        """Use the connection; the caller closes it.

        ``is_alone`` means that no other process writes.
        """
        self._worker = worker
        self._is_alone = is_alone
        self._ledger = None if is_alone else Ledger(worker)
        self._head_cache = HeadCache()
        self._listed: dict[TraceKey, int] = {}
        """The ranks of builds that are in lists, as far as this process knows."""

    @property
    def is_shared(self) -> bool:
        """See ``TrajectoryWriter.is_shared``."""
        return not self._is_alone

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """See ``TrajectoryWriter.heads``."""
        writes_before = self.writes()
        found = {}
        for some in batched(keys):
            for row in self._worker.rows("heads", keys=some):
                head = _head_of(row)
                found[head.key] = head
        builds = {key: found[key].build if key in found else None for key in keys}
        self._head_cache.note(writes_before, builds)
        for head in self._unlisted(found.values()):
            found[head.key] = replace(head, is_listed=False)
        if self._ledger is not None:
            for key, (reserved, build) in self._ledger.reserved(builds).items():
                head = replace(found.get(key) or _nothing_stored(key), reserved=reserved)
                found[key] = replace(head, read_mark=build.precedence.read_mark) if build else head
        return found

    def write(self, records: list[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.write``."""
        self._make_room_for(records)
        carried = list(map(encode_record, records))
        if len(records) == 1:
            records.clear()
        return self.write_carried(carried)

    def write_carried(self, records: Sequence[CarriedRecord]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.write``."""
        with self._head_cache.writes:
            current = self._allowed(records)
            if current:
                self._write_rows(current)
        if self._ledger is None or not current:
            return {record.key for record in current}
        newest = self._read_stored([record.key for record in current])
        return {r.key for r in current if (n := newest.get(r.key)) is None or n.is_same(r.build)}

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._head_cache.writes.ended if self._is_alone else None

    def _allowed(self, records: Sequence[CarriedRecord]) -> Sequence[CarriedRecord]:
        """Return the records that may replace the stored builds (``Build.follows``).

        If other processes write too, reserve all records first, read the stored builds afterwards,
        and leave out records that the reservations of other builds forbid (``ledger.py``).
        """
        if self._ledger is not None and records:
            self._ledger.reserve(records)
        stored = self._stored([r.key for r in records])
        current = [r for r in records if r.build.follows(stored.get(r.key))]
        return self._ledger.allowed(current, stored) if self._ledger and current else current

    def confirm(self, confirmed: Sequence[Confirmation]) -> AbstractSet[TraceKey]:
        """See ``TrajectoryWriter.confirm``; if no other process writes, there is nothing to do."""
        if self._ledger is None or not confirmed:
            return frozenset()
        self._ledger.reserve(confirmed)
        return self._ledger.unsure(confirmed, self._read_stored([one.key for one in confirmed]))

    def _write_rows(self, current: Sequence[CarriedRecord]) -> None:
        """Write the rows of records in an order in which lists show each run exactly once.

        The row in ``trajectories`` makes the calls valid, and names the positions at which lists
        may show the run. Then the row in the list, with tombstones in the same INSERT, moves the
        run to its new position.
        """
        connection, flat = self._worker, chain.from_iterable
        record_late(connection, current)
        self._make_room_for(current)
        connection.insert_texts("call_index", CALL_COLUMNS, flat(r.calls for r in current))
        rows = Pieces(list(flat(r.row for r in current)))
        connection.insert_binary("trajectories", TRAJECTORY_COLUMNS, rows)
        self._make_room_for(current)
        self._list(current)

    def _list(self, current: Sequence[CarriedRecord]) -> None:
        """Write the rows of the list; all rows of a run are in one INSERT, which is atomic."""
        self._worker.insert_texts("trajectory_list", (), (b"".join(r.listed) for r in current))
        self._note_listed({record.key: record.build.rank for record in current})

    def make_room(self) -> None:
        """See ``TrajectoryWriter.make_room``."""
        self._worker.relax()

    def _stored(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Build | None]:
        """Return the stored builds of trajectories, cached or read again."""
        cached = self._head_cache.take(keys)
        return self._read_stored(keys) if cached is None else cached

    def _read_stored(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Build]:
        return {
            TraceKey(row.Project, row.TraceId): _build_of(row)
            for some in batched(keys)
            for row in self._worker.rows("newest_builds", keys=some)
        }

    def _unlisted(self, heads: Iterable[Head]) -> Sequence[Head]:
        """Return the trajectories (their heads) whose stored version is missing in lists.

        It is missing if its writer died before writing the list. Versions that this process has
        written since it started are known without a query.
        """
        unsure = {_place_of(h): h for h in heads if self._listed.get(h.key) != h.rank}
        listed = read_places(self._worker, unsure) if unsure else {}
        known = {p: h for p, h in unsure.items() if p in listed and listed[p].rank >= h.rank}
        self._note_listed({head.key: head.rank for head in known.values()})
        return [head for place, head in unsure.items() if place not in known]

    def _note_listed(self, ranks: Mapping[TraceKey, int]) -> None:
        if len(self._listed) + len(ranks) > MOST:
            self._listed.clear()
        self._listed |= ranks

    def _make_room_for(self, records: Sequence[TrajectoryRecord | CarriedRecord]) -> None:
        if sum(record.size for record in records) > LONG_DOCUMENTS:
            self.make_room()


def _place_of(head: Head) -> Place:
    return head.key.project, head.start_ns, head.key.trace_id


def _nothing_stored(key: TraceKey) -> Head:
    """Return the head of a trace that has reserved builds, but no stored build."""
    return Head(key, version=0, seq=0, fingerprint="", start_ns=0, step_ids=(), span_count=0)


def _build_of(row: Row) -> Build:
    """Return a row of ``newest_builds.sql`` as a build."""
    precedence = Precedence.of(row.ReadMark, Status(row.Status), row.ExtractorVersion)
    return Build(row.Seq, row.Version, row.Fingerprint, precedence)


def _head_of(row: Row) -> Head:
    """Return a row of ``heads.sql`` as the head of a trajectory."""
    return Head(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        seq=row.NewestSeq,
        fingerprint=row.Fingerprint,
        start_ns=row.StartTimeUnixNano,
        step_ids=row.StepIds,
        span_count=row.SpanCount,
        rank=row.Seq,
        read_mark=row.ReadMark,
        status=Status(row.Status),
        extractor_version=row.ExtractorVersion,
        before=row.Before,
    )
