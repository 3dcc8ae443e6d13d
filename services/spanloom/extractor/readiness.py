"""When a trace is built: as soon as it can be whole, and now and then while it grows.

Spans are exported when they end, so the root tends to come last: a root and a short quiet time
mean a settled trace. Without a root a long quiet time has to do. Nothing is ever closed: a late
span makes the trace due again.

A run that is still going is shown soon after its first spans, and again when it has grown by a
quarter, in spans or in age. So while it is live it is built as often as the logarithms of its size
and its age say, not as often as spans come. A large one that grows fast waits longer: building it
takes seconds, in which thousands of spans make the result outdated, and often the root comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanloom.core.model.span import TraceKey  # noqa: TC001  # a field of a public dataclass
from spanloom.core.model.trajectory import Status

NS = 1_000_000_000
MAX_ATTEMPTS = 5
"""The last attempt stores a trajectory in any case, if need be one that shows the error."""
GROWN_BY = 4
"""A growing trace is built again when it is larger, or older, by this part: a quarter."""
A_SPAN_NS = 100_000
"""Building a trace takes about so long for each of its spans."""
IDLE_SHARE = 4
"""Building a trace that grows all the time takes one part of the time to so many of waiting."""
MAX_DOUBLINGS = 30
"""A trace may grow for days: what it waits no longer doubles then, as no number could hold it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the extractor waits, in seconds."""

    root_quiet_s: float = 0.5
    no_root_quiet_s: float = 60.0
    growing_first_s: float = 1.0
    growing_max_s: float = 30.0
    poll_s: float = 1.0
    """How far apart two looks are, if the first found anything to do; a quarter more if little."""
    sweep_s: float = 60.0
    """How often all traces are compared with their progress, whatever discovery saw."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in ns of a clock that only goes forward, such as ``time.monotonic_ns``.

    Collectors note when they accepted a span by the wall clock, which may be set at any time: an
    hour back, and what was accepted just before lies in the future. So such a time is only ever
    asked how long ago it was.
    """

    ns: int
    ahead_ns: int = 0
    """How far the wall clock is ahead of this one, at this moment."""

    def accepted(self, wall_ns: int) -> int:
        """Return when a span was accepted by this clock, which is now at the latest."""
        return min(wall_ns - self.ahead_ns, self.ns)


@dataclass(slots=True)
class PendingTrace:
    """A trace with spans that its trajectory does not show yet, or that is still growing."""

    key: TraceKey
    seq: int
    first_ns: int
    last_ns: int
    """When its newest span was accepted; times are those of ``Moment``."""
    has_root: bool
    root_ns: int = 0
    """When its root was seen to have come; 0 is long ago, or never."""
    span_count: int = 0
    live_builds: int = 0
    built_ns: int = 0
    built_spans: int = 0
    """How many of its spans had come when it was built as a live one."""
    attempts: int = 0
    """Failed attempts in a row, since the newest span came."""
    retry_ns: int = 0
    failed_ns: int = 0
    """When the newest attempt failed."""
    built_seq: int = 0
    """The newest span that went into a build before, by another process or this one."""
    first_accepted_ns: int = 0
    """When its first span was accepted, as the collector noted it: shown, not reckoned with."""
    since_s: int = 0
    """The second of the store's clock in which the first span came that only this process knows
    of; 0 if the store knows that the trace has to be built."""

    def has_failed(self, now_ns: int) -> None:
        """Note a failed attempt: the next one has to wait."""
        self.attempts += 1
        self.failed_ns = now_ns
        self.since_s = 0  # the store knows that it failed
        self.retry_ns = now_ns + int(retry_delay_s(self.attempts) * NS)

    def begin_anew(self) -> None:
        """Forget failed attempts, for the spans are no longer the same.

        The first wait stays: a trace that grows all the time is not tried all the time.
        """
        if self.attempts:
            self.attempts = 0
            self.retry_ns = min(self.retry_ns, self.failed_ns + int(retry_delay_s(1) * NS))


def next_status(trace: PendingTrace, now_ns: int, timing: Timing) -> Status | None:
    """Return the status with which the trace is to be built now, or ``None`` to wait.

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
    """Return when the trace settles, unless more of it comes."""
    quiet_s = timing.root_quiet_s if trace.has_root else timing.no_root_quiet_s
    return max(trace.last_ns + int(quiet_s * NS), trace.retry_ns)


def _has_waited(trace: PendingTrace, now_ns: int, timing: Timing) -> bool:
    """Return whether enough time has passed since it was last shown.

    A run whose root has just come is about to settle: it gets the time for that first.
    """
    if trace.has_root and now_ns - trace.root_ns < 2 * timing.root_quiet_s * NS:
        return False
    doublings = min(trace.live_builds, MAX_DOUBLINGS)
    wait_s = min(timing.growing_first_s * (1 << doublings), timing.growing_max_s)
    return now_ns - (trace.built_ns or trace.first_ns) >= wait_s * NS


def _has_grown(trace: PendingTrace, now_ns: int) -> bool:
    """Return whether there is so much more to show that reading all of it again is worth it."""
    if not trace.live_builds:
        return True
    more = trace.span_count - trace.built_spans
    is_larger = more * GROWN_BY >= trace.built_spans
    is_older = (now_ns - trace.built_ns) * GROWN_BY >= trace.built_ns - trace.first_ns
    return more > 0 and (is_larger or is_older)


def _is_worth_building(trace: PendingTrace, now_ns: int, timing: Timing) -> bool:
    """Return whether it has waited for long beside the time that building takes.

    Only traces of thousands of spans are kept waiting by this.
    """
    wait_ns = min(trace.span_count * A_SPAN_NS * IDLE_SHARE, timing.growing_max_s * NS)
    return now_ns - (trace.built_ns or trace.first_ns) >= wait_ns


def retry_delay_s(attempts: int) -> float:
    """Return the wait after a failed build: one minute, doubling up to an hour."""
    return float(min(60 * 2 ** max(attempts - 1, 0), 3600))
