"""Which traces changed: a cursor that is fast, and a sweep that cannot miss.

The cursor follows the sequence numbers of stored requests. It may run ahead of an INSERT whose
parts become visible one by one, or of another collector that drains an old spool; so it looks
back a little each time, and a sweep compares all traces with their progress at the start and
every minute. A trace leaves the table only when its build has seen its newest span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Status
from spanloom.extractor.readiness import NS, PendingTrace, Timing, next_status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import ChangeReader, Progress, TraceChange

LOOK_BACK_US = 5_000_000
"""Sequence numbers are microseconds: how far behind the cursor changes are read again."""


class Discovery:
    """The traces that wait to be built."""

    def __init__(self, store: ChangeReader, timing: Timing) -> None:
        """Start with nothing known: the first look is a sweep."""
        self._store = store
        self._timing = timing
        self._cursor = 0
        self._swept_ns: int | None = None
        self._pending: dict[TraceKey, PendingTrace] = {}
        self._done: dict[TraceKey, int] = {}

    def __len__(self) -> int:
        """Give how many traces wait."""
        return len(self._pending)

    def look(self, now_ns: int) -> None:
        """Take in every change since the last look."""
        if self._swept_ns is None or now_ns - self._swept_ns >= self._timing.sweep_s * NS:
            changes = self._store.unextracted()
            self._swept_ns = now_ns
            self._take(changes, self._known_of(changes))
        else:
            changes = self._store.changes_since(max(self._cursor - LOOK_BACK_US, 0))
            self._admit(changes)
        self._cursor = max([self._cursor, *(c.max_seq for c in changes)])
        self._forget_old()

    def due(self, now_ns: int) -> Sequence[tuple[PendingTrace, Status]]:
        """Give the traces to build now, those that waited longest first."""
        ready = [
            (trace, status)
            for trace in self._pending.values()
            if (status := next_status(trace, now_ns, self._timing)) is not None
        ]
        return sorted(ready, key=lambda item: item[0].last_ns)

    def built(self, trace: PendingTrace, seq: int, status: Status, now_ns: int) -> None:
        """Note that the trace was built from spans up to ``seq``; 0 if there were none."""
        trace.attempts = trace.retry_ns = 0
        if status is Status.LIVE:
            trace.live_builds += 1
            trace.built_ns = now_ns
        elif seq >= trace.seq:
            self._done[trace.key] = seq
            self._pending.pop(trace.key, None)
        elif not seq:  # not visible yet, or retention took them
            trace.retry_ns = now_ns + NS

    def failed(self, trace: PendingTrace, retry_ns: int) -> None:
        """Note that the trace could not be built, and when to try again."""
        trace.attempts += 1
        trace.retry_ns = retry_ns

    def revisit(self, keys: Sequence[TraceKey], now_ns: int) -> None:
        """Make extracted traces due again: something elsewhere changed what they mean."""
        for key in keys:
            if key not in self._pending:
                self._pending[key] = PendingTrace(key, 0, now_ns, 0, has_root=True)

    def _admit(self, changes: Sequence[TraceChange]) -> None:
        """Take in what the cursor found, which the look back has mostly found before."""
        news = [c for c in changes if c.max_seq > self._done.get(c.key, -1)]
        known = self._known_of(news)
        self._take([c for c in news if c.key in self._pending or _is_news(c, known)], known)

    def _known_of(self, changes: Sequence[TraceChange]) -> Mapping[TraceKey, Progress]:
        """Give the progress of the traces that do not wait yet."""
        strangers = [c.key for c in changes if c.key not in self._pending]
        return self._store.read_progress(strangers) if strangers else {}

    def _take(self, changes: Sequence[TraceChange], known: Mapping[TraceKey, Progress]) -> None:
        for change in changes:
            trace = self._pending.get(change.key)
            if trace is not None:
                _update(trace, change)
            else:
                self._pending[change.key] = _begin(change, known.get(change.key))

    def _forget_old(self) -> None:
        """Forget finished traces that the look back no longer reaches."""
        reach = self._cursor - LOOK_BACK_US
        if len(self._done) > 2 * len(self._pending) + 10_000:
            self._done = {key: seq for key, seq in self._done.items() if seq >= reach}


def _is_news(change: TraceChange, progress: Mapping[TraceKey, Progress]) -> bool:
    known = progress.get(change.key)
    return known is None or known.seq < change.max_seq or known.status is Status.LIVE


def _begin(change: TraceChange, known: Progress | None) -> PendingTrace:
    had_root = known is not None and known.status is Status.SETTLED
    return PendingTrace(
        change.key,
        change.max_seq,
        change.first_accepted_ns,
        change.last_accepted_ns,
        change.has_root or had_root,
        change.span_count,
        attempts=known.attempts if known else 0,
    )


def _update(trace: PendingTrace, change: TraceChange) -> None:
    if change.max_seq > trace.seq:
        trace.span_count += change.span_count
    trace.seq = max(trace.seq, change.max_seq)
    trace.last_ns = max(trace.last_ns, change.last_accepted_ns)
    trace.has_root = trace.has_root or change.has_root
