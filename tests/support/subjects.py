"""Lists the subjects of a store by their ports, and every method of the ports."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from spanloom.core.ports.alerts import AlertStore
from spanloom.core.ports.annotations import (
    AnnotationQueueStore,
    AnnotationStore,
    SchemeStore,
    ScoreStore,
    VersionKeeper,
)
from spanloom.core.ports.calls import CallIndex
from spanloom.core.ports.datasets import DatasetStore
from spanloom.core.ports.experiments import EvaluatorStore, ExperimentStore
from spanloom.core.ports.feed import FeedStore
from spanloom.core.ports.followers import FollowerStore
from spanloom.core.ports.online_rules import OnlineRuleStore
from spanloom.core.ports.progress import ReplayQueue
from spanloom.core.ports.reading import (
    ConversationReader,
    DocumentReader,
    RunReader,
    StatsReader,
)
from spanloom.core.ports.saved_views import ViewStore
from spanloom.core.ports.steps import StepReader
from spanloom.core.ports.store import ProgressStore, SpanStore, Store
from spanloom.core.ports.texts import TextFinder, TextIndexer
from spanloom.core.ports.trajectories import TrajectoryWriter
from spanloom.core.ports.upkeep import DeletionLedger, SnapshotTaker, UsageReader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SUBJECTS: Mapping[str, type] = {
    "spans": SpanStore,
    "progress": ProgressStore,
    "trajectories": TrajectoryWriter,
    "calls": CallIndex,
    "documents": DocumentReader,
    "runs": RunReader,
    "steps": StepReader,
    "conversations": ConversationReader,
    "stats": StatsReader,
    "texts": TextFinder,
    "text_index": TextIndexer,
    "feed": FeedStore,
    "annotations": AnnotationStore,
    "schemes": SchemeStore,
    "versions": VersionKeeper,
    "scores": ScoreStore,
    "queues": AnnotationQueueStore,
    "saved_views": ViewStore,
    "datasets": DatasetStore,
    "evaluators": EvaluatorStore,
    "experiments": ExperimentStore,
    "alerts": AlertStore,
    "online_rules": OnlineRuleStore,
    "followers": FollowerStore,
    "replays": ReplayQueue,
    "deletions": DeletionLedger,
    "snapshots": SnapshotTaker,
    "usage": UsageReader,
}


def port_methods() -> Mapping[str, Callable[..., object]]:
    """Return all methods by name, such as ``runs.list``, or ``ping`` of the store itself."""
    assert SUBJECTS.keys() == {n for n, m in vars_of(Store) if isinstance(m, property)}
    own = {name: method for name, method in vars_of(Store) if inspect.isfunction(method)}
    return own | {
        f"{subject}.{name}": method
        for subject, port in SUBJECTS.items()
        for name, method in vars_of(port)
        if inspect.isfunction(method)
    }


def vars_of(port: type) -> list[tuple[str, object]]:
    return [(name, member) for name, member in inspect.getmembers(port) if name[0] != "_"]
