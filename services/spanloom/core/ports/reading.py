"""Trajectories as readers ask for them: documents, and lists page by page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.ports.annotation_queues import AnnotationQueueStore
from spanloom.core.ports.annotations import AnnotationStores
from spanloom.core.ports.deletions import DeletionLedger
from spanloom.core.ports.feed import FeedReader
from spanloom.core.ports.replays import ReplayRequests
from spanloom.core.ports.scores import ScoreStore
from spanloom.core.ports.snapshots import SnapshotTaker
from spanloom.core.ports.steps import StepReader
from spanloom.core.ports.texts import TextFinder
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.core.query.question import ANY_RUN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.fields import TrajectoryFilter
    from spanloom.core.query.question import Question, Rank
    from spanloom.core.query.stats import Group, Numbers
    from spanloom.core.query.where.tree import Condition


class Cursor(NamedTuple):
    """A position in a list; their places compare as the list is ordered, oldest first."""

    start_ns: int
    trace_id: str
    project: str
    rank: Rank = ()
    """What comes before the start, where a list is ordered by something else."""

    @property
    def place(self) -> tuple[object, ...]:
        """By what positions compare."""
        return (*self.rank, self.start_ns, self.trace_id, self.project)


@dataclass(frozen=True, slots=True)
class TrajectorySummary:
    """One line of a list."""

    key: TraceKey
    version: int
    status: Status
    root_name: str
    root_type: str
    start_ns: int
    duration_ns: int
    outcome: Outcome
    failures: int
    agent_names: Sequence[str]
    step_counts: Mapping[str, int]
    span_count: int
    input_tokens: int
    output_tokens: int
    duplicate_of: str
    """The trace that this one repeats, or empty."""
    dialects: Sequence[str] = field(default_factory=tuple)
    conversation_id: str = ""
    """The conversation that the run belongs to, or empty."""
    question: str = ""
    """What was asked, one line of at most 200 characters."""
    answer: str = ""
    services: Sequence[str] = ()
    environment: str = ""
    user_id: str = ""
    tags: Sequence[str] = ()
    models: Sequence[str] = ()
    is_waiting: bool = False
    """Whether it waits for a person, or did before another run went on."""
    is_resuming: bool = False
    """Whether it was given the answer for which an earlier run waited."""
    cost: float | None = None
    """What its model calls cost in US dollars; ``None`` where nobody knows."""
    model_time_ns: int = 0
    """All model calls together, which exceeds the duration where some ran at one time."""
    tool_time_ns: int = 0
    """All runs of tools together."""
    rank: Rank = ()
    """See ``Cursor.rank``."""
    continuation: Continuation = NO_CONTINUATION

    @property
    def has_error(self) -> bool:
        """Whether anything failed that the run did not get over."""
        return self.outcome is Outcome.FAILED

    @property
    def is_duplicate(self) -> bool:
        """Whether it only repeats another trace."""
        return bool(self.duplicate_of)

    @property
    def has_steps(self) -> bool:
        """Whether there is anything to see: a step, or a failure."""
        steps = sum(count for kind, count in self.step_counts.items() if kind != "other")
        return steps > 0 or self.outcome is not Outcome.OK or self.status is Status.FAILED

    @property
    def cursor(self) -> Cursor:
        """The position just behind this line."""
        return Cursor(self.start_ns, self.key.trace_id, self.key.project, self.rank)


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One line of a list of conversations: its runs together, how it began and where it is now."""

    project: str
    conversation_id: str
    cursor: Cursor
    """The position just behind this line: that of its newest run which the filters want."""
    runs: int
    start_ns: int
    """When its first run began."""
    question: str
    """What was asked first, one line of at most 200 characters."""
    answer: str
    """What its last run answered; empty where that one waits, failed, or is under way."""
    user_id: str
    """For whom the newest run was that tells it, or empty."""
    input_tokens: int
    output_tokens: int
    last_trace_id: str
    last_start_ns: int
    last_duration_ns: int
    last_status: Status
    last_outcome: Outcome


