"""Online rules: evaluators that judge runs as they arrive, and their work."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from spanloom.core.model.span import TraceKey

    RuleId: TypeAlias = tuple[str, str]
    """Project and name of a rule."""

MOST_RULES = 100
"""The most rules of a project."""
MAX_NAME = 100
"""Characters of a name."""
MOST_RERUNS = 3
"""How often a run is judged again that changes after it was judged as settled."""
UNREAD_PROJECT = "spanloom.judge"
"""The project of the telemetry that judges send; no rule reads it."""


class Unit(StrEnum):
    """What a sample is drawn of."""

    TRACE = "trace"
    CONVERSATION = "conversation"


class When(StrEnum):
    """How far a run has to have come."""

    SETTLED = "settled"
    PARTIAL = "partial"
    """Runs that have not settled, too."""


class RuleBudget(NamedTuple):
    """What a rule may spend in a day (UTC); ``None`` is no limit."""

    usd: float | None = None
    tokens: int | None = None
    """In and out."""
    calls: int | None = None
    """Requests to a model."""
    runs: int | None = None


NO_BUDGET = RuleBudget()


class BackfillRange(NamedTuple):
    """The runs of the past to judge, by the start of their root; ``None`` is open."""

    from_ns: int | None = None
    to_ns: int | None = None


@dataclass(frozen=True, slots=True)
class OnlineRule:
    """A rule as last stored."""

    project: str
    name: str
    """Also its id, in scores and for the sample."""
    version: int = 1
    """Grows when it judges other runs, or in another way."""
    where: str = ""
    """Empty: every run."""
    evaluators: str = "[]"
    """JSON: a list of evaluators as ``spanloom.evaluate`` takes them."""
    sample: float = 1.0
    unit: Unit = Unit.TRACE
    when: When = When.SETTLED
    delay_s: float = 0.0
    budget: RuleBudget = NO_BUDGET
    backfill: BackfillRange | None = None
    rescored: int = 0
    """The version for which already judged runs are judged again; 0: none."""
    is_paused: bool = False
    is_deleted: bool = False
    since_us: int = 0
    """When it was created, by the store's clock, in µs since the epoch; 0: the store sets it."""
    at_us: int = 0
    """When it was stored, in µs since the epoch; the latest counts."""
    put_by: str = ""

    @property
    def id(self) -> RuleId:
        """Project and name."""
        return self.project, self.name

    @property
    def judging(self) -> tuple[object, ...]:
        """The fields whose change makes a new version: which runs it judges, and how."""
        return self.where, self.evaluators, self.sample, self.unit, self.when


class WorkState(StrEnum):
    """The state of a rule's work on a version of a run."""

    PENDING = "pending"
    DONE = "done"
    ERROR = "error"
    """It could not be judged, and is not tried again."""
    DEFERRED = "deferred"
    """The budget of the day is spent."""
    STALE = "stale"
    """It has changed again, after ``MOST_RERUNS`` reruns."""
    DROPPED = "dropped"
    """There is nothing to judge: a later version took its place, or the run is gone."""


WAITING = frozenset({WorkState.PENDING, WorkState.DEFERRED})
"""The states of work that is still to be done."""


@dataclass(frozen=True, slots=True)
class Work:
    """A rule's work on one version of a run; the highest revision of an ``id`` counts.

    The reader of the change feed writes revision 0: reading the same again changes nothing.
    """

    key: TraceKey
    rule: str
    rule_version: int
    version: int
    """The version of the trajectory."""
    known_us: int
    """When it became known, in µs since the epoch."""
    due_us: int
    """Not judged before this time, in µs since the epoch."""
    is_settled: bool = True
    state: WorkState = WorkState.PENDING
    revision: int = 0
    attempts: int = 0
    """How often a provider failed."""
    views: Mapping[str, str] = field(default_factory=dict)
    """The fingerprint of the view that each evaluator has judged, by the evaluator's name."""
    is_judged: bool = False
    """Whether an evaluator has judged it: its view differed from the one before."""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    """US dollars, as far as it is known."""
    judged_us: int = 0
    """When it was judged last, in µs since the epoch."""
    error: str = ""

    @property
    def id(self) -> tuple[TraceKey, str, int, int]:
        """The identity of the work."""
        return self.key, self.rule, self.rule_version, self.version

    @property
    def rule_id(self) -> RuleId:
        """Project and name of the rule."""
        return self.key.project, self.rule


class Spent(NamedTuple):
    """What a rule has spent."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    runs: int = 0


class RuleProgress(NamedTuple):
    """How many runs a rule has in each state, by the newest work of each run."""

    pending: int = 0
    done: int = 0
    error: int = 0
    deferred: int = 0
    stale: int = 0
    oldest_due_us: int = 0
    """Since when the oldest pending one is due, in µs since the epoch; 0 without any."""


class Walk(StrEnum):
    """A pass over past runs."""

    BACKFILL = "backfill"
    """Over the runs of a time range."""
    RESCORE = "rescore"
    """Over the runs with work of earlier versions of the rule."""


@dataclass(frozen=True, slots=True)
class WalkPlace:
    """The position of a rule's pass over past runs; the latest one counts."""

    project: str
    rule: str
    walk: Walk
    wanted: str
    """The runs of the pass; other runs mean a new pass."""
    position: str = ""
    """JSON of the position to continue at; empty at the beginning."""
    taken: int = 0
    """How many runs it gave the rule to judge."""
    is_done: bool = False
    at_us: int = 0
    """When it reached the position, in µs since the epoch."""
