"""Ports of annotations, their schemes and versions, scores and queues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

    from spanloom.core.model.access import Reach
    from spanloom.core.model.annotation import Annotation, Slot
    from spanloom.core.model.annotation_queue import Alike, Queue, QueueEvent, QueueItem
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey


class AnnotationQuery(NamedTuple):
    """Which annotations to read; a field left at its default does not filter."""

    trace_id: str | None = None
    scheme: str = ""
    annotator: str = ""
    from_us: int = 0
    """Accepted at this time or later, in microseconds since the epoch."""
    before_us: int = 2**63


@dataclass(frozen=True, slots=True)
class StoredScheme:
    """One stored text of a scheme."""

    project: str
    name: str
    hash: str
    at_us: int
    put_by: str
    text: str


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version of a trajectory as it was annotated."""

    key: TraceKey
    version: int
    hash: str
    """Hash of the document without its version."""
    at_us: int
    document: bytes


class KeptAt(NamedTuple):
    """Which version was kept, and when."""

    version: int
    at_us: int
    """In microseconds since the epoch."""


class AnnotationStore(Protocol):
    """Keeps annotations: rows are added, never changed, and survive retention."""

    def add(self, rows: Sequence[Annotation], *, is_announced: bool = True) -> None:
        """Store rows, durable when this returns; the same row again changes nothing.

        The change feed announces them, like scores and queue events. A caller that stores more rows
        in the same step passes ``is_announced=False`` and stores everything within
        ``announcing_judgements``.
        """

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """Return a context for storing annotations and scores, which the feed then announces.

        It announces them once, after all writes, however the context ends; where no other process
        writes, also if the process is killed within the context.
        """

    def is_alone(self) -> bool:
        """Return whether no other process writes: then a read stays valid until this one writes."""

    def list(
        self, reach: Reach, query: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """Return up to ``limit`` current rows after a slot, in the order of slots.

        Retracted rows are included, with ``is_deleted`` set.
        """

    def revisions(self, key: TraceKey, scheme: str, annotator: str) -> Sequence[Annotation]:
        """Return every row of one annotator on a trajectory, by slot, oldest revision first."""

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """Return the rows of a trajectory that were stored under these write ids."""


class SchemeStore(Protocol):
    """Keeps every text of every scheme."""

    def put(self, scheme: StoredScheme) -> None:
        """Store a text as the current one of its name. Durable when this returns."""

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """Return the newest text of each scheme, or of those of one name, by project and name."""

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """Return one text of a scheme, however old."""


class VersionKeeper(Protocol):
    """Keeps documents as they were annotated: otherwise the store has only the current ones."""

    def keep(self, kept: KeptVersion) -> None:
        """Keep a version durably; versions with equal documents share one stored document."""

    def has(self, key: TraceKey, version: int) -> bool:
        """Return whether a version was kept, without reading its document."""

    def get(self, key: TraceKey, version: int) -> KeptVersion | None:
        """Return a version that was kept."""

    def list(self, key: TraceKey) -> Sequence[KeptAt]:
        """Return the kept versions, newest first, at most 1,000."""

    def current(self, key: TraceKey) -> int:
        """Return the version that is stored now; 0 if there is none."""

    def currents(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the stored versions; trajectories that are missing or deleted are left out."""


class ScoreQuery(NamedTuple):
    """Which scores to read; a field left at its default does not filter."""

    trace_ids: Sequence[str] = ()
    name: str = ""
    sources: Sequence[str] = ()
    author: str = ""
    target: str = ""
    experiment: str = ""
    item: str = ""
    orphans_before_us: int | None = None
    """Only scores older than this whose trajectory is not stored."""


class ScorePlace(NamedTuple):
    """The position of a score in the list."""

    project: str = ""
    trace_id: str = ""
    score_id: str = ""


BEFORE_ALL_SCORES = ScorePlace()


class ScoreStore(Protocol):
    """Keeps scores; annotations are turned into scores automatically."""

    def add(self, scores: Sequence[Score], *, is_announced: bool = True) -> None:
        """Store revisions of scores; durable when this returns.

        ``is_announced`` works as in ``AnnotationStore.add``.
        """

    def list(
        self, reach: Reach, query: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """Return up to ``limit`` current scores after a place, by project, trace and id.

        Retracted scores are left out.
        """

    def of_traces(self, keys: Sequence[TraceKey]) -> Sequence[Score]:
        """Return the newest revision of every score of these traces, retracted ones included."""

    def without_run(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """Return the keys without a stored trajectory, except those that are deleted."""


class QueueReader(Protocol):
    """Reads queues, their items and the events of these items."""

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """Return queues as last put, all or those of one name, by project and name."""

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """Return the items of a queue, in the order of places."""

    def events(self, queue: Queue) -> Sequence[QueueEvent]:
        """Return the events of all items, oldest first."""

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """Return how far people agree on each item that several of them annotated, by trace.

        For steps it compares their correctness, for whole runs the decisive step and who is
        responsible. Steps are matched by id, whatever version they were judged on; annotations of
        adjudicators, models and rules are ignored.
        """


class AnnotationQueueStore(QueueReader, Protocol):
    """Keeps queues, their items and events: rows are added, never changed."""

    def put(self, queue: Queue) -> None:
        """Store a queue as the current one of its name. Durable when this returns."""

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """Put trajectories into a queue; one that is already in it keeps its place."""

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """Store events; durable when this returns."""
