"""Maintenance of stored traces: retention, deletion, and replay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status  # noqa: TC001  # a field of a public tuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


class Kind(Enum):
    """The retention class of a table."""

    SPANS = "spans"
    TRAJECTORIES = "trajectories"
    BOTH = "both"
    """Retained for the longer of the periods for spans and trajectories."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Retention periods in days; 0 means that rows are never removed."""

    spans: int = 0
    """Days since the span was accepted."""
    trajectories: int = 0
    """Days since the trajectory was stored."""

    def days(self, kind: Kind) -> int:
        """Return the retention period of tables of this kind, in days.

        Example: ``Terms(7, 365).days(Kind.BOTH)`` is 365.
        """
        if kind is Kind.BOTH:
            return longest((self.spans, self.trajectories))
        return self.spans if kind is Kind.SPANS else self.trajectories


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """The retention periods of all projects."""

    default: Terms = Terms()
    projects: Mapping[str, Terms] = field(default_factory=dict)
    """The projects with their own retention periods."""
    keeps_annotated: bool = True
    """Whether annotated trajectories are retained forever."""

    def of(self, project: str) -> Terms:
        """Return the retention periods of a project."""
        return self.projects.get(project, self.default)

    @property
    def expires_trajectories(self) -> bool:
        """Whether trajectories of any project expire."""
        return any(t.trajectories for t in (self.default, *self.projects.values()))

    def longest_days(self, kind: Kind) -> int:
        """Return the longest period of any project in days; 0 if a project never removes rows."""
        return longest([self.default.days(kind), *(t.days(kind) for t in self.projects.values())])


def longest(days: tuple[int, ...] | list[int]) -> int:
    """Return the longest retention period in days; 0 means that rows are never removed."""
    return 0 if 0 in days else max(days)


@dataclass(frozen=True, slots=True)
class DeletionScope:
    """The traces to delete: all within reach that meet every condition which is not ``None``.

    Example: ``DeletionScope(Reach.only("travel"), start_before_ns=...)`` is everything in a project
    that started before a time. Callers must refuse a scope that covers everything.
    """

    reach: Reach
    trace_id: str | None = None
    conversation_id: str | None = None
    start_before_ns: int | None = None
    """A span of the trace, or its root, started before this time (ns since the epoch)."""

    @property
    def is_everything(self) -> bool:
        """Whether the scope is every trace of every project."""
        return self == DeletionScope(Reach.ALL)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The permanent record of a deletion: who requested it, when, its scope and its counts."""

    id: str
    """Later deletions have greater ids."""
    scope: DeletionScope
    requested_at_ns: int
    requested_by: str
    traces: int = 0
    spans: int = 0
    """Number of spans that had arrived for these traces, duplicates included."""
    step: int = 0
    """Grows with each record of the same deletion; the highest one counts."""
    is_over: bool = False
    """Whether the deletion has expired, so that new spans of its traces are stored again."""
    until_seq: int = 0
    """The newest sequence that the deletion covers, whether stored or still in a spool.

    Sequences are microseconds. If a collector's clock was ahead, stored sequences may be later
    than the time of the request; the store then uses the newest stored sequence instead.
    """


def new_deletion(scope: DeletionScope, requested_by: str, now_ns: int) -> Deletion:
    """Return a deletion that is requested now and not carried out yet."""
    now_us = now_ns // 1_000
    return Deletion(f"{now_us:016x}", scope, now_ns, requested_by, until_seq=now_us)


BEFORE_ALL = TraceKey("", "")
"""A key that sorts before every other key."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The stored trajectories to build again; a filter that is ``None`` matches all."""

    reach: Reach
    start_from_ns: int | None = None
    """The root started at or after this time."""
    start_before_ns: int | None = None
    dialect: str | None = None
    """Trajectories with spans that this dialect classified."""
    other_than: str | None = None
    """Trajectories that were built by a different extractor version."""


class StoredTrace(NamedTuple):
    """The data that a replay needs about a trace with a stored trajectory."""

    key: TraceKey
    status: Status
    span_count: int


PARTS = 16
"""Number of parts into which a replay is split for several processes, by hash of trace ids."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The progress of a replay."""

    id: str
    """Later replays have greater ids."""
    selection: Selection
    total: int
    """Number of traces in the selection when the replay began."""
    step: int = 0
    """Grows with each record of the same replay; the highest one counts."""
    done: int = 0
    written: int = 0
    """Number of done traces whose trajectory changed and was stored again."""
    failed: int = 0
    """Number of traces that could not be built; their stored trajectories are not replaced."""
    after: TraceKey = BEFORE_ALL
    """Every trace up to this key, in key order, is done, including the key."""
    is_finished: bool = False
    part: int | None = None
    """The part of the traces to which the progress belongs; ``None`` for the whole replay."""

    @property
    def cursor(self) -> str:
        """The cursor of the page that starts after this replay."""
        return self.id

    def in_parts(self, known: Iterable[Replay]) -> Sequence[Replay]:
        """Return the parts of the replay; parts without recorded progress are at their start."""
        begun = {part.part: part for part in known}
        new = replace(self, step=0, done=0, written=0, failed=0, is_finished=False)
        return [begun.get(number) or replace(new, part=number) for number in range(PARTS)]

    def with_parts(self, known: Collection[Replay]) -> Replay:
        """Return the replay with the progress of its parts added up."""
        return replace(
            self,
            done=self.done + sum(part.done for part in known),
            written=self.written + sum(part.written for part in known),
            failed=self.failed + sum(part.failed for part in known),
        )


class Older(NamedTuple):
    """The last activity of an older release in a store that is being upgraded."""

    age_s: float
    """Seconds since an older release last wrote, or since the tables were extended for this one."""
    name: str
    """The role of the older process; empty if no older process was active since then."""
