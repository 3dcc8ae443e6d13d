"""Runs replays in small steps, so that arriving spans do not wait.

A replay's request and progress are in the store, so the replay continues after a restart or a
crash, and repeats at most one step. Discovery's progress is not changed: a trace that changes
during the replay is built from its spans as usual. On a server a replay is divided into parts, one
per slice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import hold_all
from spanloom.extractor.batch import BuildRequest
from spanloom.extractor.readiness import NS
from spanloom.extractor.result import BatchResult
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Replay, StoredTrace
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.ports.store import ReplayingStore
    from spanloom.core.sharing import Slices
    from spanloom.extractor.batch import Builder
    from spanloom.metrics import Metrics

MAX_TRACES = 200
MAX_SPANS = 4_000
"""Maximum number of traces, and of spans, in one step, which takes a fraction of a second."""
AHEAD = 4_000
"""Number of traces read from the store at once."""
TRIES = 3
"""Maximum number of attempts for a trace if other builds of the same spans are stored first."""
LOOK_S = 2.0
"""Seconds between queries for new replays while there are none."""
log = get_logger("extractor")


class Replayer:
    """Runs the replays of one store, oldest first."""

    def __init__(
        self,
        store: ReplayingStore,
        metrics: Metrics,
        clock: Callable[[], int],
        builder: Builder,
        held: Callable[[], Slices] = hold_all,
    ) -> None:
        """Run the store's replays with a builder; ``clock`` is monotonic, in ns.

        ``held`` returns the numbers of the parts of a replay that this process runs, if several
        processes share the replays.
        """
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._builder = builder
        self._held = held
        self._look_ns = 0
        self._ahead: Sequence[StoredTrace] = ()
        self._ahead_of: tuple[str, int | None, TraceKey] | None = None
        self._under_way: tuple[str, int | None] | None = None

    def step(self) -> Replay | None:
        """Run a step of the oldest unfinished replay and return it; ``None`` if there is none."""
        if self._clock() < self._look_ns:
            return None
        for replay in self._store.replays.unfinished(Reach.ALL):
            held = self._held()
            parts = self._unfinished_parts(replay)
            own = [p for p in parts if held is None or p.part is None or p.part in held]
            if own:
                return self._run_piece(own[0])
        self._look_ns = self._clock() + int(LOOK_S * NS)
        return None

    def go_on(self, replay: Replay) -> Replay:
        """Run one step of a replay, and return the progress of the whole replay.

        If a replay has several parts, run the last of them, because extractors begin with the
        first.
        """
        if parts := self._unfinished_parts(replay):
            reached = self._run_piece(parts[-1])
            if reached.part is None:
                return reached
        return self._store.replays.get(replay.id, Reach.ALL) or replay

    def _unfinished_parts(self, replay: Replay) -> Sequence[Replay]:
        """Return the unfinished parts of a replay; if there are none, record it as finished."""
        parts = [p for p in self._store.replays.parts(replay) if not p.is_finished]
        if not parts:
            self._store.replays.finish(replay)
        return parts

    def _run_piece(self, replay: Replay) -> Replay:
        """Run one step of a replay, or of a part of a replay, and record the progress."""
        piece = self._next(replay)
        is_first, self._under_way = (replay.id, replay.part) != self._under_way, None
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
        self._under_way = (replay.id, replay.part)
        return reached

    def _next(self, replay: Replay) -> Sequence[StoredTrace]:
        """Return the traces of the next step, from many keys read at once to save queries."""
        if not self._ahead or self._ahead_of != (replay.id, replay.part, replay.after):
            self._ahead = self._store.replays.traces_after(
                replay.selection, replay.after, AHEAD, replay.part
            )
        piece = _cut(self._ahead[:MAX_TRACES])
        self._ahead = self._ahead[len(piece) :]
        self._ahead_of = (replay.id, replay.part, piece[-1].key) if piece else None
        return piece

    def _build(self, piece: Sequence[StoredTrace], *, is_first: bool) -> tuple[int, int]:
        """Build the traces of a step again; return how many were written and how many failed.

        Live traces are skipped, because they are built soon anyway, and could have settled since.
        In the first step after a start or an error (``is_first``), trajectories that an earlier
        attempt may have stored without announcing them are announced.
        """
        settled = {t.key: _build_status(t.status) for t in piece if t.status is not Status.LIVE}
        result = self._built(settled)
        stored = dict(result.stored)
        for key, error in result.failures.items():
            log.error("a trace could not be replayed", trace_id=key.trace_id, exc_info=error)
        stored |= self._built_again(result.repeated_elsewhere)
        if is_first:
            self._store.feed.announce_missing(list(stored.values()))
        written, failed = len(result.written), len(result.failures)
        for label, count in (
            ("written", written),
            ("failed", failed),
            ("unchanged", len(piece) - written - failed),
        ):
            self._metrics.traces_replayed.labels(label).inc(count)
        return written, failed

    def _built_again(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Announcement]:
        """Build stored traces that the results of a step affect, and those affected in turn."""
        stored: dict[TraceKey, Announcement] = {}
        seen: set[TraceKey] = set()
        while again := set(keys) - seen:
            result = self._built(dict.fromkeys(sorted(again), Status.SETTLED))
            stored |= result.stored
            seen |= again
            keys = result.repeated_elsewhere
        return stored

    def _built(self, requested: Mapping[TraceKey, Status]) -> BatchResult:
        """Build traces; try again, up to ``TRIES`` times, if another build was stored first."""
        result, left = BatchResult(), requested
        for _ in range(TRIES):
            result.lost = set()
            for built in self._builder.build([BuildRequest(left)]):
                result.add(built.result)
            if not (left := {key: requested[key] for key in result.lost & requested.keys()}):
                break
        self._store.progress.record_revisits(sorted(left))  # extractors build them
        return result


def _cut(traces: Sequence[StoredTrace]) -> Sequence[StoredTrace]:
    """Return the first traces, at least one, with up to ``MAX_SPANS`` spans in total."""
    spans = 0
    for n, trace in enumerate(traces):
        spans += trace.span_count
        if n and spans > MAX_SPANS:
            return traces[:n]
    return traces


def _build_status(status: Status) -> Status:
    """Return the status to build a trace with; without a root the result is partial.

    A failed trace is built with ``FAILED``, so that it shows the error if it fails again; if any
    other trace fails, its stored trajectory stays.
    """
    return status if status is Status.FAILED else Status.SETTLED
