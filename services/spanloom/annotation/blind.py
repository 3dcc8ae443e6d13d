"""Decides which annotations are withheld from a reader by blind queues and gold items."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import QueueView

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import QueueReader


def withheld_from(
    queues: QueueReader, reach: Reach, reader: str
) -> Callable[[TraceKey, str], bool]:
    """Return a predicate: whether a trajectory's annotations by an author are withheld.

    ``reader`` is the annotator's name of the caller, empty if the caller has none.
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
