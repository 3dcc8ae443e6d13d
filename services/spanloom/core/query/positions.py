"""The position of a reader in the change feed, what is new to it, and what it saw recently.

The feed is ordered by the time at which each change began to be stored, and a slow write becomes
visible later than a quick one that began after it. So a position has two parts: the time up to
which everything was shown, for no write that began before it can still be under way; and how far
each writer was shown after it. A writer numbers its changes and stores one INSERT after the other,
so that its changes become visible in their order: one with a higher number is new, also if it
appears among older ones. Changes without a writer are of a process that knows all its writes; they
are shown only when all changes before them were.

While processes of 0.1.0 work on the same store, which do not number their changes, a position has
their summary of what was shown: all of that is shown again if something has come in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey


class Summary(NamedTuple):
    """The summary that 0.1.0 has of the changes shown after the time of a position."""

    newest_us: int
    """The time of the newest of them."""
    checksum: int
    """Detects whether they are still the same."""


class Position(NamedTuple):
    """A place in the feed; the default one is its beginning. Times are in µs since the epoch."""

    until_us: int = 0
    """All changes up to this time were shown."""
    shown: int = 0
    """How many were shown after it."""
    seen: tuple[tuple[int, int], ...] = ()
    """The highest number shown after it of each writer, by writer."""
    summary: Summary | None = None
    """In place of ``seen``, for 0.1.0."""

    def has_shown(self, change: Placed) -> bool:
        """Return whether a reader at this position has been shown the change."""
        if change.changed_us <= self.until_us:
            return True
        return change.writer > 0 and change.number <= dict(self.seen).get(change.writer, 0)


class Sight(NamedTuple):
    """Up to which times one read of the feed is complete."""

    complete_us: int
    """All changes up to this time are visible."""
    quiet_us: int
    """The time that a reader advances to if it finds no changes before it."""
    shown_us: int
    """Changes up to this time are shown."""
    now_us: int
    """No change is later than this time yet."""
    numberless_us: int
    """Changes without a writer are shown up to this time."""
    is_upgrading: bool = False
    """Whether readers of 0.1.0 may continue from the position of this read."""


class Placed(Protocol):
    """A change at its place in the feed."""

    @property
    def changed_us(self) -> int:
        """When it began to be stored."""

    @property
    def key(self) -> TraceKey:
        """The changed trace."""

    @property
    def version(self) -> int:
        """Its current version."""

    @property
    def writer(self) -> int:
        """The process that stored it, if several may; else 0."""

    @property
    def number(self) -> int:
        """Its number among the changes of the writer, from 1."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def cut(found: Sequence[PlacedT], limit: int) -> Sequence[PlacedT]:
    """Return about the first ``limit`` changes: those of the same time are kept together."""
    if len(found) <= limit:
        return found
    last_us = found[limit - 1].changed_us
    return [change for change in found if change.changed_us <= last_us]


def unseen(found: Sequence[PlacedT], after: Position) -> Sequence[PlacedT]:
    """Return the changes that a reader at ``after`` has not seen; none is older than it."""
    if after.summary is not None:
        return _unlike(found, after.shown, after.summary)
    seen = dict(after.seen)
    return [c for c in found if not c.writer or c.number > seen.get(c.writer, 0)]


def advance(
    found: Sequence[Placed], after: Position, sight: Sight, *, has_more: bool = False
) -> Position:
    """Return the position of a reader that was shown all changes found after ``after``.

    ``has_more`` means that there are further changes, some of which may have been shown.
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
    """Return the highest number of each writer among these changes and those seen before."""
    seen = dict(before)
    for change in changes:
        if change.writer:
            seen[change.writer] = max(seen.get(change.writer, 0), change.number)
    return tuple(sorted(seen.items()))


def _unlike(found: Sequence[PlacedT], shown: int, summary: Summary) -> Sequence[PlacedT]:
    """Return the changes after those shown before; all if the summary of those differs."""
    before = [change for change in found if change.changed_us <= summary.newest_us]
    is_same = len(before) == shown and _summary(before) == summary
    return found[len(before) :] if is_same else found


def _summary(changes: Sequence[Placed]) -> Summary | None:
    """Return the summary of changes in order of time; the checksum is that of 0.1.0."""
    if not changes:
        return None
    lines = (f"{c.changed_us} {c.version} {c.key.trace_id} {c.key.project}" for c in changes)
    checksum = sum(crc32(line.encode()) for line in lines) & 0xFFFFFFFF
    return Summary(changes[-1].changed_us, checksum)


REMEMBERED = 10_000


class Recent:
    """The last items that were seen, in bounded memory.

    A reader that goes back to an earlier position and remembers the last 10,000 gets each once.
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
