"""The texts of steps: indexed in parallel to the extraction, and searched by readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.records.hit import Part
from spanloom.core.sharing import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.query.where.text_query import TextQuery
    from spanloom.core.records.hit import Hit
    from spanloom.core.sharing import Slices


class HitCursor(NamedTuple):
    """A position among hits; positions compare as hits are ordered, the last one first."""

    start_ns: int
    """When the run began."""
    trace_id: str
    project: str
    step_id: str
    part: int
    """The number of the part, from 1, in the order of ``Part``."""


class ListedHit(NamedTuple):
    """A hit in a list, and what the list needs to continue after it."""

    hit: Hit
    start_ns: int
    """When the run began, in nanoseconds: hits are ordered by it."""

    @property
    def cursor(self) -> HitCursor:
        """The position just after this hit."""
        hit = self.hit
        place = list(Part).index(hit.part) + 1
        return HitCursor(self.start_ns, hit.trace_id, hit.project, hit.step_id, place)


class TextSearch(NamedTuple):
    """A search: the query, and where to search."""

    query: TextQuery
    parts: Sequence[Part] = tuple(Part)
    start_from_ns: int = 0
    """Earliest start of the run."""
    start_before_ns: int = 2**64 - 1


class TextFinder(Protocol):
    """Finds texts of the current trajectories, within the reader's reach."""

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        """Return up to ``limit`` hits, those of the run that began last first.

        A text that the newest version of its run no longer has is not a hit, nor is a text of a
        run that only repeats another. Texts just written may not be found yet. Raises
        ``InvalidQueryError`` where a prefix matches too many words.
        """


class Changed(NamedTuple):
    """A trajectory was stored; positions compare in the order of storing, oldest first."""

    second: int
    """By the clock of the store."""
    key: TraceKey
    seq: int
    version: int


class TextIndexer(Protocol):
    """Puts texts of stored trajectories into the index; repeating any call is harmless."""

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def writes(self) -> int | None:
        """Return how many writes of trajectories have ended, where no other process makes any.

        As long as the number is the same, none was stored in between. ``None`` is "unknown": one
        is under way, or other processes may write.
        """

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None, slices: Slices = ALL
    ) -> Sequence[Changed]:
        """Return up to ``limit`` trajectories of the slices stored from this second on, in order.

        With ``after``, only those after it. A trajectory may also be listed for an older version.
        """

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """Add the texts of the current versions that the index lacks.

        Returns the number of texts added; they can be found when this returns.
        """

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the recorded watermark, the lowest one of the slices; 0 if there is none."""

    def record_watermark(self, second: int, slices: Slices = ALL) -> None:
        """Record that the texts of all in the slices stored before this second are indexed."""
