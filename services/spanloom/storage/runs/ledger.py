"""Reserves ranks and version numbers of trajectories, where several extractors write to one server.

Before anything is written, a build reserves its rank and its number by an INSERT, and then reads
what is reserved. It goes on only if it sees no other reservation with as high a rank or number, and
none of a build that knew more. Of two that reserve the same number at most one goes on: if the
first did not see the second, the second's INSERT ended after the first's SELECT had begun, so the
second sees the first (ADR 4). It may be that neither goes on: both try again, each after another
while.

A build that has the content of the stored one reserves too, and writes nothing: the stored one
counts as built from the most that builds with its content have read.
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
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

    Reserved = Mapping[TraceKey, Sequence["Reservation"]]

MOST_PER_BUILDER = 4
"""The highest reservations of a trace that are read of each builder, however often one tries."""
KNEW_MORE_S = 3600
"""A build that knew more, and wrote nothing for so long, has died; spans have expired since."""
SAME_S = 1
"""So long nobody writes what another one is about to write, which would only be a second number."""
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
    """By the clock of the server."""

    def stops(self, own: Build, builder: int, above: int) -> bool:
        """Return whether a build of a builder must not be written beside this one.

        ``above`` is the rank of the stored build: of others above it nobody knows whether they are
        written, or will be.
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
    """The reservations of a server, as one builder makes and sees them."""

    def __init__(self, worker: Lane) -> None:
        """Use the lane, which the caller owns and closes."""
        self._worker = worker
        self._builder = secrets.randbits(64)

    def reserved(
        self, stored: Mapping[TraceKey, Build | None]
    ) -> Mapping[TraceKey, tuple[ReservedBuilds, Build | None]]:
        """Return what is reserved of traces, and their stored builds, as far as confirmed."""
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
        """Reserve the ranks and numbers of records, before anything of them is written."""
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
        """Return those of the reserved records that may be written."""
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
        """Return the traces of which another content is stored, or may be, of who knew less."""
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
    """Return those of other contents that may be written over the stored build at any time.

    Who was confirmed since is no obstacle to them: they may have looked before.
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
