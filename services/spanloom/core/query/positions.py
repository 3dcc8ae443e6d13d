"""The position of a reader in the change feed, what is new to it, and what it saw recently.

The feed is ordered by the time at which each change began to be stored, and a slow write becomes
visible later than a quick one that began after it. So a position has two parts: the time up to
which everything was shown, for no write that began before it can still be under way; and a summary
of what was shown after it, so that it is not shown again unless something came in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from spanloom.core.model.span import TraceKey


class Position(NamedTuple):
    """A place in the feed; the default one is its beginning. Times are in µs since the epoch."""

    until_us: int = 0
    """All changes up to this time were shown."""
    shown_us: int = 0
    """The newest change that was shown after it; 0 if none was."""
    shown: int = 0
    """How many were shown after it."""
    mark: int = 0
    """A checksum of these, to recognise whether they are still the same."""

    @property
    def seen_us(self) -> int:
        """The time of the newest change that the reader may have seen."""
        return max(self.until_us, self.shown_us)


class Sight(NamedTuple):
    """Up to which times one read of the feed is complete."""

    complete_us: int
    """All changes up to this time are visible."""
    quiet_us: int
    """The time to which a reader advances that finds nothing up to it."""
    shown_us: int
    """Changes up to this time are shown."""
    now_us: int
    """No change is later than this time yet."""


class Placed(Protocol):
    """A change at its place in the feed."""

    @property
    def changed_us(self) -> int:
        """When it began to be stored."""

    @property
    def key(self) -> TraceKey:
        """What changed."""

    @property
    def version(self) -> int:
        """Its current version."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def cut(found: Sequence[PlacedT], limit: int) -> Sequence[PlacedT]:
    """Return about the first ``limit`` changes: those of the same time are kept together."""
    if len(found) <= limit:
        return found
    last_us = found[limit - 1].changed_us
    return [change for change in found if change.changed_us <= last_us]


def unseen(found: Sequence[PlacedT], after: Position) -> Sequence[PlacedT]:
    """Return the new ones of all changes after ``after.until_us``, oldest first.

    Usually these are the ones after the newest change that was shown. If something appeared
    before it, all are returned again: it is unknown which of them are new.
    """
    before = [change for change in found if change.changed_us <= after.shown_us]
    same = (len(before), _mark(before)) == (after.shown, after.mark)
    return found[len(before) :] if same else found


def advance(
    found: Sequence[Placed], after: Position, sight: Sight, *, has_more: bool = False
) -> Position:
    """Return the position of a reader that was shown all changes found after ``after``.

    ``has_more`` means that there are further changes.
    """
    until_us = min(found[-1].changed_us, sight.complete_us) if found else 0
    if not has_more:
        until_us = max(until_us, sight.quiet_us)
    until_us = max(until_us, after.until_us)
    behind = [change for change in found if change.changed_us > until_us]
    if not behind:
        return Position(until_us)
    return Position(until_us, behind[-1].changed_us, len(behind), _mark(behind))


def _mark(changes: Sequence[Placed]) -> int:
    """Return a checksum that does not depend on the order of changes of the same time."""
    told = (f"{c.changed_us} {c.version} {c.key.trace_id} {c.key.project}" for c in changes)
    return sum(crc32(text.encode()) for text in told) & 0xFFFFFFFF


REMEMBERED = 10_000


class Recent:
    """The last items that were seen, in bounded memory.

    The change feed repeats versions at most within seconds, or after a restart; a reader that
    remembers the last 10,000 gets each once.
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
