"""Reserves ranks and versions of trajectories, where several extractors write to one server.

Before writing, a build reserves its rank and its version number by an INSERT, and then reads all
reservations. It continues only if it sees no other reservation with at least its rank or number,
and no reservation of a build that had read more spans. Of two builds that reserve the same number
at most one continues: if the first did not see the second, the second's INSERT ended after the
first's SELECT had begun, so the second sees the first (ADR 4). If neither continues, both retry,
after different delays.

A build with the content of the stored build reserves too, but writes nothing: the stored build then
counts as built from the most spans that any build with its content has read.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.building import ReservedBuilds
from spanloom.core.ports.builds import Build, Precedence, knows_more, may_replace
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.ports.building import CarriedRecord, Confirmation
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

    Reserved = Mapping[TraceKey, Sequence["Reservation"]]

MOST_PER_BUILDER = 4
"""The number of reservations read for each trace and builder, the highest ones."""
KNEW_MORE_S = 3600
"""Seconds after which a build with more spans that has written nothing counts as dead."""
SAME_S = 1
"""Seconds for which no builder writes content that another reserved.

Writing it again would only give it a new number.
"""
COLUMNS = (
    "Project",
    "TraceId",
    "Rank",
    "Version",
    "Builder",
    "Fingerprint",
    "ReadMark",
    "Status",
    "ExtractorVersion",
    "StartTimeUnixNano",
)


class Reservation(NamedTuple):
    """A reserved build."""

    build: Build
    builder: int
    start_ns: int
    age_s: int
    """Age of the reservation in seconds, by the server's clock."""

    def stops(self, own: Build, builder: int, above: int) -> bool:
        """Return whether this reservation forbids writing the build ``own`` of ``builder``.

        ``above`` is the rank of the stored build; builds with reservations of higher rank may
        already be written, or may still be.
        """
        if self.builder == builder and self.build.is_same(own):
            return False
        if self.build.rank >= own.rank or self.build.version >= own.version:
            return True
        if self.build.rank <= above:
            return False
        knew_more = not may_replace(self.build.precedence, own.precedence, is_whole=own.is_whole)
        return knew_more and self.age_s <= KNEW_MORE_S


class Ledger:
    """The reservations of a server, made and read by one builder."""

    def __init__(self, worker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._worker = worker
        self._builder = secrets.randbits(64)

    def reserved(
        self, stored: Mapping[TraceKey, Build | None]
    ) -> Mapping[TraceKey, tuple[ReservedBuilds, Build | None]]:
        """Return the reservations of traces, and their stored builds with later confirmations."""
        return {
            key: (self._reserved_builds(found, own := stored[key]), own and _confirmed(own, found))
            for key, found in self._read(list(stored)).items()
        }

    def _reserved_builds(
        self, found: Sequence[Reservation], stored: Build | None
    ) -> ReservedBuilds:
        above = [one for one in found if stored is None or one.build.rank > stored.rank]
        return ReservedBuilds(
            max(one.build.rank for one in found),
            max(one.build.version for one in found),
            [one.start_ns for one in above],
            frozenset(
                one.build.fingerprint
                for one in above
                if one.builder != self._builder and one.age_s <= SAME_S
            ),
            _rivals(stored, found) if stored else (),
        )

    def reserve(self, records: Sequence[CarriedRecord | Confirmation]) -> None:
        """Reserve the ranks and numbers of records, before writing any of them."""
        rows = (
            [
                *record.key,
                record.build.rank,
                record.build.version,
                self._builder,
                record.build.fingerprint,
                record.build.precedence.read_mark,
                record.status.value,
                str(record.build.precedence.extractor or ""),
                record.start_ns,
            ]
            for record in records
        )
        self._worker.insert("trajectory_builds", COLUMNS, rows)

    def allowed(
        self, records: Sequence[CarriedRecord], stored: Mapping[TraceKey, Build | None]
    ) -> Sequence[CarriedRecord]:
        """Return the reserved records that may be written."""
        reserved = self._read([record.key for record in records])

        def is_allowed(record: CarriedRecord) -> bool:
            known = stored.get(record.key)
            others = reserved.get(record.key, ())
            if not record.build.follows(known and _confirmed(known, others)):
                return False
            above = known.rank if known else -1
            return not any(one.stops(record.build, self._builder, above) for one in others)

        return [record for record in records if is_allowed(record)]

    def unsure(
        self, confirmed: Sequence[Confirmation], stored: Mapping[TraceKey, Build]
    ) -> AbstractSet[TraceKey]:
        """Return the traces whose stored build has, or may get, content from fewer spans."""
        reserved = self._read([one.key for one in confirmed])

        def is_unsure(one: Confirmation) -> bool:
            known = stored.get(one.key)
            if known is None or known.fingerprint != one.build.fingerprint:
                return True
            return knows_more(one.build.precedence, _rivals(known, reserved.get(one.key, ())))

        return {one.key for one in confirmed if is_unsure(one)}

    def _read(self, keys: Sequence[TraceKey]) -> Reserved:
        found: defaultdict[TraceKey, list[Reservation]] = defaultdict(list)
        for some in batched(keys):
            for row in self._worker.rows("reserved_builds", keys=some, most=MOST_PER_BUILDER):
                found[TraceKey(row.Project, row.TraceId)].append(_reservation_of(row))
        return found


def _confirmed(stored: Build, found: Sequence[Reservation]) -> Build:
    return stored.confirmed_by(one.build for one in found)


def _rivals(stored: Build, found: Sequence[Reservation]) -> Sequence[Precedence]:
    """Return the precedence of reserved builds that may still replace the stored build.

    Later confirmations of the stored build do not prevent that, because the other builders may have
    read it before.
    """
    others = (one.build for one in found if one.build.fingerprint != stored.fingerprint)
    return [
        other.precedence
        for other in others
        if other.rank > stored.rank
        and may_replace(stored.precedence, other.precedence, is_whole=True)
    ]


def _reservation_of(row: Row) -> Reservation:
    """Return a row of ``reserved_builds.sql`` as a reservation."""
    precedence = Precedence.of(row.ReadMark, Status(row.Status), row.ExtractorVersion)
    build = Build(row.Rank, row.Version, row.Fingerprint, precedence)
    return Reservation(build, row.Builder, row.StartTimeUnixNano, row.AgeS)
