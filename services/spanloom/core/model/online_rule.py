"""Online rules: evaluators that judge runs as they come in, and the work that they make."""

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
"""So often a run is judged again that has changed since it was judged as settled."""
UNREAD_PROJECT = "spanloom.judge"
"""The project of what judges send of themselves: no rule reads it."""


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
    """What a rule may take in a day (UTC); ``None`` is no limit."""

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
    """A rule as it was put last."""

    project: str
    name: str
    """Its id too: the rule of a score, and that of a sample."""
    version: int = 1
    """The next one where it judges other runs, or in another way."""
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
    """The version for which runs that were judged before are judged again; 0: for none."""
    is_paused: bool = False
    is_deleted: bool = False
    since_us: int = 0
    """When it was made, by the store's clock, in µs since the epoch; 0: the store says so."""
    at_us: int = 0
    """When it was put, in µs since the epoch; the latest counts."""
    put_by: str = ""

    @property
    def id(self) -> RuleId:
        """Project and name."""
        return self.project, self.name

    @property
    def judging(self) -> tuple[object, ...]:
        """What makes a version: which runs it judges, and how."""
        return self.where, self.evaluators, self.sample, self.unit, self.when


class WorkState(StrEnum):
    """How far a rule is with a version of a run."""

    PENDING = "pending"
    DONE = "done"
    ERROR = "error"
    """It could not be judged, and is not tried again."""
    DEFERRED = "deferred"
    """The budget of the day is spent."""
    STALE = "stale"
    """It has changed once more, but was judged again often enough."""
    DROPPED = "dropped"
    """There is nothing to judge: a later version took its place, or the run is gone."""


WAITING = frozenset({WorkState.PENDING, WorkState.DEFERRED})
"""The states of what is still to be done."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a rule has to do with one version of a run; of one ``id`` the highest revision counts.

    Whoever takes in the change feed writes revision 0: taking the same in again changes nothing.
    """

    key: TraceKey
    rule: str
    rule_version: int
    version: int
    """Of the trajectory."""
    asked_us: int
    """When it became known, in µs since the epoch."""
    due_us: int
    """Not before this time, likewise."""
    is_settled: bool = True
    state: WorkState = WorkState.PENDING
    revision: int = 0
    attempts: int = 0
    """How often a provider failed."""
    views: Mapping[str, str] = field(default_factory=dict)
    """What each evaluator has judged: the fingerprint of its view, by the evaluator's name."""
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
        """What makes it the same work."""
        return self.key, self.rule, self.rule_version, self.version

    @property
    def rule_id(self) -> RuleId:
        """Project and name of the rule."""
        return self.key.project, self.rule


class Spent(NamedTuple):
    """What a rule has taken."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    runs: int = 0


class RuleProgress(NamedTuple):
    """How many runs a rule has in each state: of each run the newest work counts."""

    pending: int = 0
    done: int = 0
    error: int = 0
    deferred: int = 0
    stale: int = 0
    oldest_due_us: int = 0
    """Since when the oldest pending one is due, in µs since the epoch; 0 without any."""


class Walk(StrEnum):
    """A walk over runs of the past."""

    BACKFILL = "backfill"
    """Over those of a range of time."""
    RESCORE = "rescore"
    """Over those that earlier versions of the rule had to do with."""


@dataclass(frozen=True, slots=True)
class WalkPlace:
    """How far a walk of a rule has come; the latest one counts."""

    project: str
    rule: str
    walk: Walk
    wanted: str
    """What it walks over: another one begins at the beginning."""
    position: str = ""
    """JSON of where to go on; empty at the beginning."""
    taken: int = 0
    """How many runs it gave the rule to judge."""
    is_done: bool = False
    at_us: int = 0
    """When it came there, in µs since the epoch."""
