"""The whole store: for wiring and for the suite that every implementation passes."""

from __future__ import annotations

from typing import Protocol

from spanloom.core.ports.building import BuildingStore
from spanloom.core.ports.progress import ChangeReader, ProgressWriter, ReplayQueue
from spanloom.core.ports.reading import ReadingStore
from spanloom.core.ports.spans import SpanWriter
from spanloom.core.ports.texts import TextIndexer
from spanloom.core.ports.upkeep import UsageReader


class ReplayingStore(ReplayQueue, BuildingStore, Protocol):
    """All that working a replay off asks of a store."""


class ExtractionStore(ChangeReader, ProgressWriter, ReplayingStore, Protocol):
    """All that the extractor asks of a store."""

    def is_laid_out(self) -> bool:
        """Return whether what older releases stored is in its present form; once so, for good."""


class Store(SpanWriter, ExtractionStore, ReadingStore, UsageReader, TextIndexer, Protocol):
    """All of it, and its life cycle."""

    def close(self) -> None:
        """Release the store; a closed store is not used again."""
