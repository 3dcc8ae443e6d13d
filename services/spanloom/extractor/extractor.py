"""The extraction loop: looks for changes, builds what is due, records progress."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError
from spanloom.core.sharing import covers, hold_all
from spanloom.extractor.batch import BuildRequest, InProcess
from spanloom.extractor.budget import Budget
from spanloom.extractor.discovery import Discovery
from spanloom.extractor.readiness import NS, Moment, Timing
from spanloom.extractor.recording import Recorder
from spanloom.extractor.replay import Replayer
from spanloom.extractor.result import BY_DEFAULT
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.ports.store import ExtractionStore
    from spanloom.core.sharing import Slices
    from spanloom.extractor.batch import Builder
    from spanloom.extractor.recording import Due
    from spanloom.extractor.result import BuildOptions
    from spanloom.metrics import Metrics

MAX_TRACES = 2_000
MAX_SPANS = 20_000
"""Maximum number of traces in a batch, and of their spans as counted by discovery."""
FEW_TRACES = 50
"""Up to this many due traces, a look and its batch cost about as much as for one trace."""
AFTER_FEW = 1.5
"""After a look that found at most ``FEW_TRACES``, the pause is this many times as long."""
MIN_REST_S = 0.02
"""Shortest pause in seconds between looks under load, in which other threads can run."""
UNREAD_S = 60.0
"""After this many seconds without a successful look, ``trouble`` reports the fact."""
RETRYING_S = 1.0
"""After this many seconds of retries of failed traces, a look leaves the others to later looks.

