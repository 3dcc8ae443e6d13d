"""Finds runs for queues, and compares annotators with gold items, whose answers are known."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import Accuracy, accuracy_of
from spanloom.core.errors import NotFoundError
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import WHOLE, Origin
from spanloom.core.model.annotation_queue import QueueItem
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.annotations import AnnotationQuery
from spanloom.core.query.lists import every_line
from spanloom.core.query.selection import ANY_RUN, RunSelection, condition_of
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.tree import And, In
from spanloom.core.records.run_filters import default_filters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.annotation.queue import QueueView
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQueueStore, AnnotationStore
    from spanloom.core.ports.reading import RunReader
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition


MOST_ITEMS = 10_000
"""Maximum items of one queue."""
PAGE = 1_000
AT_ONCE = 200
"""Maximum runs that one query reads."""

_SHOWN = condition_of(default_filters())
"""The default filters of the list of runs."""


class UnknownQueueError(NotFoundError):
    """There is no such queue, or the trajectory is not in it (404)."""


class Filling:
    """Finds runs to add to a queue as items."""

    def __init__(self, runs: RunReader, now_us: Callable[[], int]) -> None:
        """Use the list of runs, and a strictly increasing clock in µs."""
        self._stored = runs
        self._now_us = now_us

    def named(
        self, queue: Queue, trace_ids: Sequence[str], gold: Sequence[str]
    ) -> Sequence[QueueItem]:
        """Return items for runs given by trace id, with gold items spread among the others.

        Raises ``UnknownQueueError`` for a run that is not stored.
        """
        plain = [trace_id for trace_id in dict.fromkeys(trace_ids) if trace_id not in set(gold)]
        mixed = spread(plain, list(dict.fromkeys(gold)))
        found = self._by_id(queue, mixed)
        if missing := [trace_id for trace_id in mixed if trace_id not in found]:
            raise UnknownQueueError(
                f"There is no trajectory {missing[0]} in project {queue.project!r}."
            )
        at_us = self._now_us()
        return [
            _item(found[trace_id], at_us + n)._replace(is_gold=trace_id in set(gold))
            for n, trace_id in enumerate(mixed)
        ]

    def matching(
        self, queue: Queue, where: str, present: set[str], most: int
    ) -> Sequence[QueueItem]:
        """Return items for the runs that match ``where`` and are not ``present``, oldest first.

        For a living queue, runs that are still live are skipped.
        """
        runs = [
            run
            for run in self._runs(queue, where)
            if run.key.trace_id not in present
            and not (queue.is_living and run.status is Status.LIVE)
        ]
        at_us = self._now_us()
        return [_item(run, at_us + n) for n, run in enumerate(runs[::-1][:most])]

    def found(self, queue: Queue, trace_id: str) -> QueueItem | None:
        """Return an item for a run if it matches the ``where`` of the queue, otherwise ``None``."""
        where = And((self._where(queue.where), In(RUN_FIELDS["trace_id"], [trace_id])))
        question, reach = RunSelection(where, ANY_RUN.order), Reach.only(queue.project)
        for run in self._stored.list(reach, _SHOWN, 1, None, question):
            return _item(run, self._now_us())
        return None

    def _where(self, text: str) -> Condition:
        return parse_where(text, self._now_us() * 1_000)

    def _runs(self, queue: Queue, where: str) -> Iterator[ListedRun]:
        """Return the newest runs that match, with the default filters of the list."""
        question, reach = RunSelection(self._where(where), ANY_RUN.order), Reach.only(queue.project)
        runs = every_line(
            lambda most, after: self._stored.list(reach, _SHOWN, most, after, question),
            lambda run: run.cursor,
            PAGE,
        )
        return islice(runs, MOST_ITEMS)

    def _by_id(self, queue: Queue, trace_ids: Sequence[str]) -> Mapping[str, ListedRun]:
        reach, found = Reach.only(queue.project), {}
        for start in range(0, len(trace_ids), AT_ONCE):
            some = trace_ids[start : start + AT_ONCE]
            question = RunSelection(In(RUN_FIELDS["trace_id"], some), ANY_RUN.order)
            for run in self._stored.list(reach, None, AT_ONCE, None, question):
                found[run.key.trace_id] = run
        return found


def spread(plain: Sequence[str], gold: Sequence[str]) -> Sequence[str]:
    """Merge two lists of trace ids in order, with the ``gold`` ids evenly spread."""
    places = [(n + 0.5, trace_id) for n, trace_id in enumerate(plain)]
    apart = max(1, len(plain)) / max(1, len(gold))
    places += [((n + 0.5) * apart, trace_id) for n, trace_id in enumerate(gold)]
    return [trace_id for _, trace_id in sorted(places)]


def _item(run: ListedRun, place: int) -> QueueItem:
    return QueueItem(run.key.trace_id, place, run.version, run.run.failures)


class LivingQueues:
    """Adds runs that have been annotated or scored to the blind living queues of their project."""

    def __init__(self, queues: AnnotationQueueStore, runs: RunReader) -> None:
        """Use the store of queues and the list of runs."""
        self._queues = queues
        self._filling = Filling(runs, lambda: time.time_ns() // 1_000)

    def take_in(self, key: TraceKey) -> None:
        """Add a run, even a live one, to each blind living queue whose ``where`` it matches."""
        for queue in self._queues.list(Reach.only(key.project)):
            if not (queue.is_living and queue.is_blind):
                continue
            present = {item.trace_id for item in self._queues.items(queue)}
            if key.trace_id in present or len(present) >= MOST_ITEMS:
                continue
            if (item := self._filling.found(queue, key.trace_id)) is not None:
                self._queues.add_items(queue, [item])


MOST_GOLD = 200
"""Maximum number of gold items in a queue."""
MOST_ROWS = 100_000


class Gold:
    """Compares the annotators of a queue with the adjudications of its gold items."""

    def __init__(self, annotations: AnnotationStore) -> None:
        """Read annotations and adjudications from a store."""
        self._annotations = annotations

    def is_adjudicated(self, queue: Queue, trace_id: str) -> bool:
        """Return whether a run has an adjudication in the scheme of a queue."""
        return bool(_adjudicated(self._rows(queue, trace_id)))

    def accuracy(self, view: QueueView) -> Mapping[str, Accuracy]:
        """Return, keyed by name, the accuracy of each annotator who has finished gold items."""
        by_annotator: defaultdict[str, list[Accuracy]] = defaultdict(list)
        for item in view.items:
            if item.is_gold and (done := view.done_by(item.trace_id)):
                rows = self._rows(view.queue, item.trace_id)
                answers = _adjudicated(rows)
                for who in done:
                    by_annotator[who].append(accuracy_of(answers, _answers_by(rows, who)))
        return {
            who: Accuracy(*map(sum, zip(*parts, strict=True)))
            for who, parts in by_annotator.items()
        }

    def _rows(self, queue: Queue, trace_id: str) -> Sequence[Annotation]:
        query = AnnotationQuery(trace_id, queue.scheme)
        rows = self._annotations.list(Reach.only(queue.project), query, MOST_ROWS)
        return [row for row in rows if not row.is_deleted and _answer(row)]


def _adjudicated(rows: Sequence[Annotation]) -> Mapping[str, str]:
    """Return the adjudicated answers, keyed by step, the latest if a step has several."""
    decided = [row for row in rows if row.origin is Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in sorted(decided, key=lambda row: row.at_us)}


def _answers_by(rows: Sequence[Annotation], annotator: str) -> Mapping[str, str]:
    own = [r for r in rows if r.slot.annotator == annotator and r.origin is not Origin.ADJUDICATION]
    return {row.slot.step_id: _answer(row) for row in own}


def _answer(row: Annotation) -> str:
    """Return the answer to compare: correctness, or for a whole run the decisive step and agent."""
    if row.slot.step_id != WHOLE:
        return row.mark.correctness
    value = row.mark.value
    return f"{value.get('decisive_step') or ''}{value.get('responsible_agent') or ''}"
