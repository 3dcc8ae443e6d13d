"""Reads lists in two steps: first candidates, then the current version of each."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.query.lists import Cursor
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


KEYS_AT_ONCE = 10_000
"""The most keys of one query for narrow rows; 1 MiB of keys (24,000) takes minutes to parse."""


class Newest(NamedTuple):
    """The current version of a trajectory."""

    rank: int
    version: int

    def allows(self, row: Row) -> bool:
        """Return whether a row has this version, or a newer version that is just being written."""
        return (row.Seq, row.Version) >= self


def read_newest(
    connection: Connection, keys: Iterable[tuple[str, str]]
) -> Mapping[TraceKey, Newest]:
    """Return the current versions of traces; unknown or deleted traces have no entry."""
    return {
        TraceKey(row.Project, row.TraceId): Newest(row.Seq, row.Version)
        for some in batched(list(keys), KEYS_AT_ONCE)
        for row in connection.rows("newest_versions", keys=some)
    }


Place: TypeAlias = "tuple[str, int, str]"
"""The position of a row of the list: the project, the start in ns and the trace id."""


def place_of(row: Row) -> Place:
    """Return the position of a row of the list."""
    return row.Project, row.StartTimeUnixNano, row.TraceId


def read_places(connection: Connection, places: Iterable[Place]) -> Mapping[Place, Newest]:
    """Return the versions at these positions; a position that a run has left has no entry.

    Positions of deleted traces have entries too.
    """
    return {
        place_of(row): Newest(row.Seq, row.Version)
        for some in batched(list(places), KEYS_AT_ONCE)
        for row in connection.rows("newest_places", places=some)
        if not row.IsDeleted
    }


SPARE_CANDIDATES = 8
"""Extra candidates to read, because old versions are dropped; each costs as much as a line."""
MAX_CANDIDATES = KEYS_AT_ONCE
"""The most candidates per query; if most are old versions, each query doubles the number."""
BEFORE_ALL = Cursor(0, "", "")
"""The start position of a list that is ordered oldest first."""

Key: TypeAlias = "tuple[str, str]"
"""The project, and the id of a trace or a conversation."""


class Candidate(NamedTuple):
    """A current or former position in a list."""

    place: Cursor
    key: Key
    row: Row = None
    """The row at that position, if the query has read it."""


class Line(Protocol):
    """A line of a list; each candidate has at most one."""

    @property
    def cursor(self) -> Cursor:
        """The current position of the line in the list."""


LineT = TypeVar("LineT", bound=Line)


def read_list(
    candidates: Callable[[int, Cursor | None], Sequence[Candidate]],
    current: Callable[[Sequence[Candidate]], Mapping[Key, LineT]],
    limit: int,
    after: Cursor | None,
    *,
    is_descending: bool,
) -> Sequence[LineT]:
    """Read candidates until there are ``limit`` lines, or no more candidates.

    The list ends when a query returns fewer rows than its limit. The number of lines is no sign of
    the end, because several rows may be versions of one trajectory.
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
                continue  # it has moved to a position on an earlier page
            if until is None or not comes_later(line.cursor, until):
                found[key] = line
        if until is None:
            break
        after = until
        most = min(2 * most, MAX_CANDIDATES)
    in_order = sorted(found.values(), key=attrgetter("cursor.place"), reverse=is_descending)
    return in_order[:limit]


def place_parameters(after: Cursor | None) -> dict[str, object]:
    """Return the query parameters for a position; ``None`` begins at the newest run."""
    place = after or BEFORE_ALL
    return {
        "after_start_ns": after.start_ns if after else None,
        "after_trace_id": place.trace_id,
        "after_project": place.project,
    }
