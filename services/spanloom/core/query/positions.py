"""The position of a reader in the change feed: which changes are new, which were seen recently.

The feed is ordered by the time at which the storing of each change began, and a slow write becomes
visible later than a quick write that began after it. Therefore a position has two components: a
time up to which everything was shown, because no write that began before it can still be in
progress; and, after that time, how far the changes of each writer were shown. A writer numbers its
changes and stores one INSERT after the other, so its changes become visible in order: a change with
a higher number is new, even if it appears among older ones. Changes without a writer come from a
process that knows all its writes; they are shown only after all changes before them.

Processes of version 0.1.0 do not number their changes. While some work on the same store, a
position has their summary of what was shown; if another change has appeared among those, all of
them are shown again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey


class Summary(NamedTuple):
    """The summary, as in 0.1.0, of the changes shown after the time of a position."""

    newest_us: int
    """The time of the newest of these changes, in microseconds since the epoch."""
    checksum: int
    """Detects whether the changes are still the same."""


class Position(NamedTuple):
    """A position in the feed; the default is its beginning. Times are in µs since the epoch."""

    until_us: int = 0
    """All changes up to this time were shown."""
    shown: int = 0
    """How many changes after that time were shown."""
    seen: tuple[tuple[int, int], ...] = ()
    """The highest number shown of each writer's changes after that time, by writer."""
    summary: Summary | None = None
    """Instead of ``seen``, for 0.1.0."""

    def has_shown(self, change: Placed) -> bool:
        """Return whether a reader at this position has already been shown the change."""
        if change.changed_us <= self.until_us:
            return True
        return change.writer > 0 and change.number <= dict(self.seen).get(change.writer, 0)


class Sight(NamedTuple):
    """The times up to which one read of the feed is complete."""

    complete_us: int
    """All changes up to this time are visible."""
    quiet_us: int
    """The time to which a reader advances if it finds no changes before it."""
    shown_us: int
    """Changes up to this time are shown."""
    now_us: int
    """No change is later than this time so far."""
    numberless_us: int
    """Changes without a writer are shown up to this time."""
    is_upgrading: bool = False
    """Whether readers of 0.1.0 may continue from the position of this read."""


class Placed(Protocol):
    """A change with its position in the feed."""

    @property
    def changed_us(self) -> int:
        """Time at which storing the change began, in microseconds since the epoch."""

    @property
    def key(self) -> TraceKey:
        """The changed trace."""

    @property
    def version(self) -> int:
        """The version of the trajectory."""

    @property
    def writer(self) -> int:
        """The process that stored the change, if several processes may; otherwise 0."""

    @property
    def number(self) -> int:
        """Number of the change among its writer's changes, from 1."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def cut(found: Sequence[PlacedT], limit: int) -> Sequence[PlacedT]:
    """Return about the first ``limit`` changes; changes with the same time are not separated."""
    if len(found) <= limit:
        return found
    last_us = found[limit - 1].changed_us
    return [change for change in found if change.changed_us <= last_us]


def unseen(found: Sequence[PlacedT], after: Position) -> Sequence[PlacedT]:
    """Return the later changes in ``found`` that a reader at ``after`` has not seen."""
    if after.summary is not None:
        return _unlike(found, after.shown, after.summary)
    seen = dict(after.seen)
    return [c for c in found if not c.writer or c.number > seen.get(c.writer, 0)]


def advance(
    found: Sequence[Placed], after: Position, sight: Sight, *, has_more: bool = False
) -> Position:
    """Return the position of a reader that was shown all changes found after ``after``.

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
    """Return the highest number of each writer among these changes and ``before``."""
    seen = dict(before)
    for change in changes:
        if change.writer:
            seen[change.writer] = max(seen.get(change.writer, 0), change.number)
    return tuple(sorted(seen.items()))


def _unlike(found: Sequence[PlacedT], shown: int, summary: Summary) -> Sequence[PlacedT]:
    """Return the changes after those shown before; all of them if the summary differs."""
    before = [change for change in found if change.changed_us <= summary.newest_us]
    is_same = len(before) == shown and _summary(before) == summary
    return found[len(before) :] if is_same else found


def _summary(changes: Sequence[Placed]) -> Summary | None:
    """Return the summary of changes in order of time, with the checksum that 0.1.0 computes."""
    if not changes:
        return None
    lines = (f"{c.changed_us} {c.version} {c.key.trace_id} {c.key.project}" for c in changes)
    checksum = sum(crc32(line.encode()) for line in lines) & 0xFFFFFFFF
    return Summary(changes[-1].changed_us, checksum)


REMEMBERED = 10_000


class Recent:
    """Remembers the most recent items, in bounded memory.

    A reader that returns to an earlier position and remembers the last 10,000 items gets each once.
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
