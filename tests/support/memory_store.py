"""The in-memory store: the store contract in the simplest code, for tests.

It decodes with the stock opentelemetry-proto classes, so that ClickHouse's rows are compared with
theirs. Nothing is persisted.
"""

from __future__ import annotations

from tests.support.memory_alerts import MemoryAlerts
from tests.support.memory_annotations import MemoryAnnotations, MemorySchemes, MemoryVersions
from tests.support.memory_datasets import MemoryDatasets
from tests.support.memory_deletions import MemoryDeletions
from tests.support.memory_experiments import MemoryEvaluators, MemoryExperiments
from tests.support.memory_feed import MemoryFeed
from tests.support.memory_followers import MemoryFollowers
from tests.support.memory_online_rules import MemoryOnlineRules
from tests.support.memory_progress import MemoryProgress
from tests.support.memory_queues import MemoryQueues
from tests.support.memory_replays import MemoryReplays
from tests.support.memory_runs import MemoryConversations, MemoryRuns, MemoryStats, MemorySteps
from tests.support.memory_saved_views import MemoryViews
from tests.support.memory_scores import MemoryScores
from tests.support.memory_spans import MemorySpans, MemoryUsage
from tests.support.memory_state import MemoryState
from tests.support.memory_texts import MemoryTextIndex, MemoryTexts
from tests.support.memory_trajectories import MemoryCalls, MemoryDocuments, MemoryTrajectories

from spanloom.core.errors import NotEmbeddedError


class MemorySnapshots:
    """Implements ``SnapshotTaker`` without taking snapshots."""

    def take(self) -> int:
        """See ``SnapshotTaker.take``; there are no files of which to take a snapshot."""
        raise NotEmbeddedError("A store in memory has no files.")


class MemoryStore:
    """``Store`` in dictionaries, with one lock; tests may replace its subjects."""

    def __init__(self, state: MemoryState | None = None) -> None:
        self.state = state = state or MemoryState()
        self.spans = MemorySpans(state)
        self.progress = MemoryProgress(state)
        self.trajectories = MemoryTrajectories(state)
        self.calls = MemoryCalls(state)
        self.documents = MemoryDocuments(state)
        self.runs = MemoryRuns(state)
        self.steps = MemorySteps(state)
        self.conversations = MemoryConversations(state)
        self.stats = MemoryStats(state)
        self.texts = MemoryTexts(state)
        self.text_index = MemoryTextIndex(state)
        self.feed = MemoryFeed(state)
        self.annotations = MemoryAnnotations(state)
        self.schemes = MemorySchemes(state)
        self.versions = MemoryVersions(state)
        self.scores = MemoryScores(state)
        self.queues = MemoryQueues(state)
        self.saved_views = MemoryViews(state)
        self.datasets = MemoryDatasets(state)
        self.evaluators = MemoryEvaluators(state)
        self.experiments = MemoryExperiments(state)
        self.alerts = MemoryAlerts(state)
        self.online_rules = MemoryOnlineRules(state)
        self.followers = MemoryFollowers(state)
        self.replays = MemoryReplays(state)
        self.deletions = MemoryDeletions(state)
        self.snapshots = MemorySnapshots()
        self.usage = MemoryUsage(state)

    def ping(self) -> None:
        """See ``Store.ping``."""

    def close(self) -> None:
        """See ``Store.close``."""
