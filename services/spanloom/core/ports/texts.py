"""What steps said: indexed beside the extraction, and looked for by readers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.snippets import Snippet
    from spanloom.core.query.text_query import TextQuery


class Part(StrEnum):
    """Where a step has a text."""

    INPUT = "input"
    OUTPUT = "output"
    ERROR = "error"


class HitCursor(NamedTuple):
    """A position among hits; positions compare as hits are ordered, the last one first."""

    start_ns: int
    """When the run began."""
    trace_id: str
    project: str
    step_id: str
    part: int
    """The number of the part, from 1, in the order of ``Part``."""


class TextHit(NamedTuple):
    """A text that has what was looked for, at the step that brought it."""

    key: TraceKey
    start_ns: int
    """When the run began."""
    step_id: str
    position: int
    """The place of the step among those of its run, from 1, as they began."""
    part: Part
    type: str
    """Of the step: ``agent``, ``model``, ``tool`` or ``graph``."""
    name: str
    snippet: Snippet

    @property
    def cursor(self) -> HitCursor:
        """The position just behind this hit."""
        place = list(Part).index(self.part) + 1
        return HitCursor(self.start_ns, self.key.trace_id, self.key.project, self.step_id, place)


class TextSearch(NamedTuple):
    """What is looked for, and where."""

    query: TextQuery
    parts: Sequence[Part] = tuple(Part)
    start_from_ns: int = 0
    """Of the run."""
    start_before_ns: int = 2**64 - 1


class TextFinder(Protocol):
    """Finds texts of the current trajectories, within the reader's reach."""

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[TextHit]:
        """Return up to ``limit`` hits, those of the run that began last first.

        A text that a newer version of its run does not have is none, and neither is one of a run
        that only repeats another. What was just written may not be found yet. Raises
        ``InvalidQueryError`` where a prefix begins too many words.
        """


class Changed(NamedTuple):
    """A trajectory was stored; positions compare as the store took them, oldest first."""

    second: int
    """By the clock of the store."""
    key: TraceKey
    seq: int
    version: int


class TextIndexer(Protocol):
    """Puts texts of stored trajectories into the index; all of it may be done twice."""

    def clock(self) -> int:
        """Return the store's time in seconds since the epoch."""

    def writes(self) -> int | None:
        """Return how many writes of trajectories have ended, where no other process makes any.

        As long as it says the same number, none was stored in between. ``None`` is "cannot tell":
        one is under way, or others may write.
        """

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None
    ) -> Sequence[Changed]:
        """Return up to ``limit`` trajectories stored in this second or later, in order.

        Those behind ``after``, if given. One may come for an older version too.
        """

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """Put what the current versions say, and is not there, into the index.

        Returns how many texts came in. What was put in by a call that returned is found.
        """

    def read_watermark(self) -> int:
        """Return the remembered watermark; 0 if there is none."""

    def record_watermark(self, second: int) -> None:
        """Remember that the texts of what was stored before this second are indexed."""
