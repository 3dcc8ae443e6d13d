"""Logs what is received: a summary every minute, and refused spans at once.

Also logs once if nothing was received in the first minute: a sender that uses HTTP on the gRPC port
causes no other log line (docs/architecture.md, trade-offs).
"""

from __future__ import annotations

import time
from collections import Counter
from threading import Event
from typing import TYPE_CHECKING

from spanloom.access.refusals import OncePerMinute
from spanloom.logs import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.metrics import Metrics

LOOK_S = 1.0
SUMMARY_S = 60.0
log = get_logger("serve")


class Narrator:
    """Reads the metrics and writes log lines; a ``Part``."""

    name = "narrator"

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        """Count from the current values of the metrics."""
        self._metrics = metrics
        self._clock = clock
        self._summed_at = clock()
        self._spans, self._runs = _spans(metrics), _runs(metrics)
        self._refused = _refused(metrics)
        self._warnings = OncePerMinute[str](clock)
        self._is_expecting = True
        self._stopping = Event()
        self._thread = WatchedThread("narrator", self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, grace_s: float = 1.0) -> None:
        """Stop without a last summary."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)

    def look(self) -> None:
        """Write the log lines that are due."""
        now = self._clock()
        self._warn_refused()
        if now - self._summed_at >= SUMMARY_S:
            self._summed_at = now
            self._summarise()

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_S):
            self.look()

    def _warn_refused(self) -> None:
        for rule, count in (_refused(self._metrics) - self._refused).items():
            if self._warnings.due(rule):
                self._refused[rule] += count
                log.warning(
                    "spans are refused",
                    rule=rule,
                    spans=count,
                    why="the response to the sender says",
                )

    def _summarise(self) -> None:
        spans, runs = _spans(self._metrics), _runs(self._metrics)
        if spans > self._spans:
            log.info("in the last minute", spans=spans - self._spans, runs=runs - self._runs)
        elif self._is_expecting:
            log.info(
                "no spans have come yet",
                todo="`spanloom doctor`, where agents are started, says where they send to",
            )
        self._is_expecting = False
        self._spans, self._runs = spans, runs


def _spans(metrics: Metrics) -> int:
    return int(metrics.registry.get_sample_value("spanloom_spans_accepted_total") or 0)


def _runs(metrics: Metrics) -> int:
    """Return the number of written trajectory versions."""
    name, written = "spanloom_extractions_total", {"result": "written"}
    return int(metrics.registry.get_sample_value(name, written) or 0)


def _refused(metrics: Metrics) -> Counter[str]:
    [family] = metrics.spans_rejected.collect()
    samples = (s for s in family.samples if s.name.endswith("_total"))
    return Counter({sample.labels["rule"]: int(sample.value) for sample in samples})
