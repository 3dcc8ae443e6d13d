"""What a blind queue withholds from whoever has no name: what only some may see counts for nobody.

Filters, events and SQL answer everybody alike. So there an item of a blind queue is as if nobody
had said anything of it, until all its annotators are done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.queueing import Desk
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotation_queues import QueueReader


def withheld_from_all(queues: QueueReader, reach: Reach) -> AbstractSet[TraceKey]:
    """Return the trajectories of which nothing may be told that people or models say."""
    desks = [
        Desk(queue, queues.items(queue), queues.events(queue))
        for queue in queues.list(reach)
        if queue.is_blind
    ]
    return {
        TraceKey(desk.queue.project, item.trace_id)
        for desk in desks
        for item in desk.items
        if not desk.may_see(item.trace_id, "")
    }
