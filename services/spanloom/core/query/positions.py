"""Represents how far a client has read the change feed, and determines which changes are new.

The feed is ordered by the time at which the INSERT of each change began, so a slow INSERT becomes
visible later than a quick INSERT that began after it. Therefore a position has two components: a
time up to which all changes were shown, because no INSERT that began before can still be in
progress; and, for each writer (a process), the number of its last change shown after that time. A
writer numbers its changes and stores one INSERT after the other, so its changes become visible in
order: a change with a higher number is new, even if it is sorted before changes shown already.
Changes without a writer come from a process that knows which of its INSERTs are in progress; they
are shown only after all changes before them.

Processes of version 0.1.0 do not number their changes. While such processes use the same store, a
position has a summary of the changes shown after its time; if another change has appeared among
these changes, all of them are shown again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey


class Summary(NamedTuple):
    """Summary of the changes shown after the time of a position, as in version 0.1.0."""

    newest_us: int
    """The time of the newest of these changes, in microseconds since the epoch."""
    checksum: int
    """A checksum of the changes, which shows whether they are still the same."""


class Position(NamedTuple):
    """A position in the feed; the default is its beginning. Times are in µs since the epoch."""

    until_us: int = 0
    """All changes up to this time were shown."""
    shown: int = 0
    """How many changes after that time were shown."""
    seen: tuple[tuple[int, int], ...] = ()
    """For each writer, the highest number among its changes shown after that time."""
    summary: Summary | None = None
    """Used instead of ``seen`` while processes of version 0.1.0 use the store."""

    def has_shown(self, change: Placed) -> bool:
        """Return whether a client at this position has already been shown the change."""
        if change.changed_us <= self.until_us:
            return True
        return change.writer > 0 and change.number <= dict(self.seen).get(change.writer, 0)


class Sight(NamedTuple):
    """Times that determine which changes one read of the feed shows, in µs since the epoch."""

    complete_us: int
    """All changes up to this time are visible."""
    quiet_us: int
    """The time to which a client's position advances if there are no changes before it."""
    shown_us: int
    """The read returns changes up to this time."""
    now_us: int
    """The current time; no change is later."""
    numberless_us: int
    """The read returns changes without a writer up to this time."""
    is_upgrading: bool = False
    """Whether clients of 0.1.0 may continue from the position of this read."""


class Placed(Protocol):
    """A change with its position in the feed."""

    @property
    def changed_us(self) -> int:
        """Time at which storing the change began, in microseconds since the epoch."""

    @property
    def key(self) -> TraceKey:
        """The key of the changed trace."""

    @property
    def version(self) -> int:
        """The version of the trajectory."""

    @property
    def writer(self) -> int:
        """The id of the process that stored the change; 0 if only one process stores changes."""

    @property
    def number(self) -> int:
        """Number of the change among its writer's changes, from 1."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def cut(found: Sequence[PlacedT], limit: int) -> Sequence[PlacedT]:
    """Return about the first ``limit`` changes; all changes with the same time stay together."""
    if len(found) <= limit:
        return found
    last_us = found[limit - 1].changed_us
    return [change for change in found if change.changed_us <= last_us]


def unseen(found: Sequence[PlacedT], after: Position) -> Sequence[PlacedT]:
    """Return the changes in ``found`` that were not shown to a client at ``after``."""
    if after.summary is not None:
        return _unlike(found, after.shown, after.summary)
    seen = dict(after.seen)
    return [c for c in found if not c.writer or c.number > seen.get(c.writer, 0)]


def advance(
    found: Sequence[Placed], after: Position, sight: Sight, *, has_more: bool = False
) -> Position:
    """Return a client's position after all changes in ``found``, read after ``after``, were shown.

    ``has_more`` means that there are further changes, some of which may have been shown before.
    """
    until_us = min(found[-1].changed_us, sight.complete_us) if found else 0
    if not has_more:
        until_us = max(until_us, sight.quiet_us)
    until_us = max(until_us, after.until_us)
    later = [change for change in found if change.changed_us > until_us]
    if sight.is_upgrading:
        return Position(until_us, len(later), summary=_summary(later))
    if not has_more:
        return Position(until_us, len(later), _seen(later, {}))
    shown = after.shown + len(unseen(found, after)) - (len(found) - len(later))
    return Position(until_us, max(shown, len(later)), _seen(later, dict(after.seen)))


def _seen(changes: Sequence[Placed], before: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Return for each writer the highest number in these changes and in ``before``."""
    seen = dict(before)
    for change in changes:
        if change.writer:
            seen[change.writer] = max(seen.get(change.writer, 0), change.number)
    return tuple(sorted(seen.items()))


def _unlike(found: Sequence[PlacedT], shown: int, summary: Summary) -> Sequence[PlacedT]:
    """Return the changes after the newest of ``summary``; all changes if the summary differs.

    It differs if the earlier changes are not exactly the ``shown`` changes that it summarizes.
    """
    before = [change for change in found if change.changed_us <= summary.newest_us]
    is_same = len(before) == shown and _summary(before) == summary
    return found[len(before) :] if is_same else found


def _summary(changes: Sequence[Placed]) -> Summary | None:
    """Return a summary of changes, in order of time, as in 0.1.0; ``None`` for no changes."""
    if not changes:
        return None
    lines = (f"{c.changed_us} {c.version} {c.key.trace_id} {c.key.project}" for c in changes)
    checksum = sum(crc32(line.encode()) for line in lines) & 0xFFFFFFFF
    return Summary(changes[-1].changed_us, checksum)


REMEMBERED = 10_000


class Recent:
    """Remembers the most recent items, in bounded memory.

    So a follower that returns to an earlier position can skip the changes it has already passed on.
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        """Remember the last ``most`` items."""
        self._most = most
        self._seen: dict[Hashable, None] = {}

    def add(self, thing: Hashable) -> bool:
        """Remember an item; return whether it is new."""
        is_new = self._seen.pop(thing, self) is self
        self._seen[thing] = None
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]
        return is_new

    def has(self, thing: Hashable) -> bool:
        """Return whether an item is remembered."""
        return thing in self._seen
