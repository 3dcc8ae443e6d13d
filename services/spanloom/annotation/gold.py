"""Gold items: the known answers, and how often annotators agree with them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import Accuracy, accuracy_of
from spanloom.core.model.annotation import WHOLE, Origin
from spanloom.core.model.tenancy import Reach
from spanloom.core.ports.annotations import AnnotationQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.annotation.queue import Desk
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue
    from spanloom.core.ports.annotations import AnnotationStore


MOST_GOLD = 200
"""Gold items of one queue."""
MOST_ROWS = 100_000


class Gold:
    """Compares annotators with what was adjudicated before."""

    def __init__(self, store: AnnotationStore) -> None:
        """Take the store of annotations."""
        self._store = store

    def is_known(self, queue: Queue, trace_id: str) -> bool:
        """Return whether somebody decided what is right of a run, by the scheme of a queue."""
        return bool(_known(self._rows(queue, trace_id)))

    def accuracy(self, desk: Desk) -> Mapping[str, Accuracy]:
        """Return how often each annotator who is done with gold items said what is known."""
        found: defaultdict[str, list[Accuracy]] = defaultdict(list)
        for item in desk.items:
            if item.is_gold and (done := desk.done_by(item.trace_id)):
                rows = self._rows(desk.queue, item.trace_id)
                known = _known(rows)
                for who in done:
                    found[who].append(accuracy_of(known, _said_by(rows, who)))
        return {
            who: Accuracy(*map(sum, zip(*all_of, strict=True))) for who, all_of in found.items()
        }

    def _rows(self, queue: Queue, trace_id: str) -> Sequence[Annotation]:
        asked = AnnotationQuery(trace_id, queue.scheme)
        rows = self._store.annotations(Reach.only(queue.project), asked, MOST_ROWS)
        return [row for row in rows if not row.is_deleted and _answer(row)]


def _known(rows: Sequence[Annotation]) -> Mapping[str, str]:
    """Return the answers of adjudicators by step; of several the latest."""
    decided = [row for row in rows if row.origin is Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in sorted(decided, key=lambda row: row.at_us)}


def _said_by(rows: Sequence[Annotation], annotator: str) -> Mapping[str, str]:
    own = [r for r in rows if r.slot.annotator == annotator and r.origin is not Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in own}


def _answer(row: Annotation) -> str:
    """Return what is compared: correctness, or of a whole run the decisive step and whose it is."""
    if row.slot.step_id != WHOLE:
        return row.mark.correctness
    said = row.mark.value
    return f"{said.get('decisive_step') or ''}{said.get('responsible_agent') or ''}"
