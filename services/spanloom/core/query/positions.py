"""How far a reader of the change feed is, and what is new to it.

The feed is ordered by the time at which each change began to be stored, and a slow write becomes
visible behind a quick one that began later. So a position has two parts: the time up to which
everything was shown, for no write that began before it can still be under way; and what was shown
behind it, summed up, so that the same is not shown again unless something came between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey


class Position(NamedTuple):
    """A place in the feed; the default one is its beginning. Times are in µs since the epoch."""

    until_us: int = 0
    """All changes up to this time were shown."""
    shown_us: int = 0
    """The newest change that was shown behind it; 0 if none was."""
    shown: int = 0
    """How many were shown behind it."""
    mark: int = 0
    """A sum over these, which tells whether they are still the same."""

    @property
    def seen_us(self) -> int:
        """The time of the newest change that the reader may have seen."""
        return max(self.until_us, self.shown_us)


class Sight(NamedTuple):
    """What a look at the feed can be sure of."""

    complete_us: int
    """All changes up to this time are visible."""
    quiet_us: int
    """The time to which a reader advances who finds nothing up to it."""
    shown_us: int
    """Changes up to this time are shown."""
    now_us: int
    """No change lies behind this time yet."""


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
        """What it is now."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def cut(found: Sequence[PlacedT], limit: int) -> Sequence[PlacedT]:
    """Return about the first ``limit``: what has the same time is not torn apart."""
    if len(found) <= limit:
        return found
    last_us = found[limit - 1].changed_us
    return [change for change in found if change.changed_us <= last_us]


def unseen(found: Sequence[PlacedT], after: Position) -> Sequence[PlacedT]:
    """Return what is new of all that lies behind ``after.until_us``, oldest first.

    As a rule that is what lies behind the newest change that was shown. If before it something
    appeared, all of it is given again: nobody knows which of it is new.
    """
    before = [change for change in found if change.changed_us <= after.shown_us]
    same = (len(before), _mark(before)) == (after.shown, after.mark)
    return found[len(before) :] if same else found


def advance(
    found: Sequence[Placed], after: Position, sight: Sight, *, has_more: bool = False
) -> Position:
    """Return the position of a reader who has been shown all that was found behind ``after``.

    ``has_more`` says that it was not all that there is.
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
    """Return a sum that does not depend on the order of what is stored at one moment."""
    told = (f"{c.changed_us} {c.version} {c.key.trace_id} {c.key.project}" for c in changes)
    return sum(crc32(text.encode()) for text in told) & 0xFFFFFFFF
