"""Decides when a trace is built: as soon as it may be complete, and regularly while it grows.

Spans are exported when they end, so the root tends to arrive last: a trace is settled if it has a
root and no span has arrived for a short time. If it has no root, that time is longer. No trace is
ever closed; a late span makes its trace due again.

A live run is built soon after its first spans, and again when it has grown by a quarter, in spans
or in age. So the number of builds grows with the logarithms of the run's size and age, not with the
number of exports. A large run that grows fast waits longer, because building it takes seconds, and
by then thousands of new spans, often including the root, have made the result outdated.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanloom.core.model.span import TraceKey  # noqa: TC001  # a field of a public dataclass
from spanloom.core.model.trajectory import Status

NS = 1_000_000_000
MAX_ATTEMPTS = 5
"""Maximum attempts to build a trace; if the last fails too, a trajectory shows the error."""
GROWN_BY = 4
"""A live trace is built again when its size or age has grown by 1 / ``GROWN_BY``, a quarter."""
A_SPAN_NS = 100_000
"""Estimated time to build a trace, per span, in ns."""
IDLE_SHARE = 4
"""A constantly growing trace waits at least this many times the estimated duration of its build."""
MISSED_S = 0.2
"""Wait in seconds after an incomplete build; doubles with each further one, up to a minute."""
MAX_MISSED_S = 60.0
MAX_DOUBLINGS = 30
"""Maximum number of doublings of a wait, because a trace may grow for days."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The waiting times of the extractor, in seconds."""

    root_quiet_s: float = 0.5
    no_root_quiet_s: float = 60.0
    growing_first_s: float = 1.0
    growing_max_s: float = 30.0
    poll_s: float = 1.0
    """Time between looks for changes; ``AFTER_FEW`` times as long if the last look found few."""
    sweep_s: float = 60.0
    """Time between sweeps, which read the changes of the last quarter of an hour again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time on a monotonic clock such as ``time.monotonic_ns``, in ns.

    Collectors record the wall-clock time at which they accept a span. If the wall clock is set back
    afterwards, that time is in the future, so wall-clock times are only used to compute ages.
    """

    ns: int
    ahead_ns: int = 0
    """How far, in ns, the wall clock is ahead of the monotonic clock at this moment."""

    def accepted(self, wall_ns: int) -> int:
        """Convert a wall-clock time in ns to a time on the monotonic clock, not later than now."""
        return min(wall_ns - self.ahead_ns, self.ns)


@dataclass(slots=True)
class PendingTrace:
    """A trace whose trajectory does not show all spans yet, or that is still growing."""

    key: TraceKey
    known: set[tuple[int, int]]
    """The requests that a build must have read: sequence and number of spans of each."""
    first_ns: int
    last_ns: int
    """Time at which its newest span was accepted; like all times here, on ``Moment``'s clock."""
    has_root: bool
    root_ns: int = 0
    """Time at which the change with its root was accepted; 0 before that, or if unknown."""
    span_count: int = 0
    live_builds: int = 0
    built_ns: int = 0
    built_spans: int = 0
    """The span count at its last live build."""
    attempts: int = 0
    """Consecutive failed attempts since the newest span."""
    retry_ns: int = 0
    failed_ns: int = 0
    """Time of the last failed attempt; 0 after a successful one."""
    misses: int = 0
    """Consecutive builds that could not read all arrived spans."""
    built_seq: int = 0
    """The newest sequence in an earlier build, by this or another process."""
    is_built: bool = False
    """Whether a finished build was stored before the changes that wait to be built."""
    first_accepted_ns: int = 0
    """Time at which its first span was accepted, by the collector's wall clock; for display."""
    since_s: int = 0
    """The second, on the store's clock, of the first change that stored progress does not cover.

    0 if the store has recorded the trace as unfinished.
    """

    @property
    def has_failed(self) -> bool:
        """Whether its last build failed, even if new spans have arrived since."""
        return bool(self.attempts or self.failed_ns)

    def note_failure(self, now_ns: int) -> None:
        """Record a failed attempt, and the time to retry."""
        self.attempts += 1
        self.failed_ns = now_ns
        self.since_s = 0  # stored as failed, so that a restart finds the trace
        self.retry_ns = now_ns + int(retry_delay_s(self.attempts) * NS)

    def note_miss(self, now_ns: int) -> None:
        """Record an incomplete build, and the time to try again."""
        wait_s = min(MISSED_S * (1 << min(self.misses, MAX_DOUBLINGS)), MAX_MISSED_S)
        self.misses += 1
        self.retry_ns = now_ns + int(wait_s * NS)

    def reset_misses(self, now_ns: int) -> None:
        """Reset the wait to its minimum, because new changes may include the missed spans."""
        if self.misses:
            self.misses = 0
            self.retry_ns = min(self.retry_ns, now_ns + int(MISSED_S * NS))

    def reset_attempts(self) -> None:
        """Reset the number of failed attempts, because new spans have arrived.

        The first retry delay still applies, so that a constantly growing trace is not retried with
        every arrival.
        """
        if self.attempts:
            self.attempts = 0
            self.retry_ns = min(self.retry_ns, self.failed_ns + int(retry_delay_s(1) * NS))


