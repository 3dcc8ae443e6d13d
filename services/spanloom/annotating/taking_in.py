"""Takes runs into blind living queues before something is said of them.

Such a queue takes in what its question finds whenever somebody looks at it. What is said of a run
that it would take in is withheld all the same, also where nobody has looked yet.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.annotating.filling import MOST_ITEMS, Filling
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotation_queues import AnnotationQueueStore
    from spanloom.core.ports.reading import RunReader


class TakingIn:
    """Looks into the blind living queues of a project."""

    def __init__(self, queues: AnnotationQueueStore, runs: RunReader) -> None:
        """Take the queues, and the runs that they may take in."""
        self._queues = queues
        self._filling = Filling(runs, lambda: time.time_ns() // 1_000)

    def take_in(self, key: TraceKey) -> None:
        """Put a run into every such queue whose question finds it, also one that still goes on."""
        for queue in self._queues.list(Reach.only(key.project)):
            if not (queue.is_living and queue.is_blind):
                continue
            there = {item.trace_id for item in self._queues.items(queue)}
            if key.trace_id in there or len(there) >= MOST_ITEMS:
                continue
            if (item := self._filling.found(queue, key.trace_id)) is not None:
                self._queues.add_items(queue, [item])
