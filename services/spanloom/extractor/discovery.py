"""Finds traces that must be built, and tracks them until they are built.

``window.py`` finds changes by reading the latest seconds of the store's clock. The traces that wait
to be built are in a table in memory. A trace leaves the table only when a stored build has read all
arrived spans, including the spans of every change that was found, in whatever order they became
visible. The watermark is a second of the store's clock: the traces of all earlier changes have been
extracted, or are stored as unfinished, so a new extractor starts to read there.

Each sweep also takes 1 / 256 of all traces, of any age, and compares their requests with their
stored progress, so correctness does not depend on how long an INSERT takes to become visible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import ALL, NONE, covers, hold_all
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
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.progress import Progress, TraceChange
    from spanloom.core.ports.store import ProgressStore
    from spanloom.core.sharing import Slices
    from spanloom.extractor.window import Look

MANY_WAITING = 50_000
"""With this many waiting traces, changes from before the start are not read for the moment."""
SHARES = 256
"""Number of shares into which all traces are divided; each sweep checks the traces of one share.

The first two hex digits of a trace id determine its share.
"""
MANY_MISSES = 3
"""After this many incomplete builds, the store is searched for the missing spans."""


class Outcome(NamedTuple):
    """The outcome of building a trace."""

    seq: int
    """The newest sequence that the build read."""
    status: Status
    is_stored: bool
    """Whether the build read all arrived spans, and the stored build has these spans or more."""
    seen: AbstractSet[tuple[int, int]]
    """Sequence and number of spans of each request that had arrived."""


class Discovery:
    """The traces that wait to be built."""

    def __init__(
        self, progress: ProgressStore, timing: Timing, held: Callable[[], Slices] = hold_all
    ) -> None:
        """Start without waiting traces; the first ``look`` begins at the watermark.

        ``held`` returns the slices whose traces this process builds.
        """
        self._progress = progress
        self._timing = timing
        self._held = held
        self._slices: Slices = ALL
        self.arrived = 0
        """The number of spans that arrived since the start; spans sent again count again."""
        self._window = ChangeWindow(progress)
        self._swept_ns: int | None = None
        self._share = 0
        self._pending: dict[TraceKey, PendingTrace] = {}

    def __len__(self) -> int:
        """Return the number of waiting traces."""
        return len(self._pending)

    def look(self, now: Moment) -> None:
        """Add the trace of every change since the last look to the waiting traces."""
        held = self._held()
        if self._swept_ns is None:
            if held == NONE:
                return  # the slices of this process are still unknown
            self._accept(self._window.begin(now.ns, held), now)
            self._slices, self._swept_ns = held, now.ns
        else:
            self._claim(held, now)
            self._look_again(now, self._swept_ns)
        if len(self._pending) < MANY_WAITING:
            self._recall(self._window.go_back(), now)
            self._window.went_back()
        self._forget_removed(now.ns)

    def due(self, now_ns: int) -> Sequence[tuple[PendingTrace, Status]]:
        """Return the traces to build now; traces that have been quiet for longest come first."""
        ready = [
            (trace, status)
            for trace in self._pending.values()
            if (status := next_status(trace, now_ns, self._timing)) is not None
        ]
        return sorted(ready, key=lambda item: item[0].last_ns)

    def built(self, trace: PendingTrace, outcome: Outcome, now_ns: int) -> None:
        """Record that a trace was built."""
        if trace.attempts:  # the cause may be fixed for other traces too
            self._retry_all(now_ns)
        trace.attempts = trace.retry_ns = trace.failed_ns = 0
        trace.built_seq = max(trace.built_seq, outcome.seq)
        if outcome.is_stored:
            trace.known -= outcome.seen
        is_enough = outcome.is_stored and not trace.known
        if outcome.status is Status.LIVE:
            trace.live_builds += 1
            trace.built_ns = now_ns
        if not is_enough:
            trace.note_miss(now_ns)
        elif outcome.status is Status.LIVE:
            trace.misses = 0
            trace.built_spans = trace.span_count
            trace.since_s = 0  # stored as live, so that a restart finds the trace
        else:
            self._pending.pop(trace.key, None)

    def settles_ns(self) -> int | None:
        """Return when the next waiting trace settles, in ns on ``Moment``'s clock, or ``None``."""
        times = (settles_ns(trace, self._timing) for trace in self._pending.values())
        return min(times, default=None)

    @property
    def uncovered(self) -> int:
        """Number of waiting traces whose last build could not read all arrived spans."""
        return sum(1 for trace in self._pending.values() if trace.misses)

    @property
    def quarantined(self) -> int:
        """Number of waiting traces whose last attempt failed."""
        return sum(1 for trace in self._pending.values() if trace.attempts)

    def revisit(self, keys: Sequence[TraceKey], now_ns: int, sizes: Mapping[TraceKey, int]) -> None:
        """Make extracted traces due again, because another trace affects their trajectories.

        Traces in other processes' slices are ignored; those processes read the stored request to
        revisit. If a run has several traces, its home trace waits in proportion to the spans of the
        run (``sizes``), and its build is charged that number of spans in ``Budget``.
        """
        new = [key for key in keys if key not in self._pending and covers(self._slices, key)]
        known = self._progress.read_progress(new) if new else {}
        for key in new:
            spans = sizes.get(key, 0)
            self._pending[key] = PendingTrace(
                key,
                set(),
                now_ns,
                0,
                has_root=True,
                span_count=spans,
                retry_ns=now_ns + build_wait_ns(spans, self._timing),
                built_seq=known[key].seq if key in known else 0,
                is_built=True,
            )

    def _compare_a_share(self, now: Moment) -> None:
        """Add the traces in the next of the ``SHARES`` that need a build and do not wait yet."""
        if len(self._pending) < MANY_WAITING:
            begins_with = f"{self._share % SHARES:02x}"
            found = self._progress.overlooked(begins_with, self._slices)
            self._take([c for c in found if c.key not in self._pending], now)
            self._share += 1

    def _forget_removed(self, now_ns: int) -> None:
        """Stop waiting for requests that retention or a deletion has removed from the store."""
        missing = {
            (trace.key, *request)
            for trace in self._pending.values()
            if trace.misses >= MANY_MISSES and trace.known and trace.retry_ns <= now_ns
            for request in trace.known
        }
        for key, *request in missing - self._progress.present(missing) if missing else ():
            self._pending[key].known.discard((request[0], request[1]))

    def _retry_all(self, now_ns: int) -> None:
        for trace in self._pending.values():
            if trace.attempts:
                trace.retry_ns = now_ns

    def _look_again(self, now: Moment, swept_ns: int) -> None:
        if now.ns - swept_ns >= self._timing.sweep_s * NS:
            self._accept(self._window.sweep(now.ns), now)
            self._compare_a_share(now)
            self._swept_ns = now.ns
            self._record_watermark()
        else:
            self._accept(self._window.look(now.ns), now)

    def _claim(self, held: Slices, now: Moment) -> None:
        """Take over the slices gained since the last look, and drop the lost slices."""
        lost = moved(self._window.slices, held).lost
        if lost:
            self._window.lose(lost)
            for key in lost_traces(self._pending, lost):
                del self._pending[key]
            self._slices = frozenset(self._slices or ()) - lost
        gained = moved(self._slices, held).gained
        if gained:
            self._recall(self._window.gain(gained, now.ns), now)
        self._slices = held  # last, so that a failure is tried again

    def _record_watermark(self) -> None:
        if self._slices is None:
            self._progress.record_watermark(self._watermark())
        elif marks := slice_watermarks(self._window.reached, self._pending):
            self._progress.record_watermarks(marks)

    def _watermark(self) -> int:
        """Return the second before which all changes are extracted or recorded as unfinished."""
        waiting = [trace.since_s for trace in self._pending.values() if trace.since_s]
        return min([self._window.reached_s, *waiting])

    def _accept(self, look: Look, now: Moment) -> None:
        self._take(look.changes, now)
        self._window.accept(look, now.ns)

    def _recall(self, look: Look, now: Moment) -> None:
        """Add the traces of changes from before the start; traces that already wait are updated."""
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
                self._pending[change.key] = self._begin(change, known.get(change.key), now)

    def _begin(self, change: TraceChange, known: Progress | None, now: Moment) -> PendingTrace:
        trace = _begin(change, known, now)
        if known and not change.span_count:  # a request to build again, without new spans
            trace.span_count = known.arrived
            trace.retry_ns = now.ns + build_wait_ns(known.arrived, self._timing)
        return trace


def _begin(change: TraceChange, known: Progress | None, now: Moment) -> PendingTrace:
    had_root = known is not None and known.status in (Status.SETTLED, Status.FAILED)
    return PendingTrace(
        change.key,
        set(change.requests),
        now.accepted(change.first_accepted_ns),
        now.accepted(change.last_accepted_ns),
        change.has_root or had_root,
        now.accepted(change.last_accepted_ns) if change.has_root else 0,
        change.span_count,
        attempts=known.attempts if known else 0,
        built_seq=known.seq if known else 0,
        is_built=known is not None and known.is_finished,
        first_accepted_ns=change.first_accepted_ns,
        since_s=change.second,
    )


def _update(trace: PendingTrace, change: TraceChange, now: Moment) -> None:
    trace.known |= change.requests
    trace.reset_misses(now.ns)
    trace.last_ns = max(trace.last_ns, now.accepted(change.last_accepted_ns))
    if change.has_root and not trace.has_root:
        trace.has_root, trace.root_ns = True, now.accepted(change.last_accepted_ns)
    trace.since_s = trace.since_s or change.second
