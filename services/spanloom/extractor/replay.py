"""Works replays off, a small piece at a time, so that live work is never kept waiting.

What is asked for and how far it came stand in the store: whoever owns the store goes on with it
after a restart or a kill, and repeats one piece at most. Progress of discovery is not touched: a
trace that changes meanwhile is built from its spans like any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.model.tenancy import Reach
from spanloom.core.model.trajectory import Status
from spanloom.extractor.builder import Asked
from spanloom.extractor.readiness import NS
from spanloom.extractor.result import BatchResult
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.replay import Replay, StoredTrace
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import ReplayingStore
    from spanloom.extractor.builder import Builder
    from spanloom.telemetry import Metrics

MAX_TRACES = 200
MAX_SPANS = 4_000
"""A piece ends at this many traces or spans: a fraction of a second."""
AHEAD = 4_000
"""How many traces the store is asked for at once."""
LOOK_S = 2.0
"""How often the store is asked for replays while there are none."""
log = get_logger("extractor")


class Replayer:
    """The replays of one store, oldest first."""

    def __init__(
        self,
        store: ReplayingStore,
        metrics: Metrics,
        clock: Callable[[], int],
        builder: Builder,
    ) -> None:
        """Take the store, a clock in ns that only goes forward, and who builds traces."""
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._builder = builder
        self._look_ns = 0
        self._ahead: Sequence[StoredTrace] = ()
        self._ahead_of: tuple[str, TraceKey] | None = None
        self._under_way = ""

    def step(self) -> Replay | None:
        """Do one piece of the oldest unfinished replay and give it; ``None`` if there is none."""
        if self._clock() < self._look_ns:
            return None
        waiting = self._store.replays.unfinished(Reach.ALL)
        if not waiting:
            self._look_ns = self._clock() + int(LOOK_S * NS)
            return None
        return self.go_on(waiting[0])

    def go_on(self, replay: Replay) -> Replay:
        """Do one piece of this replay, and record how far it came."""
        piece = self._next(replay)
        is_first, self._under_way = replay.id != self._under_way, ""
        written, failed = self._build(piece, is_first=is_first) if piece else (0, 0)
        reached = replace(
            replay,
            step=replay.step + 1,
            done=replay.done + len(piece),
            written=replay.written + written,
            failed=replay.failed + failed,
            after=piece[-1].key if piece else replay.after,
            is_finished=not piece,
        )
        self._store.replays.record(reached)
        self._under_way = replay.id
        return reached

    def _next(self, replay: Replay) -> Sequence[StoredTrace]:
        """Return the next piece; the store is asked for many at once: it reads a table's keys."""
        if not self._ahead or self._ahead_of != (replay.id, replay.after):
            self._ahead = self._store.replays.traces_after(replay.selection, replay.after, AHEAD)
        piece = _cut(self._ahead[:MAX_TRACES])
        self._ahead = self._ahead[len(piece) :]
        self._ahead_of = (replay.id, piece[-1].key) if piece else None
        return piece

    def _build(self, piece: Sequence[StoredTrace], *, is_first: bool) -> tuple[int, int]:
        """Build the traces again; give how many changed, and how many failed.

        Those that are live are left alone: they are built soon, and could have settled since. The
        first piece after a start, or an error, may be stored already, and not announced.
        """
        settled = {t.key: _wanted(t.status) for t in piece if t.status is not Status.LIVE}
        result = self._built(settled)
        stored = dict(result.stored)
        for key, error in result.failures.items():
            log.error("a trace could not be replayed", trace_id=key.trace_id, exc_info=error)
        if result.repeated_elsewhere:
            again = dict.fromkeys(result.repeated_elsewhere, Status.SETTLED)
            stored |= self._built(again).stored
        if is_first:
            self._store.feed.announce(list(stored.values()))
        written, failed = len(result.written), len(result.failures)
        for label, count in (
            ("written", written),
            ("failed", failed),
            ("unchanged", len(piece) - written - failed),
        ):
            self._metrics.traces_replayed.labels(label).inc(count)
        return written, failed

    def _built(self, wanted: Mapping[TraceKey, Status]) -> BatchResult:
        result = BatchResult()
        for built in self._builder.build([Asked(wanted)]):
            result.add(built.result)
        return result


def _cut(traces: Sequence[StoredTrace]) -> Sequence[StoredTrace]:
    """Return the first traces that have few enough spans together, one at least."""
    spans = 0
    for n, trace in enumerate(traces):
        spans += trace.span_count
        if n and spans > MAX_SPANS:
            return traces[:n]
    return traces


def _wanted(status: Status) -> Status:
    """Return what to build a trace as; without a root it comes out partial.

    One that failed before may fail again and says why; any other keeps what is stored then.
    """
    return status if status is Status.FAILED else Status.SETTLED
