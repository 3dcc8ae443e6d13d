"""Upkeep of stored traces: retention, deletion, and replay."""

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
    """Needed as long as spans or trajectories are kept."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Days after which rows are removed; 0 keeps them for ever."""

    spans: int = 0
    """Days since the span was accepted."""
    trajectories: int = 0
    """Days since the trajectory was stored."""

    def days(self, kind: Kind) -> int:
        """Return the days for tables of this kind.

        Example: ``Terms(7, 365).days(Kind.BOTH)`` is 365.
        """
        if kind is Kind.BOTH:
            return longest((self.spans, self.trajectories))
        return self.spans if kind is Kind.SPANS else self.trajectories


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """The retention terms of all projects."""

    default: Terms = Terms()
    projects: Mapping[str, Terms] = field(default_factory=dict)
    """Projects with their own terms."""
    keeps_annotated: bool = True
    """Whether annotated trajectories are kept regardless of the terms."""

    def of(self, project: str) -> Terms:
        """Return the terms of a project."""
        return self.projects.get(project, self.default)

    @property
    def expires_trajectories(self) -> bool:
        """Whether trajectories of any project expire."""
        return any(t.trajectories for t in (self.default, *self.projects.values()))

    def longest_days(self, kind: Kind) -> int:
        """Return the longest term of any project in days; 0 if one keeps rows for ever."""
        return longest([self.default.days(kind), *(t.days(kind) for t in self.projects.values())])


def longest(days: tuple[int, ...] | list[int]) -> int:
    """Return the longest of the terms in days; 0 means for ever."""
    return 0 if 0 in days else max(days)


@dataclass(frozen=True, slots=True)
class DeletionScope:
    """Which traces to delete: those within reach that meet every condition that is not ``None``.

    Example: ``DeletionScope(Reach.only("travel"), start_before_ns=...)`` is everything of a project
    that started before a time. Callers must refuse a scope that is everything.
    """

    reach: Reach
    trace_id: str | None = None
    conversation_id: str | None = None
    start_before_ns: int | None = None
    """Any span of the trace, or its root, started before this time (ns since the epoch)."""

    @property
    def is_everything(self) -> bool:
        """Whether every trace of every project is in scope."""
        return self == DeletionScope(Reach.ALL)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The permanent record of a deletion: who, when, what, how many."""

    id: str
    """Later deletions have greater ids."""
    scope: DeletionScope
    requested_at_ns: int
    requested_by: str
    traces: int = 0
    spans: int = 0
    """How many spans of them had arrived, repeats included."""
    step: int = 0
    """Grows with each record of the same deletion: the highest counts."""
    is_over: bool = False
    """Whether it has expired: new spans of its traces are stored again."""
    until_seq: int = 0
    """The newest sequence that it covers, stored or still in a spool (see ``Spool``).

    Sequences are microseconds. If a collector's clock was ahead, stored sequences are later than
    the time of the request; then the store uses the newest of them instead.
    """


def new_deletion(scope: DeletionScope, requested_by: str, now_ns: int) -> Deletion:
    """Return a deletion that is requested now and not carried out yet."""
    now_us = now_ns // 1_000
    return Deletion(f"{now_us:016x}", scope, now_ns, requested_by, until_seq=now_us)


BEFORE_ALL = TraceKey("", "")
"""Sorts before every key."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stored trajectories to build again; a filter that is ``None`` matches all."""

    reach: Reach
    start_from_ns: int | None = None
    """Root started at or after this time."""
    start_before_ns: int | None = None
    dialect: str | None = None
    """Trajectories with spans that this dialect classified."""
    other_than: str | None = None
    """Trajectories built by another extractor version than this one."""


class StoredTrace(NamedTuple):
    """A trace with a stored trajectory, as far as a replay needs it."""

    key: TraceKey
    status: Status
    span_count: int


PARTS = 16
"""How many parts a replay has that processes share, by the hash of trace ids (``slice_of``)."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The progress of a replay."""

    id: str
    """Later replays have greater ids."""
    selection: Selection
    total: int
    """How many traces the selection had when the replay began."""
    step: int = 0
    """Grows with each record of the same replay: the highest counts."""
    done: int = 0
    written: int = 0
    """How many of those done differ from before and were stored anew."""
    failed: int = 0
    """How many could not be built; their stored trajectories stay."""
    after: TraceKey = BEFORE_ALL
    """Every trace up to and including this key, in key order, is done."""
    is_finished: bool = False
    part: int | None = None
    """Which part of the traces this is the progress of; ``None`` is the replay as a whole."""

    @property
    def cursor(self) -> str:
        """The cursor of the page that starts after this replay."""
        return self.id

    def in_parts(self, known: Iterable[Replay]) -> Sequence[Replay]:
        """Return its parts, those without progress as they begin."""
        begun = {part.part: part for part in known}
        new = replace(self, step=0, done=0, written=0, failed=0, is_finished=False)
        return [begun.get(number) or replace(new, part=number) for number in range(PARTS)]

    def with_parts(self, known: Collection[Replay]) -> Replay:
        """Return the whole with the progress of its parts."""
        return replace(
            self,
            done=self.done + sum(part.done for part in known),
            written=self.written + sum(part.written for part in known),
            failed=self.failed + sum(part.failed for part in known),
        )


class Older(NamedTuple):
    """The last activity of older releases in a store that is being upgraded."""

    age_s: float
    """Seconds since the last of them wrote, or since the tables were extended for this one."""
    name: str
    """The kind of its work; empty if none was seen since then."""