def next_status(trace: PendingTrace, now_ns: int, timing: Timing) -> Status | None:
    """Return the status with which the trace must be built now; ``None`` if it has to wait.

    ``FAILED`` means that this is the last attempt.
    """
    if now_ns < trace.retry_ns:
        return None
    if trace.attempts >= MAX_ATTEMPTS - 1:
        return Status.FAILED
    quiet_ns = now_ns - trace.last_ns
    if trace.has_root and quiet_ns >= timing.root_quiet_s * NS:
        return Status.SETTLED
    if not trace.has_root and quiet_ns >= timing.no_root_quiet_s * NS:
        return Status.PARTIAL
    is_due = (
        _has_waited(trace, now_ns, timing)
        and _has_grown(trace, now_ns)
        and _is_worth_building(trace, now_ns, timing)
    )
    return Status.LIVE if is_due else None


def settles_ns(trace: PendingTrace, timing: Timing) -> int:
    """Return when the trace settles if no spans arrive, in ns on the clock of ``Moment``."""
    quiet_s = timing.root_quiet_s if trace.has_root else timing.no_root_quiet_s
    return max(trace.last_ns + int(quiet_s * NS), trace.retry_ns)


def _has_waited(trace: PendingTrace, now_ns: int, timing: Timing) -> bool:
    """Return whether enough time has passed since the last live build.

    A run whose root has just arrived is about to settle, so its live builds pause until then.
    """
    if trace.has_root and now_ns - trace.root_ns < 2 * timing.root_quiet_s * NS:
        return False
    doublings = min(trace.live_builds, MAX_DOUBLINGS)
    wait_s = min(timing.growing_first_s * (1 << doublings), timing.growing_max_s)
    return now_ns - (trace.built_ns or trace.first_ns) >= wait_s * NS


def _has_grown(trace: PendingTrace, now_ns: int) -> bool:
    """Return whether the trace has grown enough, in spans or age, to be built again."""
    if not trace.live_builds:
        return True
    more = trace.span_count - trace.built_spans
    is_larger = more * GROWN_BY >= trace.built_spans
    is_older = (now_ns - trace.built_ns) * GROWN_BY >= trace.built_ns - trace.first_ns
    return more > 0 and (is_larger or is_older)


def _is_worth_building(trace: PendingTrace, now_ns: int, timing: Timing) -> bool:
    """Return whether the last build was long enough ago in proportion to its estimated duration.

    Only traces with thousands of spans are delayed by this condition.
    """
    wait_ns = build_wait_ns(trace.span_count, timing)
    return now_ns - (trace.built_ns or trace.first_ns) >= wait_ns


def build_wait_ns(span_count: int, timing: Timing) -> int:
    """Return the time in ns that a trace of this size waits until it is built again."""
    return min(span_count * A_SPAN_NS * IDLE_SHARE, int(timing.growing_max_s * NS))


def retry_delay_s(attempts: int) -> float:
    """Return the seconds to wait after a failed build: one minute, doubling up to an hour."""
    return float(min(60 * 2 ** max(attempts - 1, 0), 3600))
