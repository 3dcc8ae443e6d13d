"""Reserves ranks and version numbers of trajectories, where several extractors write to one server.

Before anything is written, a build reserves its rank and its number by an INSERT, and then reads
what is reserved. It goes on only if it sees no other reservation with as high a rank or number, and
none of a build that knew more. Of two that reserve the same number at most one goes on: if the
first did not see the second, the second's INSERT ended after the first's SELECT had begun, so the
second sees the first (ADR 4). It may be that neither goes on: both try again, each after another
while.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.building import Taken
from spanloom.core.ports.builds import Build, Standing, may_replace
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.building import CarriedRecord
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
        knew_more = not may_replace(self.build.standing, own.standing, is_whole=own.is_whole)
        return knew_more and self.age_s <= KNEW_MORE_S


class Ledger:
    """The reservations of a server, as one builder makes and sees them."""

    def __init__(self, worker: Lane) -> None:
        """Use the lane, which the caller owns and closes."""
        self._worker = worker
        self._builder = secrets.randbits(64)

    def taken(self, ranks: Mapping[TraceKey, int]) -> Mapping[TraceKey, Taken]:
        """Return what is reserved of traces; ``ranks`` are those of their stored builds."""
        return {
            key: Taken(
                max(one.build.rank for one in found),
                max(one.build.version for one in found),
                [one.start_ns for one in found if one.build.rank > ranks[key]],
                frozenset(
                    one.build.fingerprint
                    for one in found
                    if one.build.rank > ranks[key]
                    and one.builder != self._builder
                    and one.age_s <= SAME_S
                ),
            )
            for key, found in self._read(list(ranks)).items()
        }

    def reserve(self, records: Sequence[CarriedRecord]) -> None:
        """Reserve the ranks and numbers of records, before anything of them is written."""
        rows = (
            [
                *record.key,
                record.build.rank,
                record.build.version,
                self._builder,
                record.build.fingerprint,
                record.build.standing.read_mark,
                record.status.value,
                str(record.build.standing.extractor or ""),
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

        def is_stopped(record: CarriedRecord) -> bool:
            known = stored.get(record.key)
            others = reserved.get(record.key, ())
            above = known.rank if known else -1
            return any(one.stops(record.build, self._builder, above) for one in others)

        return [record for record in records if not is_stopped(record)]

    def _read(self, keys: Sequence[TraceKey]) -> Reserved:
        found: defaultdict[TraceKey, list[Reservation]] = defaultdict(list)
        for some in batched(keys):
            for row in self._worker.rows("reserved_builds", keys=some, most=MOST_PER_BUILDER):
                found[TraceKey(row.Project, row.TraceId)].append(_reservation_of(row))
        return found


def _reservation_of(row: Row) -> Reservation:
    """Return a row of ``reserved_builds.sql`` as a reservation."""
    standing = Standing.of(row.ReadMark, Status(row.Status), row.ExtractorVersion)
    build = Build(row.Rank, row.Version, row.Fingerprint, standing)
    return Reservation(build, row.Builder, row.StartTimeUnixNano, row.AgeS)
