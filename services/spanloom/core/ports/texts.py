"""The ports for full-text search: indexing the texts of steps, and searching them.

Texts are indexed after a trajectory is stored, independently of the extraction.
"""

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
    """A position in a list of hits, which are in descending order of their cursors."""

    start_ns: int
    """Start of the run, in nanoseconds since the epoch."""
    trace_id: str
    project: str
    step_id: str
    part: int
    """The number, from 1, of the text's ``Part``."""


class ListedHit(NamedTuple):
    """A hit in a list, with the values that its cursor needs."""

    hit: Hit
    start_ns: int
    """Start of the run in ns since the epoch, by which hits are ordered."""

    @property
    def cursor(self) -> HitCursor:
        """The cursor that continues after this hit."""
        hit = self.hit
        place = list(Part).index(hit.part) + 1
        return HitCursor(self.start_ns, hit.trace_id, hit.project, hit.step_id, place)


class TextSearch(NamedTuple):
    """A full-text search: the query, and where to search."""

    query: TextQuery
    parts: Sequence[Part] = tuple(Part)
    start_from_ns: int = 0
    """Earliest start of the run, in ns since the epoch."""
    start_before_ns: int = 2**64 - 1


class TextFinder(Protocol):
    """Finds texts of current trajectories in the projects that the caller may see."""

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        """Return up to ``limit`` hits, ordered by the start of their runs, latest first.

        Texts that the newest version of their run no longer has are not found, and neither are
        texts of runs that only repeat another run. Texts that were just stored may not be found
        yet. Raises ``InvalidQueryError`` if a prefix matches too many words.
        """


class Changed(NamedTuple):
    """Identifies a stored trajectory version; sorts by the second of storing, oldest first."""

    second: int
    """The second, on the store's clock, at which the version was stored."""
    key: TraceKey
    seq: int
    version: int


class TextIndexer(Protocol):
    """Adds the texts of stored trajectories to the index; every call can safely be repeated."""

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def writes(self) -> int | None:
        """Return how many writes of trajectories have ended; ``None`` if unknown.

        As long as the number is unchanged, no trajectory was stored in between. It is unknown while
        a write is in progress, and if other processes may write.
        """

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None, slices: Slices = ALL
    ) -> Sequence[Changed]:
        """Return up to ``limit`` trajectories in the slices, stored from ``second`` on, in order.

        If ``after`` is set, only trajectories after this position are returned. A trajectory may
        also be returned for an older version.
        """

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """Add to the index the texts of the current versions that it lacks.

        Returns the number of added texts, which can be found by a search from then on.
        """

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the lowest recorded watermark of the slices; 0 if there is none."""

    def record_watermark(self, second: int, slices: Slices = ALL) -> None:
        """Record that all texts in the slices that were stored before ``second`` are indexed."""
