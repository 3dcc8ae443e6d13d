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
    """A position among hits; lists have hits in descending order of their positions."""

    start_ns: int
    """Start of the run, in nanoseconds since the epoch."""
    trace_id: str
    project: str
    step_id: str
    part: int
    """The number of the text part, from 1, in the order of ``Part``."""


class ListedHit(NamedTuple):
    """A hit in a list, and the values that the list needs to continue after it."""

    hit: Hit
    start_ns: int
    """Start of the run in nanoseconds, by which hits are ordered."""

    @property
    def cursor(self) -> HitCursor:
        """The position just after this hit."""
        hit = self.hit
        place = list(Part).index(hit.part) + 1
        return HitCursor(self.start_ns, hit.trace_id, hit.project, hit.step_id, place)


class TextSearch(NamedTuple):
    """A full-text search: the query, and where to search."""

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
        """Return up to ``limit`` hits, ordered by the start of their runs, latest first.

        A text that the newest version of its run no longer has is not a hit, and neither is a text
        of a run that only repeats another. Texts just written may not be found yet. Raises
        ``InvalidQueryError`` if a prefix matches too many words.
        """


class Changed(NamedTuple):
    """The storing of a trajectory; positions compare in the order of storing, oldest first."""

    second: int
    """The second of the store's clock."""
    key: TraceKey
    seq: int
    version: int


class TextIndexer(Protocol):
    """Puts texts of stored trajectories into the index; every call can safely be repeated."""

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def writes(self) -> int | None:
        """Return how many writes of trajectories have ended, if no other process writes any.

        As long as the number is unchanged, none was stored in between. ``None`` means unknown: a
        write is in progress, or other processes may write.
        """

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None, slices: Slices = ALL
    ) -> Sequence[Changed]:
        """Return up to ``limit`` trajectories of the slices stored from this second on, in order.

        With ``after``, only trajectories after that position. A trajectory may also be listed for
        an older version.
        """

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """Add the texts of the current versions that the index lacks.

        Returns the number of added texts; they can be found on return.
        """

    def read_watermark(self, slices: Slices = ALL) -> int:
        """Return the lowest recorded watermark of the slices; 0 if there is none."""

    def record_watermark(self, second: int, slices: Slices = ALL) -> None:
        """Record that all texts of the slices stored before this second are indexed."""
