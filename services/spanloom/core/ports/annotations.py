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
    """Which annotations to read; a field with its default value does not filter."""

    trace_id: str | None = None
    scheme: str = ""
    annotator: str = ""
    from_us: int = 0
    """Only annotations accepted at this time or later, in microseconds since the epoch."""
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
    """Which version was stored for its annotations, and when."""

    version: int
    at_us: int
    """Time of storing, in microseconds since the epoch."""


class AnnotationStore(Protocol):
    """Stores annotations: rows are added, never changed, and survive retention."""

    def add(self, rows: Sequence[Annotation], *, is_announced: bool = True) -> None:
        """Store rows, durable on return; storing the same row again changes nothing.

        The change feed announces them, like scores and queue events. A caller that stores more rows
        in the same step passes ``is_announced=False`` and stores everything within
        ``announcing_judgements``.
        """

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """Return a context for storing annotations and scores, which the feed then announces.

        The feed announces them once, after all writes, even if the context ends with an exception.
        Where no other process writes, it announces them even if the process is killed within the
        context.
        """

    def is_alone(self) -> bool:
        """Return whether no other process writes; then results are valid until the next write."""

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
    """Stores every text of every scheme."""

    def put(self, scheme: StoredScheme) -> None:
        """Store a text as the current text of its scheme; it is durable on return."""

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """Return the newest text of each scheme, or of the named scheme, by project and name."""

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """Return the text of a scheme with this hash, of any age; ``None`` if there is none."""


class VersionKeeper(Protocol):
    """Stores documents as they were annotated, while the store otherwise has only current ones."""

    def keep(self, kept: KeptVersion) -> None:
        """Store a version durably; versions with equal documents share one stored document."""

    def has(self, key: TraceKey, version: int) -> bool:
        """Return whether a version was stored here, without reading its document."""

    def get(self, key: TraceKey, version: int) -> KeptVersion | None:
        """Return a version that was stored here; ``None`` if it was not."""

    def list(self, key: TraceKey) -> Sequence[KeptAt]:
        """Return the versions stored here, newest first, at most 1,000."""

    def current(self, key: TraceKey) -> int:
        """Return the current version of the trajectory in the store; 0 if there is none."""

    def currents(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the current versions; trajectories that are missing or deleted are left out."""


class ScoreQuery(NamedTuple):
    """Which scores to read; a field with its default value does not filter."""

    trace_ids: Sequence[str] = ()
    name: str = ""
    sources: Sequence[str] = ()
    author: str = ""
    target: str = ""
    experiment: str = ""
    item: str = ""
    orphans_before_us: int | None = None
    """Only scores older than this time, in microseconds, whose trajectory is not stored."""


class ScorePlace(NamedTuple):
    """The position of a score in the list."""

    project: str = ""
    trace_id: str = ""
    score_id: str = ""


BEFORE_ALL_SCORES = ScorePlace()


class ScoreStore(Protocol):
    """Stores scores; it turns annotations into scores automatically."""

    def add(self, scores: Sequence[Score], *, is_announced: bool = True) -> None:
        """Store revisions of scores; they are durable on return.

        ``is_announced`` works as in ``AnnotationStore.add``.
        """

    def list(
        self, reach: Reach, query: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """Return up to ``limit`` current scores after a position, by project, trace and id.

        Retracted scores are left out.
        """

    def of_traces(self, keys: Sequence[TraceKey]) -> Sequence[Score]:
        """Return the newest revision of every score of these traces, including retracted scores."""

    def without_run(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """Return the keys of traces without a stored trajectory, except deleted traces."""


class QueueReader(Protocol):
    """Reads queues, their items and the events of these items."""

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """Return the current queues, all or those of one name, by project and name."""

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """Return the items of a queue in queue order."""

    def events(self, queue: Queue) -> Sequence[QueueEvent]:
        """Return the events of all items, oldest first."""

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """Return the agreement on each item that several people annotated, by trace.

        For steps it compares their correctness, for whole runs the decisive step and the
        responsible agent. Steps are matched by id, whatever version they were judged on;
        annotations of adjudicators, models and rules are ignored.
        """


class AnnotationQueueStore(QueueReader, Protocol):
    """Stores queues, their items and events: rows are added, never changed."""

    def put(self, queue: Queue) -> None:
        """Store a queue as the current one of its name; it is durable on return."""

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """Put trajectories into a queue; a trajectory already in the queue keeps its position."""

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """Store events; they are durable on return."""
