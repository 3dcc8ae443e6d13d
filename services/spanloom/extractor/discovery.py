"""Finds traces that have to be built, and keeps them until they are.

A window over the seconds of the store's clock finds changes (``window.py``). A trace leaves the
table only when its build has seen its newest span. The watermark is the second before which
everything is extracted, or stored as unfinished: a new extractor starts there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import ALL, NONE, hold_all
from spanloom.extractor.readiness import (
    NS,
    Moment,
    PendingTrace,
    Timing,
    build_wait_ns,
    next_status,
    settles_ns,
)
from spanloom.extractor.shares import lost_traces, moved, slice_watermarks
from spanloom.extractor.window import ChangeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import Progress, TraceChange
    from spanloom.core.ports.store import ProgressStore
    from spanloom.core.sharing import Slices
    from spanloom.extractor.window import Look

MANY_WAITING = 50_000
"""While so many traces wait, changes from before the start are not read."""


class Discovery:
    """The table of traces that wait to be built."""

    def __init__(
        self, progress: ProgressStore, timing: Timing, held: Callable[[], Slices] = hold_all
    ) -> None:
        """Start with an empty table; the first look begins at the watermark.

        ``held`` returns the slices whose traces are built here: other processes have the others.
        """
        self._progress = progress
        self._timing = timing
        self._held = held
        self._slices: Slices = ALL
        self.arrived = 0
        """How many spans have arrived since the start, repeats included."""
        self._window = ChangeWindow(progress)
        self._swept_ns: int | None = None
        self._pending: dict[TraceKey, PendingTrace] = {}

    def __len__(self) -> int:
        """Return the number of waiting traces."""
        return len(self._pending)

    def look(self, now: Moment) -> None:
        """Add every change since the last look to the table."""
        held = self._held()
        if self._swept_ns is None:
            if held == NONE:
                return  # this process does not know its share yet
            self._accept(self._window.begin(now.ns, held), now)
            self._slices, self._swept_ns = held, now.ns
        else:
            self._claim(held, now)
            self._look_again(now, self._swept_ns)
        if len(self._pending) < MANY_WAITING:
            self._recall(self._window.go_back(), now)
            self._window.went_back()

    def due(self, now_ns: int) -> Sequence[tuple[PendingTrace, Status]]:
        """Return the traces to build now, those without news for longest first."""
        ready = [
            (trace, status)
            for trace in self._pending.values()
            if (status := next_status(trace, now_ns, self._timing)) is not None
        ]
        return sorted(ready, key=lambda item: item[0].last_ns)

    def built(self, trace: PendingTrace, seq: int, status: Status, now_ns: int) -> None:
        """Record that a trace was built from spans up to ``seq``; 0 if there were none."""
        if trace.attempts:  # the cause may be fixed for other traces too
            self._retry_all(now_ns)
        trace.attempts = trace.retry_ns = 0
        trace.built_seq = max(trace.built_seq, seq)
        if status is Status.LIVE:
            trace.live_builds += 1
            trace.built_ns = now_ns
            if seq >= trace.seq:
                trace.built_spans = trace.span_count
                trace.since_s = 0  # stored as live: a restart finds it
        elif seq >= trace.seq:
            self._pending.pop(trace.key, None)
        elif not seq:  # spans not visible yet, or removed by retention
            trace.retry_ns = now_ns + NS

    def settles_ns(self) -> int | None:
        """Return when the next trace settles, in ns of ``Moment``; ``None`` if none waits."""
        times = (settles_ns(trace, self._timing) for trace in self._pending.values())
        return min(times, default=None)

    @property
    def quarantined(self) -> int:
        """Number of waiting traces whose last attempt failed."""
        return sum(1 for trace in self._pending.values() if trace.attempts)

    def revisit(self, keys: Sequence[TraceKey], now_ns: int, sizes: Mapping[TraceKey, int]) -> None:
        """Make extracted traces due again, because another trace changed their meaning.

        One of a run of many traces waits in proportion to the spans of the run (``sizes``).
        """
        for key in keys:
            if key not in self._pending:
                retry_ns = now_ns + build_wait_ns(sizes.get(key, 0), self._timing)
                self._pending[key] = PendingTrace(
                    key, 0, now_ns, 0, has_root=True, retry_ns=retry_ns
                )

    def _retry_all(self, now_ns: int) -> None:
        for trace in self._pending.values():
            if trace.attempts:
                trace.retry_ns = now_ns

    def _look_again(self, now: Moment, swept_ns: int) -> None:
        if now.ns - swept_ns >= self._timing.sweep_s * NS:
            self._accept(self._window.sweep(now.ns), now)
            self._swept_ns = now.ns
            self._record_watermark()
        else:
            self._accept(self._window.look(now.ns), now)

    def _claim(self, held: Slices, now: Moment) -> None:
        """Begin with the slices gained since the last look, and forget the lost ones."""
        gained, lost = moved(self._slices, held)
        if lost:
            self._window.lose(lost)
            for key in lost_traces(self._pending, lost):
                del self._pending[key]
        if gained:
            self._recall(self._window.gain(gained), now)
        self._slices = held

    def _record_watermark(self) -> None:
        if self._slices is None:
            self._progress.record_watermark(self._watermark())
        elif marks := slice_watermarks(self._window.reached, self._pending):
            self._progress.record_watermarks(marks)

    def _watermark(self) -> int:
        """Return the second before which all waiting traces are known to the store."""
        waiting = [trace.since_s for trace in self._pending.values() if trace.since_s]
        return min([self._window.reached_s, *waiting])

    def _accept(self, look: Look, now: Moment) -> None:
        self._take(look.changes, now)
        self._window.accept(look, now.ns)

    def _recall(self, look: Look, now: Moment) -> None:
        """Add changes of the time before the start; waiting traces are only updated."""
        self._take([c for c in look.changes if c.key not in self._pending], now)
        for change in look.changes:
            _update(self._pending[change.key], change, now)

    def _take(self, changes: Sequence[TraceChange], now: Moment) -> None:
        new_keys = [c.key for c in changes if c.key not in self._pending]
        known: Mapping[TraceKey, Progress] = (
            self._progress.read_progress(new_keys) if new_keys else {}
        )
        self.arrived += sum(change.span_count for change in changes)
        for change in changes:
            trace = self._pending.get(change.key)
            if trace is not None:
                trace.span_count += change.span_count
                trace.reset_attempts()
                _update(trace, change, now)
            else:
                self._pending[change.key] = _begin(change, known.get(change.key), now)


def _begin(change: TraceChange, known: Progress | None, now: Moment) -> PendingTrace:
    had_root = known is not None and known.status in (Status.SETTLED, Status.FAILED)
    is_old = known is not None and known.is_finished and change.max_seq <= known.seq
    return PendingTrace(
        change.key,
        change.max_seq,
        now.accepted(change.first_accepted_ns),
        now.accepted(change.last_accepted_ns),
        change.has_root or had_root,
        now.accepted(change.last_accepted_ns) if change.has_root else 0,
        change.span_count,
        attempts=known.attempts if known else 0,
        # A build cannot know that it has seen an old sequence; wait until the INSERT is over.
        retry_ns=now.ns + NS if is_old else 0,
        built_seq=known.seq if known else 0,
        is_built=known is not None and known.is_finished,
        first_accepted_ns=change.first_accepted_ns,
        since_s=change.second,
    )


def _update(trace: PendingTrace, change: TraceChange, now: Moment) -> None:
    trace.seq = max(trace.seq, change.max_seq)
    trace.last_ns = max(trace.last_ns, now.accepted(change.last_accepted_ns))
    if change.has_root and not trace.has_root:
        trace.has_root, trace.root_ns = True, now.accepted(change.last_accepted_ns)
    trace.since_s = trace.since_s or change.second
