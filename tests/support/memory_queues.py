"""In-memory annotation queues."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.support.memory_annotations import MemoryAnnotations
from tests.support.memory_state import MemorySubject

from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import Origin
from spanloom.core.model.annotation_queue import Alike
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import AnnotationQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem


class MemoryQueues(MemorySubject):
    """Queues, their items and the events of the items."""

    def put(self, queue: Queue) -> None:
        """See ``AnnotationQueueStore.put``."""
        items = self.items(queue)
        with self._state.announcing_judgements(
            TraceKey(queue.project, item.trace_id) for item in items
        ):
            self._state.queues[queue.project, queue.name] = queue

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """See ``AnnotationQueueStore.list``."""
        found = (self._state.queues[place] for place in sorted(self._state.queues))
        return [q for q in found if reach.covers(q.project) and name in ("", q.name)]

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """See ``AnnotationQueueStore.add_items``."""
        with self._state.lock:
            held = self._state.queue_items.setdefault((queue.project, queue.name), {})
            for item in items:
                known = held.get(item.trace_id, item)
                is_gold = known.is_gold or item.is_gold
                first = min(known, item, key=lambda i: i.place)
                held[item.trace_id] = first._replace(is_gold=is_gold)

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """See ``AnnotationQueueStore.items``."""
        held = self._state.queue_items.get((queue.project, queue.name), {})
        gone = {key.trace_id for key in self._state.deleted if key.project == queue.project}
        found = (item for item in held.values() if item.trace_id not in gone)
        return sorted(found, key=lambda item: (item.place, item.trace_id))

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """See ``AnnotationQueueStore.add_events``."""
        keys = (TraceKey(queue.project, event.trace_id) for event in events)
        with self._state.announcing_judgements(keys), self._state.lock:
            self._state.queue_events.setdefault((queue.project, queue.name), set()).update(events)

    def events(self, queue: Queue) -> Sequence[QueueEvent]:
        """See ``AnnotationQueueStore.events``."""
        gone = {key.trace_id for key in self._state.deleted if key.project == queue.project}
        held = self._state.queue_events.get((queue.project, queue.name), set())
        found = (e for e in held if e.trace_id not in gone)
        return sorted(found, key=lambda e: (e.at_us, e.trace_id, e.annotator, e.event))

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """See ``AnnotationQueueStore.alike``."""
        held = self._state.queue_items.get((queue.project, queue.name), {})
        asked = AnnotationQuery(scheme=queue.scheme)
        answers_of: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in MemoryAnnotations(self._state).list(Reach.only(queue.project), asked, 2**31):
            answer = row.mark.correctness if row.slot.step_id else _whole(row)
            is_of_people = row.origin in (Origin.HUMAN, Origin.IMPORT)
            if row.slot.key.trace_id in held and answer and is_of_people and not row.is_deleted:
                answers_of[row.slot.key.trace_id, row.slot.step_id].append(answer)
        found: dict[str, Alike] = {}
        for (trace_id, _), answers in sorted(answers_of.items()):
            if len(answers) > 1:
                shared, same = found.get(trace_id, Alike(0, 0))
                found[trace_id] = Alike(shared + 1, same + (len(set(answers)) == 1))
        return found


def _whole(row: Annotation) -> str:
    value = row.mark.value
    return f"{value.get('decisive_step') or ''}{value.get('responsible_agent') or ''}"
