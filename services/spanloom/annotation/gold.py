"""Gold items: their known answers, and the accuracy of annotators against them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import Accuracy, accuracy_of
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import WHOLE, Origin
from spanloom.core.ports.annotations import AnnotationQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.annotation.queue import QueueView
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue
    from spanloom.core.ports.annotations import AnnotationStore


MOST_GOLD = 200
"""Maximum of gold items in a queue."""
MOST_ROWS = 100_000


class Gold:
    """Compares annotators with earlier adjudications."""

    def __init__(self, annotations: AnnotationStore) -> None:
        """Read marks and adjudications from the store of annotations."""
        self._annotations = annotations

    def is_known(self, queue: Queue, trace_id: str) -> bool:
        """Return whether a run has been adjudicated by the scheme of a queue."""
        return bool(_known(self._rows(queue, trace_id)))

    def accuracy(self, view: QueueView) -> Mapping[str, Accuracy]:
        """Return the accuracy of each annotator with done gold items, by name."""
        by_annotator: defaultdict[str, list[Accuracy]] = defaultdict(list)
        for item in view.items:
            if item.is_gold and (done := view.done_by(item.trace_id)):
                rows = self._rows(view.queue, item.trace_id)
                known = _known(rows)
                for who in done:
                    by_annotator[who].append(accuracy_of(known, _answers_by(rows, who)))
        return {
            who: Accuracy(*map(sum, zip(*parts, strict=True)))
            for who, parts in by_annotator.items()
        }

    def _rows(self, queue: Queue, trace_id: str) -> Sequence[Annotation]:
        query = AnnotationQuery(trace_id, queue.scheme)
        rows = self._annotations.list(Reach.only(queue.project), query, MOST_ROWS)
        return [row for row in rows if not row.is_deleted and _answer(row)]


def _known(rows: Sequence[Annotation]) -> Mapping[str, str]:
    """Return the adjudicated answers by step, of several the latest."""
    decided = [row for row in rows if row.origin is Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in sorted(decided, key=lambda row: row.at_us)}


def _answers_by(rows: Sequence[Annotation], annotator: str) -> Mapping[str, str]:
    own = [r for r in rows if r.slot.annotator == annotator and r.origin is not Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in own}


def _answer(row: Annotation) -> str:
    """Return the compared answer: correctness, or for a whole run decisive step and agent."""
    if row.slot.step_id != WHOLE:
        return row.mark.correctness
    value = row.mark.value
    return f"{value.get('decisive_step') or ''}{value.get('responsible_agent') or ''}"
