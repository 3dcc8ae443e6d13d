"""Reserves ranks and versions of trajectories, where several extractors write to one server.

A reservation is a row that announces a build before its trajectory is written: rank, version number
and read mark. After this INSERT the builder reads all reservations for the trace. It writes the
trajectory only if no other reservation has at least its rank or number, and none is of a build that
had read more spans. Of two builds that reserve the same number at most one is written: if the first
did not see the second, the second's INSERT ended after the first's SELECT had begun, so the second
sees the first (ADR 4). If neither is written, both are tried again, after different delays.

A confirmation is a reservation of a build with the same content as the stored build. Nothing is
written for it, but the stored build then counts as built from the spans that the confirmation read,
if they are more.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.builds import Build, Precedence, knows_more, may_replace
from spanloom.core.ports.trajectories import ReservedBuilds
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.ports.building import CarriedRecord
    from spanloom.core.ports.trajectories import Confirmation
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

    Reserved = Mapping[TraceKey, Sequence["Reservation"]]

MOST_PER_BUILDER = 4
"""Reservations, those with the highest ranks, that are read for each trace and builder."""
KNEW_MORE_S = 3600
"""Seconds after which a reservation of a build that read more spans is ignored as abandoned."""
SAME_S = 1
"""Seconds for which no builder writes the content that another builder has reserved.

A second write would only give the same content a new number.
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
    """A build that a builder has announced before writing it."""

    build: Build
    builder: int
    start_ns: int
    age_s: int
    """Age of the reservation in seconds, by the server's clock."""

    def stops(self, own: Build, builder: int, above: int) -> bool:
        """Return whether this reservation forbids writing the build ``own`` of ``builder``.

        ``above`` is the rank of the stored build. Only a build of higher rank may be in the middle
        of being written.
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
    """Makes and reads reservations on a server, as one builder with a random id."""

    def __init__(self, worker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._worker = worker
        self._builder = secrets.randbits(64)

    def reserved(
        self, stored: Mapping[TraceKey, Build | None]
    ) -> Mapping[TraceKey, tuple[ReservedBuilds, Build | None]]:
        """Return, for each trace, a summary of its reservations, and its stored build.

        The stored build has the highest read mark of its confirmations.
        """
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
        """Insert a reservation for each record; call this before writing any of the records."""
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
        """Return the reserved records that no stored build and no other reservation forbids."""
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
        """Return the traces for which a confirmation is not enough, so the build must be written.

        Their stored build has other content by now, or a build from fewer spans may replace it.
        """
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
    """Return the precedence of the reserved builds that may still replace the stored build.

    Later confirmations of the stored build do not prevent that, because the other builders may have
    read the stored build before it was confirmed.
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
