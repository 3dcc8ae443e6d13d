"""Reads the changes in the store by the second of the store's clock at which they were inserted.

For each second with INSERTs the store returns a fingerprint of the inserted changes. A look reads
the changes in the latest seconds with a changed fingerprint, in one query. A sweep goes further
back, because a slow INSERT becomes visible long after its second. The clocks of senders and
collectors are not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.core.sharing import ALL
from spanloom.extractor.readiness import NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import ChangeReader, TraceChange
    from spanloom.core.sharing import Slices

LOOK_BACK_S = 10
"""Seconds before the last look that a look reads again."""
SWEEP_BACK_S = LONGEST_APPEND_S + 300
"""Seconds that a sweep reads before the last look, and that a start reads before the watermark.

Longer than any INSERT takes.
"""
REMEMBERED_S = 60
"""Seconds for which span counts per trace are remembered; after that the store is queried."""
HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Look:
    """The result of one look; its changes count as known after ``accept``."""

    changes: Sequence[TraceChange]
    fingerprints: Mapping[int, int]
    read: Sequence[TraceChange] = ()
    """All changes in the seconds that were read, including changes known before."""
    appends: int | None = None
    """Number of INSERTs of spans that had ended before the look; ``None`` if unknown."""


class ChangeWindow:
    """The known changes of the last quarter of an hour, and earlier hours that are still unread."""

    def __init__(self, progress: ChangeReader) -> None:
        """Start without known seconds."""
        self._progress = progress
        self._known: dict[int, int] = {}
        self._seen: dict[int, dict[TraceKey, tuple[int, int]]] = {}
        self._slices: Slices = ALL
        self._hours: list[tuple[int, Slices]] = []
        """The hours left to read, the oldest last, each with the slices for which it is read."""
        self._clock_s = self._set_ns = self._looked_s = 0
        self._appends: int | None = None

    def begin(self, now_ns: int, slices: Slices = ALL) -> Look:
        """Read the clock and unfinished traces; ``go_back`` reads changes since the watermark."""
        self._set_clock(now_ns)
        self._slices, self._hours = slices, []
        self._known = dict(self._progress.inserted(self._clock_s - SWEEP_BACK_S))
        return self._begin(slices, self._clock_s)

    def gain(self, gained: frozenset[int], now_ns: int) -> Look:
        """Start reading gained slices, as ``begin`` does at the start; may be called again.

        Looks find changes that become visible from now on, because a fingerprint covers all slices;
        ``go_back`` reads the changes that are already visible.
        """
        look = self._begin(gained, self._time(now_ns))
        self._slices = gained.union(self._slices or ())
        return look

    def lose(self, lost: frozenset[int]) -> None:
        """Stop reading the changes of traces in these slices."""
        self._slices = frozenset(self._slices or ()) - lost
        hours = ((hour, frozenset(slices or ()) - lost) for hour, slices in self._hours)
        self._hours = [(hour, slices) for hour, slices in hours if slices]

    def look(self, now_ns: int) -> Look:
        """Read the latest changes; sends no query if no INSERT has ended since the last look."""
        appends = self._progress.appends()
        if appends is not None and appends == self._appends:
            return Look((), {}, appends=appends)
        look = self._read(min(self._looked_s, self._time(now_ns)) - LOOK_BACK_S)
        return replace(look, appends=appends)

    def sweep(self, now_ns: int) -> Look:
        """Read the clock, and the changes in the quarter of an hour before the last look."""
        looked_s = self._looked_s
        self._set_clock(now_ns)
        since_s = min(looked_s, self._clock_s) - SWEEP_BACK_S
        self._known = {s: mark for s, mark in self._known.items() if s >= since_s}
        marks = self._progress.inserted(since_s)
        changed = [s for s, mark in marks.items() if self._known.get(s) != mark]
        if not changed:
            return Look((), {})
        look = self._read(min(changed))
        # Seconds without traces in our slices are now known too; none is newer than this look.
        return replace(look, fingerprints={**marks, **look.fingerprints})

    def go_back(self) -> Look:
        """Return the changes in one hour before the start that have not been extracted."""
        if not self._hours:
            return Look((), {})
        hour, slices = self._hours[-1]
        return Look(self._progress.unextracted(hour, hour + HOUR_S, slices), {})

    def accept(self, look: Look, now_ns: int) -> None:
        """Record the changes of a look as known."""
        self._looked_s = self._time(now_ns)
        for change in look.read:
            seen = (change.span_count, len(change.requests))
            self._seen.setdefault(change.second, {})[change.key] = seen
        self._known.update(look.fingerprints)
        self._appends = look.appends
        horizon_s = self._looked_s - REMEMBERED_S
        for second in [s for s in self._seen if s < horizon_s]:
            del self._seen[second]

    def went_back(self) -> None:
        """Remove the hour that ``go_back`` returned from the unread hours."""
        if self._hours:
            self._hours.pop()

    @property
    def slices(self) -> Slices:
        """The slices whose changes are read."""
        return self._slices

    @property
    def reached_s(self) -> int:
        """The second before which everything has been read."""
        return self._hours[-1][0] if self._hours else self._clock_s

    @property
    def reached(self) -> Mapping[int, int]:
        """For each slice without unread hours, the second before which everything has been read."""
        left = frozenset[int]().union(*(slices or () for _, slices in self._hours))
        return dict.fromkeys((self._slices or frozenset()) - left, self._clock_s)

    def _begin(self, slices: Slices, clock_s: int) -> Look:
        mark = self._progress.read_watermark(slices)
        if mark > clock_s + LOOK_BACK_S:  # the store's clock was set back: the watermark is useless
            mark = 0
        hours = self._progress.inserted(max(mark - SWEEP_BACK_S, 0), HOUR_S)
        look = Look(self._progress.unfinished(slices), {})
        # Set last, because after a failed query the next call may be for other slices.
        left = {*self._hours, *((hour, slices) for hour in hours)}
        self._hours = sorted(left, key=itemgetter(0), reverse=True)
        return look

    def _read(self, since_s: int) -> Look:
        known = {s: mark for s, mark in self._known.items() if s >= since_s}
        recent = self._progress.changes_since(since_s, known, self._slices)
        forgotten = {s for s in recent.fingerprints if s in known and s not in self._seen}
        read = [change for change in recent.changes if change.second not in forgotten]
        news = [new for change in read if (new := self._new_part(change)) is not None]
        for second in sorted(forgotten):
            news += self._progress.unextracted(second, second + 1, self._slices)
        return Look(news, recent.fingerprints, read)

    def _new_part(self, change: TraceChange) -> TraceChange | None:
        """Return a change reduced to its new spans, or ``None`` if all were seen before."""
        seen = self._seen.get(change.second, {}).get(change.key, (0, 0))
        if seen == (change.span_count, len(change.requests)):
            return None
        return replace(change, span_count=max(change.span_count - seen[0], 0))

    def _set_clock(self, now_ns: int) -> None:
        self._clock_s = self._progress.clock()
        self._set_ns = now_ns

    def _time(self, now_ns: int) -> int:
        """Return the store's time in s: the time last read, plus the time that passed since."""
        return self._clock_s + (now_ns - self._set_ns) // NS
