"""The ports through which the API reads: documents, lists, statistics and spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.query.selection import ANY_RUN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.alerts import AlertStore
    from spanloom.core.ports.annotations import (
        AnnotationQueueStore,
        AnnotationStore,
        SchemeStore,
        ScoreStore,
        VersionKeeper,
    )
    from spanloom.core.ports.datasets import DatasetStore
    from spanloom.core.ports.experiments import EvaluatorStore, ExperimentStore
    from spanloom.core.ports.feed import FeedReader
    from spanloom.core.ports.followers import FollowerStore
    from spanloom.core.ports.online_rules import OnlineRuleStore
    from spanloom.core.ports.progress import ReplayRequests
    from spanloom.core.ports.saved_views import ViewStore
    from spanloom.core.ports.steps import StepReader
    from spanloom.core.ports.texts import TextFinder
    from spanloom.core.ports.upkeep import DeletionLedger, SnapshotTaker, UsageReader
    from spanloom.core.query.continuations import Continuation
    from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun
    from spanloom.core.query.selection import RunSelection
    from spanloom.core.query.shapes import RunShape
    from spanloom.core.query.stats import Group, Numbers
    from spanloom.core.query.where.tree import Condition


class Documents(NamedTuple):
    """The document of one version of a trajectory, and its classified spans."""

    document: bytes
    spans: bytes
    """The JSON list of the classified spans."""


class StoredVersion(NamedTuple):
    """Data about a version of a trajectory whose document can be read."""

    version: int
    status: Status
    stored_at_ms: int
    """Time of storing, in milliseconds since the epoch."""
    extractor_version: str
    """The version of the extractor that built it."""
    span_count: int


class DocumentReader(Protocol):
    """Reads the documents of current trajectories in the projects that the caller may see."""

    def get(self, trace_id: str, reach: Reach) -> bytes | None:
        """Return the document, of several projects the newest; ``None`` if there is none."""

    def many(
        self, keys: Sequence[TraceKey], most_bytes: int, most_each: int | None = None
    ) -> Sequence[bytes | None]:
        """Return documents for the first keys: as many as fit into ``most_bytes``, at least one.

        ``None`` is returned in place of a document that does not exist (any longer), or that has
        more than ``most_each`` bytes and is not read.
        """

    def spans(self, trace_id: str, reach: Reach) -> bytes | None:
        """Return the JSON list of the classified spans; ``None`` if there is no document."""

    def both(self, trace_id: str, reach: Reach) -> Documents | None:
        """Return document and classified spans of one version; two reads could mix versions."""

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        """Return the stored versions, newest first; empty for an unknown trace.

        Only the newest version is stored; if several projects have the trace, only the newest of
        all is returned.
        """


class RunReader(Protocol):
    """Lists runs by their current trajectories, in the projects that the caller may see."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
        query: RunSelection = ANY_RUN,
    ) -> Sequence[ListedRun]:
        """Return up to ``limit`` runs by (start, trace id, project), newest first.

        ``query`` filters the runs further, and may order them by another field; runs without a
        value for that field come last. Each run has its ``continuation``. Raises
        ``InvalidQueryError`` if the query is invalid, or too expensive for this many runs.
        """

    def matching_among(
        self, keys: Sequence[TraceKey], reach: Reach, where: Condition
    ) -> AbstractSet[TraceKey]:
        """Return the keys of the traces whose current trajectories meet the condition.

        Raises ``InvalidQueryError`` like ``list``.
        """

    def matching_each(
        self, keys: Sequence[TraceKey], reach: Reach, wheres: Sequence[Condition]
    ) -> Sequence[AbstractSet[TraceKey]]:
        """Return the result of ``matching_among`` for each of several conditions, with one query.

        Raises ``InvalidQueryError`` if any of the conditions cannot be evaluated.
        """

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        """Return up to ``limit`` runs of a conversation, oldest first.

        The runs are ordered by (start, trace id, project). A conversation belongs to one project;
        if the reach has several projects with this conversation id, the runs of all are returned.
        An empty id returns no runs.
        """

    def continuation(self, key: TraceKey) -> Continuation:
        """Return which current run this run continues, and which current run continues it."""


