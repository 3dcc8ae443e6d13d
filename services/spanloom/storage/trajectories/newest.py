"""Of which version stored trajectories are, and where they stand: what makes other rows true."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.storage.engine.answers import Row
    from spanloom.storage.engine.lane import Lane

KEYS_AT_ONCE = 10_000
"""Of narrow rows; a parameter of a MiB (24,000 keys) is parsed again and again, for minutes."""


class Newest(NamedTuple):
    """The current version of a trajectory."""

    seq: int
    """The highest span version it was built from."""
    version: int
    start_ns: int

    def allows(self, row: Row) -> bool:
        """Return whether a row is not of an older version; one that is being written is ahead."""
        return (row.Seq, row.Version) >= (self.seq, self.version)

    def allows_place(self, row: Row) -> bool:
        """Return whether that also stands where the trajectory does.

        A row left by a writer that was overtaken has another start.
        """
        return bool(row.StartTimeUnixNano == self.start_ns) and self.allows(row)


def read_newest(lane: Lane, keys: Iterable[tuple[str, str]]) -> Mapping[TraceKey, Newest]:
    """Return what is stored of these traces; an unknown or deleted one has no entry."""
    return {
        TraceKey(row.Project, row.TraceId): Newest(row.Seq, row.Version, row.StartTimeUnixNano)
        for some in batched(list(keys), KEYS_AT_ONCE)
        for row in lane.rows("newest_versions", keys=some)
    }
