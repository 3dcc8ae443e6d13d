"""What the store took in, second by second of its own clock.

The store names each second in which it stored something with a fingerprint of what it holds.
A look reads those of the last seconds whose fingerprint is another than before, in one question.
A sweep asks for a longer time: an INSERT that took long becomes visible in a second long past.
What senders and collectors say of time plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.extractor.readiness import NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import ChangeReader, TraceChange

LOOK_BACK_S = 10
"""How far behind the last look every look reads again."""
SWEEP_BACK_S = LONGEST_APPEND_S + 300
"""How far back a sweep reads, and a new beginning behind the watermark: longer than any INSERT."""
REMEMBERED_S = 60
"""For how long it is known what each trace got in a second; later, the store is asked."""
HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found; it counts once it was accepted."""

    changes: Sequence[TraceChange]
    fingerprints: Mapping[int, int]
    read: Sequence[TraceChange] = ()
    """All that the seconds hold that were read again, known or not."""
    appends: int | None = None
    """How many appends had ended before, if that can be told."""


class ChangeWindow:
    """The changes of the last quarter of an hour, and what is left of the time before."""

    def __init__(self, progress: ChangeReader) -> None:
        """Start with nothing known."""
        self._progress = progress
        self._known: dict[int, int] = {}
        self._seen: dict[int, dict[TraceKey, int]] = {}
        self._hours: list[int] = []
        self._clock_s = self._set_ns = self._looked_s = 0
        self._appends: int | None = None

    def begin(self, now_ns: int) -> Look:
        """Set the clock; what came since the watermark is left to ``go_back``."""
        self._set_clock(now_ns)
        mark = self._progress.read_watermark()
        if mark > self._clock_s:  # the store's clock was set back: the mark tells nothing
            mark = 0
        recent = self._progress.inserted(self._clock_s - SWEEP_BACK_S)
        hours = self._progress.inserted(max(mark - SWEEP_BACK_S, 0), HOUR_S)
        self._hours = sorted(hours, reverse=True)
        self._known = dict(recent)
        return Look(self._progress.unfinished(), {})

    def look(self, now_ns: int) -> Look:
        """Read what changed in the last seconds; the store is not asked if it took nothing in."""
        appends = self._progress.appends()
        if appends is not None and appends == self._appends:
            return Look((), {}, appends=appends)
        found = self._read(min(self._looked_s, self._time(now_ns)) - LOOK_BACK_S)
        return replace(found, appends=appends)

    def sweep(self, now_ns: int) -> Look:
        """Set the clock and read what changed in the quarter of an hour before the last look."""
        looked_s = self._looked_s
        self._set_clock(now_ns)
        since_s = min(looked_s, self._clock_s) - SWEEP_BACK_S
        self._known = {s: mark for s, mark in self._known.items() if s >= since_s}
        found = self._progress.inserted(since_s)
        changed = [s for s, mark in found.items() if self._known.get(s) != mark]
        return self._read(min(changed)) if changed else Look((), {})

    def go_back(self) -> Look:
        """Compare one hour of the time before the beginning with what is extracted of it."""
        if not self._hours:
            return Look((), {})
        hour = self._hours[-1]
        return Look(self._progress.unextracted(hour, hour + HOUR_S), {})

    def accept(self, look: Look, now_ns: int) -> None:
        """Take what was found as known."""
        self._looked_s = self._time(now_ns)
        for change in look.read:
            self._seen.setdefault(change.second, {})[change.key] = change.span_count
        self._known.update(look.fingerprints)
        self._appends = look.appends
        horizon_s = self._looked_s - REMEMBERED_S
        for second in [s for s in self._seen if s < horizon_s]:
            del self._seen[second]

    def went_back(self) -> None:
        """Take the hour that ``go_back`` read as known."""
        if self._hours:
            self._hours.pop()

    @property
    def reached_s(self) -> int:
        """The second before which everything was read."""
        return self._hours[-1] if self._hours else self._clock_s

    def _read(self, since_s: int) -> Look:
        known = {s: mark for s, mark in self._known.items() if s >= since_s}
        found = self._progress.changes_since(since_s, known)
        forgotten = {s for s in found.fingerprints if s in known and s not in self._seen}
        read = [change for change in found.changes if change.second not in forgotten]
        news = [new for change in read if (new := self._news_of(change)) is not None]
        for second in sorted(forgotten):
            news += self._progress.unextracted(second, second + 1)
        return Look(news, found.fingerprints, read)

    def _news_of(self, change: TraceChange) -> TraceChange | None:
        """Return the change with what is new of it, or ``None`` if all was seen before."""
        seen = self._seen.get(change.second, {}).get(change.key, 0)
        if seen == change.span_count:
            return None
        return replace(change, span_count=max(change.span_count - seen, 0))

    def _set_clock(self, now_ns: int) -> None:
        self._clock_s = self._progress.clock()
        self._set_ns = now_ns

    def _time(self, now_ns: int) -> int:
        """Return the store's time: a process's own clock may be another, but it goes as fast."""
        return self._clock_s + (now_ns - self._set_ns) // NS