class ConversationReader(Protocol):
    """Lists conversations in the projects that the caller may see."""

    def list(
        self, reach: Reach, where: Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ListedConversation]:
        """Return up to ``limit`` conversations with at least one run that passes the filter.

        Each item summarizes all runs of the conversation, except runs that repeat another run or
        have no step. Conversations are ordered by their newest run that passes the filter, newest
        first.
        """


class StatsReader(Protocol):
    """Computes statistics over runs in the projects that the caller may see."""

    def numbers(self, reach: Reach, where: Condition | None, query: Numbers) -> Sequence[Group]:
        """Compute metrics for each group of runs that pass the filter, or of their steps.

        Groups by time are ordered by time, other groups by their first metric, largest first; at
        most ``query.top`` are returned. If the query does not group, there is exactly one group.
        Raises ``InvalidQueryError`` if the query is invalid, or too expensive for this many runs.
        """

    def shapes(self, reach: Reach, where: Condition | None, most: int) -> Sequence[RunShape]:
        """Return the shapes of up to ``most`` runs that meet the condition, newest first.

        Raises ``InvalidQueryError`` if the query is invalid, or too expensive for this many runs.
        """


class SentSpans(Protocol):
    """Reads spans as they were sent."""

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        """Return the key of a trace with a trajectory, the newest of several projects, if any."""

    def parts_shown(self, key: TraceKey) -> Sequence[TraceKey]:
        """Return the other traces of the run that is shown under this trace, ordered by id."""

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        """Return an OTLP ``TracesData`` message with one span, or with the next spans after an id.

        Attribute values have the types in which they were sent. Pages are in the order of span ids;
        within a message spans are ordered by (start, span id). The result is empty if there are no
        spans. Two such messages concatenated are one message with the spans of both. A single span
        may also be in another trace of the run that is shown under this trace (``core/joining``).
        """


class ReadingStore(Protocol):
    """The ports of the store that the API needs."""

    @property
    def spans(self) -> SentSpans:
        """Spans as they were sent."""

    @property
    def documents(self) -> DocumentReader:
        """Documents of trajectories."""

    @property
    def runs(self) -> RunReader:
        """Lists of runs."""

    @property
    def steps(self) -> StepReader:
        """Lists of steps."""

    @property
    def conversations(self) -> ConversationReader:
        """Lists of conversations."""

    @property
    def stats(self) -> StatsReader:
        """Statistics over runs and steps."""

    @property
    def texts(self) -> TextFinder:
        """Full-text search."""

    @property
    def feed(self) -> FeedReader:
        """The change feed."""

    @property
    def replays(self) -> ReplayRequests:
        """Requested replays."""

    @property
    def deletions(self) -> DeletionLedger:
        """Deletions of traces."""

    @property
    def snapshots(self) -> SnapshotTaker:
        """Snapshots for backups."""

    @property
    def annotations(self) -> AnnotationStore:
        """Annotations of trajectories and steps."""

    @property
    def schemes(self) -> SchemeStore:
        """Schemes with which annotations are made."""

    @property
    def versions(self) -> VersionKeeper:
        """Annotated versions of documents."""

    @property
    def scores(self) -> ScoreStore:
        """Scores of trajectories and steps."""

    @property
    def queues(self) -> AnnotationQueueStore:
        """Queues of trajectories to annotate."""

    @property
    def saved_views(self) -> ViewStore:
        """Views of the page that projects store."""

    @property
    def usage(self) -> UsageReader:
        """The stored bytes of each project."""

    @property
    def datasets(self) -> DatasetStore:
        """Datasets that projects store."""

    @property
    def evaluators(self) -> EvaluatorStore:
        """Evaluators that projects store."""

    @property
    def experiments(self) -> ExperimentStore:
        """Experiments of projects."""

    @property
    def alerts(self) -> AlertStore:
        """Alerts of projects, and their events."""

    @property
    def followers(self) -> FollowerStore:
        """The positions of followers of the change feed."""

    @property
    def online_rules(self) -> OnlineRuleStore:
        """Rules that judge runs as they arrive, and their work."""
