"""Reads annotations with their states in the current version, and withholds them in blind queues.

The state of an annotation is whether its step is unchanged, changed or gone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.annotation.anchors import COUNTING, CurrentState, State, current_state
from spanloom.core.annotation.marks import Score, score_of
from spanloom.core.annotation.places import SPANS, places_now
from spanloom.core.annotation.queue import QueueView
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import WHOLE, Annotation
from spanloom.core.ports.annotations import AnnotationQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.anchors import Anchors, Fate
    from spanloom.core.annotation.places import Bounds
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationStore, QueueReader

    Now = Callable[[], Anchors | None]
    Fates = Callable[[], Mapping[str, Fate]]
    Steps = Callable[[], Mapping[str, Any]]


def withheld_from(
    queues: QueueReader, reach: Reach, reader: str
) -> Callable[[TraceKey, str], bool]:
    """Return a function that returns whether an author's annotations of a run are withheld.

    ``reader`` is the caller's annotator name, empty if the caller has none.
    """
    blind = [queue for queue in queues.list(reach) if queue.is_blind or queue.has_gold]

    @cache
    def views(project: str) -> list[QueueView]:
        own = [queue for queue in blind if queue.project == project]
        return [QueueView(q, queues.items(q), queues.events(q)) for q in own]

    @cache
    def is_hidden(key: TraceKey) -> bool:
        return any(not view.may_see(key.trace_id, reader) for view in views(key.project))

    return lambda key, author: author != reader and bool(blind) and is_hidden(key)


MOST_OF_TRACE = 1_000_000
"""Maximum number of current rows read for one trajectory."""


class ResolvedAnnotation(NamedTuple):
    """An annotation with its state in the current version of the run."""

    annotation: Annotation
    standing: CurrentState
    steps: Steps | None = None
    """Returns the current version's steps, keyed by id; ``None`` if the texts are unchanged."""

    @property
    def counts(self) -> bool:
        """Whether the annotation is used to compute scores and agreement."""
        return self.standing.state in COUNTING

    @property
    def places(self) -> Sequence[Bounds | None]:
        """The current bounds of each text range in the value; empty if the texts are unchanged.

        Reads the document, once for all rows that were read together.
        """
        if (steps := self.steps) is None or not self.annotation.mark.value.get(SPANS):
            return ()
        return places_now(self.annotation.mark.value, self.standing.step_id, steps().get)


class Reading:
    """Reads the annotations of a trajectory, and determines their states."""

    def __init__(self, annotations: AnnotationStore, versions: Versions) -> None:
        """Read annotations from ``annotations``, and anchors of steps from ``versions``."""
        self._annotations = annotations
        self._versions = versions

    def of_trace(
        self, key: TraceKey, scheme: str = "", annotator: str = "", current: int = 0
    ) -> Sequence[ResolvedAnnotation]:
        """Return current, not deleted annotations, ordered by scheme, annotator and step.

        ``current`` is the current version if the caller knows it, otherwise 0.
        """
        return list(self.each_of_trace(key, scheme, annotator, current))

    def each_of_trace(
        self, key: TraceKey, scheme: str, annotator: str, current: int
    ) -> Iterator[ResolvedAnnotation]:
        """Yield the rows of ``of_trace`` one by one, because there may be very many.

        They are read with one query, because every page would scan the whole trajectory again.
        """
        query = AnnotationQuery(key.trace_id, scheme, annotator)
        rows = self._annotations.list(Reach.only(key.project), query, MOST_OF_TRACE)
        return self._each_resolved(key, (row for row in rows if not row.is_deleted), current)

    def resolve(
        self, key: TraceKey, rows: Iterable[Annotation], current: int = 0
    ) -> Sequence[ResolvedAnnotation]:
        """Return annotations of a trajectory with their states."""
        return list(self._each_resolved(key, rows, current))

    def _each_resolved(
        self, key: TraceKey, rows: Iterable[Annotation], current: int
    ) -> Iterator[ResolvedAnnotation]:
        """Yield annotations with their states, as they are read.

        The document is read only if an annotation was made on an earlier version; annotations of
        the current version are valid.
        """
        current = current or self._versions.current(key)

        @cache
        def now() -> Anchors | None:
            return self._versions.anchors(key, current)

        @cache
        def fates() -> Mapping[str, Fate]:
            return self._versions.fates(key)

        @cache
        def steps() -> Mapping[str, Any]:
            return self._versions.steps(key, current)

        for row in rows:
            standing = self._standing(row, current, now, fates)
            yield ResolvedAnnotation(
                row, standing, None if _is_same(row, standing, current) else steps
            )

    def _standing(self, row: Annotation, current: int, now: Now, fates: Fates) -> CurrentState:
        step_id = row.slot.step_id
        if step_id == WHOLE:
            return CurrentState(State.WHOLE)
        if row.anchor.version == current and row.anchor.step_hash:
            return CurrentState(State.VALID, step_id)
        if (anchors := now()) is None:
            return CurrentState(State.ORPHANED, "", "the trajectory is no longer stored")
        return current_state(step_id, row.anchor, anchors, fates)


def _is_same(row: Annotation, standing: CurrentState, current: int) -> bool:
    """Return whether the annotated texts are unchanged."""
    return row.anchor.version == current or standing.state is State.VALID


def score_now(scheme: Scheme, rows: Iterable[ResolvedAnnotation], steps: AbstractSet[str]) -> Score:
    """Return the score of one annotator, from the annotations that count in this version."""
    marks = {
        row.standing.step_id: row.annotation.mark
        for row in rows
        if row.counts and row.annotation.slot.step_id != WHOLE
    }
    return score_of(scheme, marks, steps)
