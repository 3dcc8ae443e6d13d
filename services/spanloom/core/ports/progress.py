"""The ports for changes, for the extractor's progress with each trace, and for replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Replay, Selection, StoredTrace
    from spanloom.core.sharing import Slices

FOREVER_S = 2**33
"""A time in seconds, in the year 2242, that is later than all others."""


@dataclass(frozen=True, slots=True)
class TraceChange:
    """The changes of a trace in a time interval, added up."""

    key: TraceKey
    first_accepted_ns: int
    last_accepted_ns: int
    has_root: bool
    """Whether a span without a parent arrived."""
    span_count: int = 0
    """How many spans arrived; spans sent again count again."""
    second: int = 0
    """The second, on the store's clock, of the earliest change; 0 if unknown."""
    requests: frozenset[tuple[int, int]] = frozenset()
    """The sequence and the number of spans of each request."""


class ChangedSeconds(NamedTuple):
    """The changes in the seconds whose fingerprint differs from the known one."""

    changes: Sequence[TraceChange]
    """All changes in these seconds, one per trace and second; known changes are included."""
    fingerprints: Mapping[int, int]
    """The current fingerprint of each of these seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the extractor has processed a trace."""

    key: TraceKey
    seq: int
    """The newest sequence that any attempt has read; never lowered."""
    status: Status
    attempts: int = 0
    """Consecutive failed attempts."""
    arrived: int = 0
    """How many spans had arrived before the newest attempt began to read; 0 if unknown.

    Spans sent again count again.
    """
    error: str = ""
    """Why the newest attempt failed; empty if it did not fail."""
    requests: int = 0
    """How many requests had arrived before the newest attempt began to read; 0 if unknown."""
    digest: int = 0
    """The fingerprint of these requests (``Arrived.digest``)."""
    is_whole: bool = False
    """Whether a build is stored that has everything in these requests."""

    @property
    def is_finished(self) -> bool:
        """Whether the trace need not be built again until more spans arrive."""
        return self.status is not Status.LIVE and not self.attempts


class ChangeReader(Protocol):
    """Reads changes for discovery.

    Times are whole seconds on the store's clock, taken when ``SpanWriter.append`` begins. Every
    method sees all rows of calls of ``append`` that have returned. It may or may not see rows of
    calls in progress, so rows with a past second may become visible later.
    """

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def appends(self) -> int | None:
        """Return how many calls of ``append`` have ended; ``None`` if unknown.

        As long as the number is unchanged, nothing was stored in between. It is unknown while a
        call is in progress, and if other processes may append to this store.
        """

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """Return a fingerprint of what was stored in each second from ``since_s`` on.

        A second without rows has no entry; any added or removed row changes the fingerprint. If
        ``width_s`` is greater than 1, there is one fingerprint for each interval of that many
        seconds, keyed by its first second; the first interval may begin before ``since_s``.
        """

    def changes_since(
        self, since_s: int, known: Mapping[int, int], slices: Slices = ALL
    ) -> ChangedSeconds:
        """Return changes in seconds from ``since_s`` on whose fingerprint differs from ``known``.

        Seconds without rows, and without traces in the slices, are left out. Fingerprints cover all
        traces, not only those in the slices.
        """

    def unextracted(
        self, since_s: int = 0, until_s: int = FOREVER_S, slices: Slices = ALL
    ) -> Sequence[TraceChange]:
        """Return changes in an interval (end excluded) of traces that need to be built.

        These are traces without a recorded build of everything that has arrived, traces with
        unfinished progress, and traces with a change whose request is not visible yet. Progress
        recorded by an older release is compared by sequence and number of spans.
        """

    def overlooked(self, begins_with: str, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the changes of traces that need to be built, of any age, as ``unextracted`` does.

        Only traces whose ids begin with the hex digits ``begins_with`` are included. They are found
        in the table of requests instead of the table of changes.
        """

    def present(
        self, requests: Iterable[tuple[TraceKey, int, int]]
    ) -> AbstractSet[tuple[TraceKey, int, int]]:
        """Return which of these requests (trace, sequence, number of spans) are still stored."""

    def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the traces whose progress is unfinished: live, or failed at the last attempt."""

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """Return the recorded progress; an unknown trace has no entry."""

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the lowest recorded watermark of the slices; 0 if there is none."""

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """Return the progress of up to ``limit`` traces whose newest attempt failed.

        The traces with the most attempts come first. The extractor will try them again.
        """


class ProgressWriter(Protocol):
    """Records progress and watermarks, so that discovery does not find built traces again."""

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """Record the extractor's progress with these traces."""

    def record_revisits(self, keys: Sequence[TraceKey]) -> None:
        """Make stored traces due again, by storing a change without spans for each."""

    def record_watermark(self, second: int) -> None:
        """Record that all changes before a second are extracted or their traces are unfinished."""

    def record_watermarks(self, seconds: Mapping[int, int]) -> None:
        """Record watermarks, in seconds, keyed by slice."""


class ReplayRequests(Protocol):
    """Stores requests for replays, and returns their progress."""

    def count_traces(self, selection: Selection) -> int:
        """Return how many stored trajectories match a selection."""

    def record(self, replay: Replay) -> None:
        """Record the progress of a replay, unless later progress is already recorded."""

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """Return a replay as last recorded; ``None`` if unknown or not within ``reach``."""

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """Return up to ``limit`` replays within ``reach``, newest first.

        If ``after`` is set, only replays older than the replay with this id are returned.
        """

    def unfinished(self, reach: Reach) -> Sequence[Replay]:
        """Return the replays within ``reach`` that are not finished, oldest first."""


class ReplayQueue(ReplayRequests, Protocol):
    """Provides the replayer with replays, and with the traces to build."""

    def parts(self, replay: Replay) -> Sequence[Replay]:
        """Return the parts of a replay as last recorded.

        There is one part, or, if processes share the store, one per slice. ``record`` also accepts
        a part; a whole replay has the sums over its parts.
        """

    def finish(self, replay: Replay) -> None:
        """Record that a replay is finished, if all its parts are finished."""

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int, part: int | None = None
    ) -> Sequence[StoredTrace]:
        """Return up to ``limit`` traces in the selection after a key, in the order of keys.

        If ``part`` is set, only traces in this part of a replay are returned.
        """
