"""Ports for annotations, schemes, annotated versions, scores and queues."""

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
    """A query for annotations; a field with its default value does not filter."""

    trace_id: str | None = None
    scheme: str = ""
    annotator: str = ""
    from_us: int = 0
    """Only annotations accepted at this time or later, in microseconds since the epoch."""
    before_us: int = 2**63


@dataclass(frozen=True, slots=True)
class StoredScheme:
    """A scheme's text, as stored at some time."""

    project: str
    name: str
    hash: str
    at_us: int
    put_by: str
    text: str


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """The document of a trajectory version that was annotated."""

    key: TraceKey
    version: int
    hash: str
    """Hash of the document without its version."""
    at_us: int
    document: bytes


class KeptAt(NamedTuple):
    """The number of a version that was stored because it was annotated, and the time."""

    version: int
    at_us: int
    """Time of storing, in microseconds since the epoch."""


class AnnotationStore(Protocol):
    """Stores annotations; rows are added, never changed, and not removed by retention."""

    def add(self, rows: Sequence[Annotation], *, is_announced: bool = True) -> None:
        """Store rows, durable on return; storing the same row again changes nothing.

        The change feed announces them, as it does scores and queue events. To announce several
        writes only once, make them within ``announcing_judgements``, with ``is_announced=False``.
        """

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """Return a context manager; annotations and scores stored within it are announced once.

        The feed announces them when the context ends, even with an exception. If no other process
        writes to the store, they are announced even if the process is killed within the context.
        """

    def is_alone(self) -> bool:
        """Return whether no other process writes, so that results stay valid until a write."""

    def list(
        self, reach: Reach, query: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """Return up to ``limit`` current annotations after a slot, in the order of slots.

        A slot is the judged step or run, together with the scheme and the annotator. Retracted
        annotations are included, with ``is_deleted`` set.
        """

    def revisions(self, key: TraceKey, scheme: str, annotator: str) -> Sequence[Annotation]:
        """Return one annotator's revisions for a trajectory, ordered by slot, the oldest first."""

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """Return the annotations of a trajectory that were stored with these write ids."""


class SchemeStore(Protocol):
    """Stores schemes, with all former texts."""

    def put(self, scheme: StoredScheme) -> None:
        """Store a text as the current text of its scheme; it is durable on return."""

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """Return the newest text of all schemes, or of ``name``, ordered by project and name."""

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """Return the current or former text with this hash; ``None`` if there is none."""


class VersionKeeper(Protocol):
    """Stores annotated versions; the store has only the current version of other documents."""

    def keep(self, kept: KeptVersion) -> None:
        """Store a version durably; versions with equal documents share one stored document."""

    def has(self, key: TraceKey, version: int) -> bool:
        """Return whether ``keep`` has stored a version, without reading its document."""

    def get(self, key: TraceKey, version: int) -> KeptVersion | None:
        """Return a version that ``keep`` has stored; ``None`` if it has not."""

    def list(self, key: TraceKey) -> Sequence[KeptAt]:
        """Return the versions that ``keep`` has stored, newest first, at most 1,000."""

    def current(self, key: TraceKey) -> int:
        """Return the number of the trajectory's current version; 0 if there is none."""

    def currents(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the numbers of current versions; omit missing or deleted trajectories."""


class ScoreQuery(NamedTuple):
    """A query for scores; a field with its default value does not filter."""

    trace_ids: Sequence[str] = ()
    name: str = ""
    sources: Sequence[str] = ()
    author: str = ""
    target: str = ""
    experiment: str = ""
    item: str = ""
    orphans_before_us: int | None = None
    """Only scores older than this, in µs since the epoch, whose trajectory is not stored."""


class ScorePlace(NamedTuple):
    """The position of a score in the list."""

    project: str = ""
    trace_id: str = ""
    score_id: str = ""


BEFORE_ALL_SCORES = ScorePlace()


class ScoreStore(Protocol):
    """Stores scores; annotations are converted to scores automatically."""

    def add(self, scores: Sequence[Score], *, is_announced: bool = True) -> None:
        """Store revisions of scores; they are durable on return.

        ``is_announced`` works as in ``AnnotationStore.add``.
        """

    def list(
        self, reach: Reach, query: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """Return up to ``limit`` current scores after a position, ordered by project, trace and id.

        Retracted scores are left out.
        """

    def of_traces(self, keys: Sequence[TraceKey]) -> Sequence[Score]:
        """Return the newest revision of every score of these traces, including retracted scores."""

    def without_run(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """Return the keys of traces without a stored trajectory, except deleted traces."""


class QueueReader(Protocol):
    """Reads queues, their items and the events of these items."""

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """Return all current queues, or those named ``name``, ordered by project and name."""

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """Return the items of a queue in the order of their addition."""

    def events(self, queue: Queue) -> Sequence[QueueEvent]:
        """Return the events of all items, oldest first."""

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """Return the agreement on each item that several people annotated, ordered by trace.

        For steps the correctness is compared, for whole runs the decisive step and the responsible
        agent. Steps are matched by id, in whatever version they were judged. Annotations by
        adjudicators, models and rules are ignored.
        """


class AnnotationQueueStore(QueueReader, Protocol):
    """Stores queues, their items and events; rows are added, never changed."""

    def put(self, queue: Queue) -> None:
        """Store a queue, which replaces the queue with its name; it is durable on return."""

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """Add items to a queue; a trajectory that is already in the queue keeps its position."""

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """Store events; they are durable on return."""
