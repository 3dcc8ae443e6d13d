"""Online rules: evaluators that judge runs as they arrive, and the tasks to judge each run."""

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
"""Maximum number of rules in a project."""
MOST_EVALUATORS = 100
"""Maximum number of evaluators of a rule."""
MOST_DELAY_S = 7 * 24 * 3600
"""Maximum seconds that a rule waits before it judges a run."""
MOST_RERUNS = 3
"""Maximum number of times to judge a run again because it changed after it was judged as
settled."""
UNREAD_PROJECT = "spanloom.judge"
"""The project with the telemetry of judges; rules ignore it."""


class Unit(StrEnum):
    """What a sample is drawn from: traces or conversations."""

    TRACE = "trace"
    CONVERSATION = "conversation"


class When(StrEnum):
    """How complete a run must be to be judged."""

    SETTLED = "settled"
    PARTIAL = "partial"
    """Runs that have not settled are judged too."""


class RuleBudget(NamedTuple):
    """The amounts that a rule may spend in a day (UTC); ``None`` means no limit."""

    usd: float | None = None
    tokens: int | None = None
    """Input and output tokens."""
    calls: int | None = None
    """Requests to a model."""
    runs: int | None = None


NO_BUDGET = RuleBudget()


class BackfillRange(NamedTuple):
    """The range of start times (of the root) of past runs to judge; ``None`` leaves an end open."""

    from_ns: int | None = None
    to_ns: int | None = None


@dataclass(frozen=True, slots=True)
class OnlineRule:
    """A rule as last stored."""

    project: str
    name: str
    """The rule's name, which also identifies it in scores and seeds its sample."""
    version: int = 1
    """Grows when the rule judges other runs, or judges differently."""
    where: str = ""
    """A ``where`` query that selects the runs to judge; empty to judge every run."""
    evaluators: str = "[]"
    """JSON: a list of evaluators in the form that ``spanloom.evaluate`` accepts."""
    sample: float = 1.0
    unit: Unit = Unit.TRACE
    when: When = When.SETTLED
    delay_s: float = 0.0
    budget: RuleBudget = NO_BUDGET
    backfill: BackfillRange | None = None
    rescored: int = 0
    """The version for which runs that were already judged are judged again; 0 for none."""
    is_paused: bool = False
    is_deleted: bool = False
    since_us: int = 0
    """The time of creation by the store's clock, in µs since the epoch; if 0, the store sets it."""
    at_us: int = 0
    """The time at which the row was stored, in µs since the epoch; the latest row counts."""
    put_by: str = ""

    @property
    def id(self) -> RuleId:
        """Project and name."""
        return self.project, self.name


JUDGING = ("where", "evaluators", "sample", "unit", "when")
"""The attributes of a rule that make a new version when they change: which runs it judges, how."""


class WorkState(StrEnum):
    """The state of a rule's task to judge a version of a run."""

    PENDING = "pending"
    DONE = "done"
    ERROR = "error"
    """The run could not be judged, and is not tried again."""
    DEFERRED = "deferred"
    """The budget of the day is used up."""
    STALE = "stale"
    """The run has changed again, after ``MOST_RERUNS`` reruns."""
    DROPPED = "dropped"
    """There is nothing to judge: a later version replaced this one, or the run was deleted."""


WAITING = frozenset({WorkState.PENDING, WorkState.DEFERRED})
"""The states of tasks that are not done yet."""


@dataclass(frozen=True, slots=True)
class Work:
    """A rule's task to judge one version of a run; the highest revision of an ``id`` counts.

    The follower of the change feed writes revision 0, so that reading a change again has no effect.
    """

    key: TraceKey
    rule: str
    rule_version: int
    version: int
    """The version of the trajectory."""
    known_us: int
    """The time at which the rule first considered the version, in µs since the epoch."""
    due_us: int
    """The earliest time to judge it, in µs since the epoch."""
    is_settled: bool = True
    state: WorkState = WorkState.PENDING
    revision: int = 0
    attempts: int = 0
    """Number of times that a model provider has failed."""
    views: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of the parts of the run that each evaluator read, keyed by evaluator name."""
    is_judged: bool = False
    """Whether an evaluator judged this version, because the parts of the run that it reads
    changed."""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    """The cost in US dollars, as far as prices are known."""
    judged_us: int = 0
    """The time at which it was last judged, in µs since the epoch."""
    error: str = ""

    @property
    def id(self) -> tuple[TraceKey, str, int, int]:
        """The identity of the task: run, rule, version of the rule and version of the run."""
        return self.key, self.rule, self.rule_version, self.version

    @property
    def rule_id(self) -> RuleId:
        """Project and name of the rule."""
        return self.key.project, self.rule


class Spent(NamedTuple):
    """The amounts that a rule has spent."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    runs: int = 0


class RuleProgress(NamedTuple):
    """The number of runs by the state of a rule's newest task for the run."""

    pending: int = 0
    done: int = 0
    error: int = 0
    deferred: int = 0
    stale: int = 0
    oldest_due_us: int = 0
    """The time at which the oldest pending task was due, in µs since the epoch; 0 if none is
    pending."""


class Walk(StrEnum):
    """The kind of a pass over past runs."""

    BACKFILL = "backfill"
    """A pass over the runs of a time range."""
    RESCORE = "rescore"
    """A pass over the runs for which earlier versions of the rule had tasks."""


@dataclass(frozen=True, slots=True)
class WalkPlace:
    """The position of a rule's pass over past runs; the latest row counts."""

    project: str
    rule: str
    walk: Walk
    wanted: str
    """The selection of runs that the pass covers; if the selection changes, a new pass starts."""
    position: str = ""
    """JSON of the position to continue from; empty at the beginning."""
    taken: int = 0
    """Number of runs that the pass has queued for the rule to judge."""
    is_done: bool = False
    at_us: int = 0
    """The time at which the pass reached the position, in µs since the epoch."""
