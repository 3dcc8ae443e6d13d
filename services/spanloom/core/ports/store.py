"""The interface of the complete store, made up of one port per subject: spans, runs, the feed, ….

Startup creates an implementation, and ``tests/contract`` tests it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from spanloom.core.ports.building import BuildingStore
from spanloom.core.ports.progress import ChangeReader, ProgressWriter
from spanloom.core.ports.reading import ReadingStore, SentSpans
from spanloom.core.ports.spans import SpanReader, SpanWriter

if TYPE_CHECKING:
    from spanloom.core.ports.feed import FeedStore
    from spanloom.core.ports.progress import ReplayQueue
    from spanloom.core.ports.texts import TextIndexer


class ProgressStore(ChangeReader, ProgressWriter, Protocol):
    """Changes of traces, and the extractor's progress with them."""


class SpanStore(SpanWriter, SpanReader, SentSpans, Protocol):
    """Spans: written, read for extraction, and read as they were sent."""


class ReplayingStore(BuildingStore, Protocol):
    """The ports of the store that are needed to run a replay."""

    @property
    def replays(self) -> ReplayQueue:
        """The requested replays."""

    @property
    def progress(self) -> ProgressStore:
        """Changes of traces, and the extractor's progress with them."""


class ExtractionStore(ReplayingStore, Protocol):
    """The ports of the store that the extractor needs."""


class Store(ExtractionStore, ReadingStore, Protocol):
    """The store: all subjects, and ``close``."""

    @property
    def spans(self) -> SpanStore:
        """Spans of all traces."""

    @property
    def feed(self) -> FeedStore:
        """The change feed."""

    @property
    def replays(self) -> ReplayQueue:
        """The requested replays."""

    @property
    def text_index(self) -> TextIndexer:
        """The index for full-text search."""

    def close(self) -> None:
        """Release the store, which is not used afterwards."""