A retry may take ten seconds (``time_limit.py``), in which no new trace is built.
"""
AFTER_A_BUG_S = 5.0
"""Pause in seconds after an unexpected error."""

log = get_logger("extractor")


class Extractor:
    """Updates trajectories when spans arrive; recovers from any crash with the state in the store.

    ``process/supervisor.py`` starts and stops it.
    """

    name = "extractor"

    def __init__(
        self,
        store: ExtractionStore,
        metrics: Metrics,
        timing: Timing,
        clock: Callable[[], int] = time.monotonic_ns,
        options: BuildOptions = BY_DEFAULT,
        wall_clock: Callable[[], int] = time.time_ns,
        builder: Builder | None = None,
        *,
        outage: Outage | None = None,
        held: Callable[[str], Slices] = hold_all,
    ) -> None:
        """Build in this process with ``options``, unless a ``builder`` is passed.

        ``outage`` logs failures of the store.

        ``clock`` is monotonic, in ns; ``wall_clock`` is the collectors' clock (``Moment``).
        ``held`` returns the slices whose traces this process builds (``extract``), and the parts of
        replays that it runs (``replay``).
        """
        self._store = store
        self._outage = outage or Outage()
        self._metrics = metrics
        self._timing = timing
        self._clock = clock
        self._wall_clock = wall_clock
        self._held = partial(held, "extract")
        self._is_sharing = held is not hold_all
        self._looked_ns = clock()
        self._discovery = Discovery(store.progress, timing, self._held)
        self._budget = Budget()
        self._builder = builder or InProcess(store, options)
        self._recorder = Recorder(store, metrics, self._discovery, clock)
        self._replayer = Replayer(store, metrics, clock, self._builder, partial(held, "replay"))
        self._stopping = threading.Event()
        self._thread = WatchedThread("extractor", self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    @property
    def trouble(self) -> str:
        """See ``Troubled``; reports that no look has succeeded for ``UNREAD_S`` seconds.

        Applies only to processes that share the traces. The cause may be that the store or the
        heartbeat hangs, that other processes hold all slices, or that a build takes that long.
        """
        unread_s = (self._clock() - self._looked_ns) / NS
        if not self._is_sharing or unread_s < UNREAD_S:
            return ""
        return f"what arrives in its slices of the traces has not been read for {unread_s:.0f} s"

    def start(self) -> None:
        """Start the loop in a separate thread."""
        self._thread.start()

    def stop(self, grace_s: float = 10.0) -> None:
        """Finish the current batch and end the loop, within ``grace_s`` seconds."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)
        self._builder.close()

    def run_once(self) -> int:
        """Look for changes and build everything that is due; return the number of due traces."""
        now_ns = self._clock()
        self._discovery.look(Moment(now_ns, self._wall_clock() - now_ns))
        if self._held():
            self._looked_ns = now_ns
        due = self._budget.affordable(
            self._discovery.due(self._clock()), self._held(), self._discovery.arrived, now_ns
        )
        traces = {trace.key: trace for trace, _ in due}
        with closing(self._builder.build(self._requests(due))) as building:
            for requested, result in building:
                self._recorder.record(
                    [(traces[key], status) for key, status in requested.items()], result
                )
                if self._stopping.is_set():
                    break
        self._metrics.traces_pending.set(len(self._discovery))
        self._metrics.traces_uncovered.set(self._discovery.uncovered)
        self._metrics.traces_quarantined.set(self._discovery.quarantined)
        return len(due)

    def _run(self) -> None:
        while not self._stopping.is_set():
            rest_s = self._timing.poll_s
            try:
                rest_s = self._work()
            except RetryableError as error:
                self._outage.note(self.name, error)
                rest_s = max(rest_s, error.retry_after_s)
            except Exception:
                log.exception("extraction failed; trying again")
                rest_s = max(rest_s, AFTER_A_BUG_S)
            else:
                self._outage.over(self.name)
            self._stopping.wait(rest_s)

    def _work(self) -> float:
        """Build the due traces and one step of a replay, if any; return the pause in seconds.

        After a step of a replay the pause is as long as the step took, so that half of the time
        remains for arriving spans.
        """
        began = time.monotonic()
        built = self.run_once()
        looked = time.monotonic()
        if not self._stopping.is_set() and self._replayer.step() is not None:
            return time.monotonic() - looked
        self._builder.rest()
        pace_s = self._timing.poll_s * (AFTER_FEW if 0 < built < FEW_TRACES else 1)
        rest_s = pace_s - (looked - began)
        return max(rest_s if built else min(rest_s, self._until_next_s()), MIN_REST_S)

    def _until_next_s(self) -> float:
        """Return the seconds until the next trace settles, so that a single run is built at once.

        Only the pause after a look without builds is shortened. Under steady load each look builds
        all traces that have settled since the last look, so the cost of a look occurs once a
        second, not once per trace.
        """
        settles_ns = self._discovery.settles_ns()
        return inf if settles_ns is None else (settles_ns - self._clock()) / NS

    def _requests(self, due: Sequence[Due]) -> Iterator[BuildRequest]:
        """Yield due traces batch by batch, until the extractor is stopped.

        Some failed traces may be left out, which are then due in the next look.
        """
        until_ns = inf
        for batch in _cut(due):
            if self._stopping.is_set() or self._clock() > until_ns:
                return
            if batch[0][0].has_failed:
                until_ns = min(until_ns, self._clock() + RETRYING_S * NS)
            own = self._own(batch)
            if own:
                requested = {trace.key: status for trace, status in own}
                yield BuildRequest(requested, failed_before=any(t.has_failed for t, _ in own))

    def _own(self, batch: Sequence[Due]) -> Sequence[Due]:
        """Return the traces in slices that this process still holds."""
        held = self._held()
        return [due for due in batch if covers(held, due[0].key)]


def _cut(due: Sequence[Due]) -> Iterator[Sequence[Due]]:
    """Split due traces into batches that fit into memory, in the order of the store's keys.

    The store reads and writes adjacent keys together; in any other order a backlog takes 1.5 times
    as long. Traces that failed before come last, each in a separate batch, in the order in which
    they became due.
    """
    batch: list[Due] = []
    spans = 0
    failed = sorted((item for item in due if item[0].has_failed), key=lambda item: item[0].retry_ns)
    fresh = [item for item in due if not item[0].has_failed]
    for item in sorted(fresh, key=lambda item: item[0].key):
        if batch and (len(batch) >= MAX_TRACES or spans + item[0].span_count > MAX_SPANS):
            yield batch
            batch, spans = [], 0
        batch.append(item)
        spans += item[0].span_count
    if batch:
        yield batch
    yield from ([item] for item in failed)
