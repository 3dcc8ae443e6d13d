"""The ports of changes, of the extractor's progress with each trace, and of replays."""

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
"""A time in seconds after all others: in the year 2242."""


@dataclass(frozen=True, slots=True)
class TraceChange:
    """The sum of the spans that arrived for a trace in some interval."""

    key: TraceKey
    first_accepted_ns: int
    last_accepted_ns: int
    has_root: bool
    """Whether a span without parent is among them."""
    span_count: int = 0
    """How many spans arrived, including repeats."""
    second: int = 0
    """The second of the store's clock in which the first of them was stored; 0 if unknown."""
    requests: frozenset[tuple[int, int]] = frozenset()
    """The sequence and the number of spans of each request."""


class ChangedSeconds(NamedTuple):
    """The content of the seconds that differ from the known content."""

    changes: Sequence[TraceChange]
    """The spans that arrived for each trace in each of these seconds, known before or not."""
    fingerprints: Mapping[int, int]
    """The fingerprint of each second's current content, by second."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the extractor has processed a trace."""

    key: TraceKey
    seq: int
    """The highest sequence that an attempt included; never lower than the recorded one."""
    status: Status
    attempts: int = 0
    """Consecutive failed attempts."""
    arrived: int = 0
    """How many spans had arrived, including repeats, before the newest attempt began to read.

    0 if unknown.
    """
    error: str = ""
    """Why the newest attempt failed; empty if it did not fail."""
    requests: int = 0
    """How many requests had arrived before that; 0 if unknown."""
    digest: int = 0
    """The fingerprint of these requests (``Arrived.digest``)."""
    is_whole: bool = False
    """Whether a build of everything in these requests is stored."""

    @property
    def is_finished(self) -> bool:
        """Whether no work is left until more spans arrive."""
        return self.status is not Status.LIVE and not self.attempts


class ChangeReader(Protocol):
    """Reads changes for discovery.

    Times are whole seconds of the store's own clock, taken when an ``append`` begins. Every method
    sees all rows whose ``append`` returned before its call. It may or may not see rows of an
    ``append`` in progress, so rows of a past second may become visible later.
    """

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def appends(self) -> int | None:
        """Return how many calls of ``append`` have ended, if no other process makes any.

        As long as the number is unchanged, nothing was stored in between. ``None`` means unknown: a
        call is in progress, or other processes may append to this store.
        """

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """Return a fingerprint of what was stored in each second from ``since_s`` on.

        A second without rows has no entry; any added or removed row changes the fingerprint. With
        ``width_s``, there is one fingerprint for each interval of that many seconds, keyed by its
        first second; the first interval may begin before ``since_s``.
        """

    def changes_since(
        self, since_s: int, known: Mapping[int, int], slices: Slices = ALL
    ) -> ChangedSeconds:
        """Return the changes in seconds from ``since_s`` on whose fingerprint is not the known one.

        A known second that no longer has rows is left out, and so is a second without traces of the
        slices. Fingerprints cover all traces, whatever the slices.
        """

    def unextracted(
        self, since_s: int = 0, until_s: int = FOREVER_S, slices: Slices = ALL
    ) -> Sequence[TraceChange]:
        """Return the changes in this interval (end excluded) of traces that need to be built.

        These are traces without a recorded build of everything that has arrived, traces whose
        progress is unfinished, and traces with a change whose request is not visible yet. Progress
        that an older release recorded is compared by sequence and number of spans.
        """

    def overlooked(self, begins_with: str, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the result of ``unextracted`` for all times and a share of the traces.

        The share is the traces whose ids begin with these hexadecimal digits. They are found by the
        requests instead of the changes.
        """

    def present(
        self, requests: Iterable[tuple[TraceKey, int, int]]
    ) -> AbstractSet[tuple[TraceKey, int, int]]:
        """Return the requests (trace, sequence, number of spans) that are still stored."""

    def unfinished(self, slices: Slices = ALL) -> Sequence[TraceChange]:
        """Return the traces whose progress is unfinished: live, or failed at the last attempt."""

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """Return the recorded progress; an unknown trace has no entry."""

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the lowest recorded watermark of the slices; 0 if there is none."""

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """Return up to ``limit`` traces whose newest attempt failed, most attempts first.

        The extractor tries them again; each has its error.
        """


class ProgressWriter(Protocol):
    """Records the traces that discovery does not need to find again."""

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """Record the extractor's progress with these traces."""

    def record_revisits(self, keys: Sequence[TraceKey]) -> None:
        """Make stored traces due again; each gets a request, and a change, without spans."""

    def record_watermark(self, second: int) -> None:
        """Record that all visible changes of earlier seconds are extracted or unfinished."""

    def record_watermarks(self, seconds: Mapping[int, int]) -> None:
        """Record the watermarks of slices."""


class ReplayRequests(Protocol):
    """Accepts requests for replays and reports their progress."""

    def count_traces(self, selection: Selection) -> int:
        """Return how many stored trajectories match a selection."""

    def record(self, replay: Replay) -> None:
        """Record the progress of a replay, unless later progress is already recorded."""

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """Return a replay as last recorded, if its selection is within the reach."""

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """Return up to ``limit`` replays within the reach that are older than the id ``after``.

        The newest comes first.
        """

    def unfinished(self, reach: Reach) -> Sequence[Replay]:
        """Return the replays within the reach that are not finished, oldest first."""


class ReplayQueue(ReplayRequests, Protocol):
    """Assigns the replayer its work in parts."""

    def parts(self, replay: Replay) -> Sequence[Replay]:
        """Return the parts of a replay as last recorded: one, unless processes share the store.

        ``record`` also accepts a part; replays that are returned have the sums of their parts.
        """

    def finish(self, replay: Replay) -> None:
        """Record that a replay is finished, if all its parts are."""

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int, part: int | None = None
    ) -> Sequence[StoredTrace]:
        """Return up to ``limit`` traces of the selection after a key, in the order of keys.

        With ``part``, only traces of this part of a replay.
        """
