"""Lists in two steps: candidates first, then the version of each that is current."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.query.summaries import Cursor
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


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


SPARE_CANDIDATES = 8
"""Candidates read beyond the wanted lines: old versions fall out. Each costs as much as a line."""
MAX_CANDIDATES = KEYS_AT_ONCE
"""The most candidates read at once: where most are old versions, each look doubles them."""
BEFORE_ALL = Cursor(0, "", "")
"""Where a list begins that comes oldest first."""

Key: TypeAlias = "tuple[str, str]"
"""The project, and the id of a trace or a conversation."""


class Candidate(NamedTuple):
    """Where something stands or stood in a list."""

    place: Cursor
    key: Key
    row: Row = None
    """What stands there, where that was read with it."""


class Line(Protocol):
    """What a list shows of a candidate."""

    @property
    def cursor(self) -> Cursor:
        """The place where it stands now."""


LineT = TypeVar("LineT", bound=Line)


def read_list(
    candidates: Callable[[int, Cursor | None], Sequence[Candidate]],
    current: Callable[[Sequence[Candidate]], Mapping[Key, LineT]],
    limit: int,
    after: Cursor | None,
    *,
    is_descending: bool,
) -> Sequence[LineT]:
    """Read candidates until there are enough lines, or no more candidates.

    The end is where fewer *rows* come than were asked for: 51 rows may be 18 trajectories.
    """
    found: dict[Key, LineT] = {}

    def comes_later(place: Cursor, than: Cursor) -> bool:
        return place.place < than.place if is_descending else place.place > than.place

    most = limit + SPARE_CANDIDATES
    while len(found) < limit:
        rows = candidates(most, after)
        until = rows[-1].place if len(rows) == most else None
        for key, line in current(rows).items():
            if after is not None and not comes_later(line.cursor, after):
                continue  # it has moved to where the reader has been
            if until is None or not comes_later(line.cursor, until):
                found[key] = line
        if until is None:
            break
        after = until
        most = min(2 * most, MAX_CANDIDATES)
    in_order = sorted(found.values(), key=attrgetter("cursor.place"), reverse=is_descending)
    return in_order[:limit]


def behind(after: Cursor | None) -> dict[str, object]:
    """Return the parameters by which candidates begin behind a position; ``None`` is the newest."""
    place = after or BEFORE_ALL
    return {
        "after_start_ns": after.start_ns if after else None,
        "after_trace_id": place.trace_id,
        "after_project": place.project,
    }
