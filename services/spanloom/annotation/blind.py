"""What is withheld from whom in a blind queue."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import QueueReader


def withheld_from(
    queues: QueueReader, reach: Reach, reader: str
) -> Callable[[TraceKey, str], bool]:
    """Return whether what an author says of a trajectory is withheld from a reader.

    The reader is an annotator's name, empty for somebody without one.
    """
    blind = [queue for queue in queues.list(reach) if queue.is_blind or queue.has_gold]

    @cache
    def desks(project: str) -> list[Desk]:
        own = [queue for queue in blind if queue.project == project]
        return [Desk(q, queues.items(q), queues.events(q)) for q in own]

    @cache
    def is_open(key: TraceKey) -> bool:
        return any(not desk.may_see(key.trace_id, reader) for desk in desks(key.project))

    return lambda key, author: author != reader and bool(blind) and is_open(key)
