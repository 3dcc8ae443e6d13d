"""The store in memory: what the contract means in the plainest code, for tests.

It decodes with the stock opentelemetry-proto classes, so it is also what ClickHouse's rows are
compared with. Everything is lost with the object.
"""

from __future__ import annotations

from tests.support.memory_annotations import MemoryAnnotations
from tests.support.memory_deletions import MemoryDeletions
from tests.support.memory_progress import MemoryProgress
from tests.support.memory_replays import MemoryReplays
from tests.support.memory_spans import MemorySpans
from tests.support.memory_texts import MemoryTexts

from spanloom.core.errors import NotEmbeddedError


class MemoryStore(
    MemorySpans,
    MemoryProgress,
    MemoryTexts,
    MemoryReplays,
    MemoryDeletions,
    MemoryAnnotations,
):
    """``Store`` in dictionaries, one lock around everything."""

    def take_snapshot(self) -> int:
        """See ``SnapshotTaker.take_snapshot``: there are no files to hold."""
        raise NotEmbeddedError("A store in memory has no files.")

    def make_room(self) -> None:
        """See ``BuildingStore.make_room``: there is nothing to give back."""

    def ping(self) -> None:
        """See ``Store.ping``."""

    def close(self) -> None:
        """See ``Store.close``."""
