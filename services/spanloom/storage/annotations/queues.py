"""``AnnotationQueueStore`` in ClickHouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.annotation_queue import (
    Alike,
    Event,
    Mode,
    Order,
    Queue,
    QueueEvent,
    QueueItem,
)
from spanloom.core.model.span import TraceKey
from spanloom.core.records.queue import QUEUED_RUN
from spanloom.storage.annotations.rows import living
from spanloom.storage.engine.columns import to_json
from spanloom.storage.engine.object_rows import ObjectRows
from spanloom.storage.engine.parameters import within
from spanloom.storage.engine.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.access import Reach
    from spanloom.storage.annotations.rows import Announcing
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

_ITEMS = ObjectRows(QUEUED_RUN, QueueItem, {}, {"is_gold": bool})
_EVENT_COLUMNS = ("Project", "Queue", "TraceId", "Annotator", "AtUnixMicro", "Event")
_OF_ROW = ("project", "name", "at_us")


class ReadQueues:
    """``QueueReader`` in ClickHouse, with one connection."""

    def __init__(self, reader: Connection, *, is_alone: bool = False) -> None:
        """Use the connection; the caller closes it.

        ``is_alone`` means that only this object writes queues.
        """
        self._reader = reader
        self._queues = Remembered[Sequence[Queue]](is_alone=is_alone)

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """See ``QueueReader.list``."""

        def read() -> Sequence[Queue]:
            rows = self._reader.rows("read_queues", reach=within(reach), of_name=name)
            return tuple(map(_queue, rows))

        return self._queues.get((reach, name), read)

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """See ``QueueReader.items``."""
        rows = self._reader.rows(
            "queue_items", columns=_ITEMS.columns, project=queue.project, queue=queue.name
        )
        items = list(map(_ITEMS.object, rows))
        return living(self._reader, items, lambda item: TraceKey(queue.project, item.trace_id))

    def events(self, queue: Queue) -> Sequence[QueueEvent]:
        """See ``QueueReader.events``."""
        rows = self._reader.rows("queue_events", project=queue.project, queue=queue.name)
        events = [QueueEvent(of, who, at_us, Event(event)) for of, who, at_us, event in rows]
        return living(self._reader, events, lambda event: TraceKey(queue.project, event.trace_id))

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """See ``QueueReader.alike``."""
        rows = self._reader.rows(
            "judged_alike", project=queue.project, queue=queue.name, scheme=queue.scheme
        )
        found = living(self._reader, list(rows), lambda r: TraceKey(queue.project, r.TraceId))
        return {row.TraceId: Alike(row.Shared, row.Same) for row in found}


class ClickHouseAnnotationQueues(ReadQueues):
    """Annotation queues in ClickHouse.

    It writes with the extractor's connection, and reads with the readers' connection. Changes that
    may make withheld annotations visible are announced in the change feed.
    """

    def __init__(
        self, worker: Connection, reader: Connection, feed: Announcing, *, is_alone: bool
    ) -> None:
        """Use the connections; the caller closes them.

        ``is_alone`` means that no other process writes queues.
        """
        super().__init__(reader, is_alone=is_alone)
        self._worker = worker
        self._feed = feed

    def put(self, queue: Queue) -> None:
        """See ``AnnotationQueueStore.put``; annotations withheld so far may become visible."""
        items = self.items(queue)
        with self._feed.announcing_judgements(
            TraceKey(queue.project, item.trace_id) for item in items
        ):
            self._put(queue)

    def _put(self, queue: Queue) -> None:
        definition = {k: v for k, v in asdict(queue).items() if k not in _OF_ROW}
        row = {
            "Project": queue.project,
            "Name": queue.name,
            "AtUnixMicro": queue.at_us,
            "Definition": to_json(definition),
        }
        with self._queues.writes:
            self._worker.insert_objects("annotation_queues", [row])

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """See ``AnnotationQueueStore.add_items``."""
        of_queue = {"Project": queue.project, "Queue": queue.name}
        rows = ({**of_queue, **_ITEMS.row(item)} for item in items)
        self._worker.insert_objects("annotation_queue_items", rows)

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """See ``AnnotationQueueStore.add_events``; finishing an item reveals its annotations."""
        rows = ([queue.project, queue.name, *event] for event in events)
        with self._feed.announcing_judgements(
            TraceKey(queue.project, event.trace_id) for event in events
        ):
            self._worker.insert("annotation_queue_events", _EVENT_COLUMNS, rows)


def _queue(row: Row) -> Queue:
    definition = orjson.loads(row.Definition)
    definition["order"] = Order(definition["order"])
    definition["mode"] = Mode(definition.get("mode", Mode.ASSIGNED))
    return Queue(project=row.Project, name=row.Name, at_us=row.AtUnixMicro, **definition)