class Documents(NamedTuple):
    """What is stored of one version of a trajectory."""

    document: bytes
    spans: bytes
    """The JSON list of what became of each span."""


class StoredVersion(NamedTuple):
    """One version of a trajectory that can be read."""

    version: int
    status: Status
    stored_at_ms: int
    """When it was stored, in milliseconds since the epoch."""
    extractor_version: str
    """By which it was built."""
    span_count: int


class TrajectoryReader(Protocol):
    """Gives readers the current version of trajectories, within their reach."""

    def document(self, trace_id: str, reach: Reach) -> bytes | None:
        """Return the document; of several projects that have the trace, the newest one's."""

    def documents_of(self, keys: Sequence[TraceKey], most_bytes: int) -> Sequence[bytes | None]:
        """Return the documents of the first of the keys: as many as have room, one at least.

        ``None`` stands for one that is not there, or not any more.
        """

    def spans_document(self, trace_id: str, reach: Reach) -> bytes | None:
        """Return the JSON list of what became of each span."""

    def both_documents(self, trace_id: str, reach: Reach) -> Documents | None:
        """Return both of one version, which two questions might not."""

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        """Return the versions that are stored, newest first; empty for an unknown trace.

        Only the newest is kept; of several projects that have the trace, the newest one's.
        """

    def continuation(self, key: TraceKey) -> Continuation:
        """Return which run it goes on with and which goes on with it, of those there are now."""

    def list(
        self,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None = None,
        question: Question = ANY_RUN,
    ) -> Sequence[TrajectorySummary]:
        """Return up to ``limit`` summaries by (start, trace id, project), newest first.

        A question narrows them down further, and may ask for another order; what has no such value
        comes last. Each says which run it goes on with and which goes on with it. Raises
        ``InvalidQueryError`` for a question that cannot be answered, or not of so many runs.
        """

    def asked_among(
        self, keys: Sequence[TraceKey], reach: Reach, where: Condition
    ) -> AbstractSet[TraceKey]:
        """Return those of the traces whose trajectories are, as they are now, what is asked for.

        Raises ``InvalidQueryError`` as ``list`` does.
        """

    def numbers(self, reach: Reach, where: TrajectoryFilter, asked: Numbers) -> Sequence[Group]:
        """Return the numbers of each group of runs that pass the filter, or of their steps.

        By time they come in its order, else the largest first number first; never more than
        ``asked.top``. Without anything to tell groups apart there is always one. Raises
        ``InvalidQueryError`` for a question that cannot be answered, or not of so many runs.
        """

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[TrajectorySummary]:
        """Return up to ``limit`` of a conversation by (start, trace id, project), oldest first.

        A conversation is of one project; within a wider reach, those of all that have its id. The
        empty id is no conversation.
        """

    def conversations(
        self, reach: Reach, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[ConversationSummary]:
        """Return up to ``limit`` conversations in which a run is what the filter wants.

        They are told whole, with all their runs but those that repeat another or have no step, and
        come by the newest run that the filter wants, newest first.
        """


class SentSpans(Protocol):
    """Gives readers spans as they were sent."""

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        """Return where a trace is that has a trajectory; of several projects the newest one."""

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        """Return an OTLP ``TracesData`` message of one span, or of the next ones behind an id.

        Every value has its type. Which spans come next goes by their ids; in the message they are
        ordered by (start, span id). Empty without spans. Two such messages behind each other are
        one message with the spans of both.
        """


class ReadingStore(
    TrajectoryReader,
    StepReader,
    FeedReader,
    SentSpans,
    TextFinder,
    ReplayRequests,
    DeletionLedger,
    SnapshotTaker,
    AnnotationStores,
    ScoreStore,
    AnnotationQueueStore,
    Protocol,
):
    """All that the API asks of a store."""
