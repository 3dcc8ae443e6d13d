"""The change feed: which trajectories have a new version, or something new said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.errors import PermanentError
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.positions import Position
    from spanloom.core.query.summaries import ListedRun
    from spanloom.core.query.where.tree import Condition


class Announcement(NamedTuple):
    """A version of a trajectory that is stored, or something said of it: a line of the feed."""

    key: TraceKey
    version: int
    status: Status
    start_ns: int
    """When its root began."""
    changed_us: int = 0
    """Its place in the feed, by the store's clock; 0 before it has one."""
    now: ListedRun | None = None
    """What the trajectory is now; ``None`` if it is gone, or not what the reader wants."""
    is_said: bool = False
    """Whether annotations or scores changed; it has no version of its own."""

    @classmethod
    def of_said(cls, key: TraceKey) -> Announcement:
        """Return the line that what is said of a trajectory has changed."""
        return cls(key, 0, Status.SETTLED, 0, is_said=True)


class FeedPage(NamedTuple):
    """A piece of the feed."""

    announcements: Sequence[Announcement]
    """Oldest first; those that lead to nothing the reader wants are among them."""
    next: Position
    """Where the reader goes on."""
    has_more: bool = False
    """Whether more than was given is there already."""


class PositionGoneError(PermanentError):
    """What lies behind a position is no longer kept, or it is none of this store (410)."""

    def __init__(self, message: str, end: Position) -> None:
        """Keep the end of the feed: who reads a full list now can go on there."""
        super().__init__(message)
        self.end = end


class FeedWriter(Protocol):
    """Takes what the feed tells."""

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """Put versions at the end of the feed; returns when readers can see them.

        To be called behind ``TrajectoryWriter.write`` and before the progress is recorded: who
        is told of a version can read it, and one that nobody was told of is found unfinished.
        Saying it twice does no harm: readers know versions that they have.
        """


class FeedReader(Protocol):
    """Gives the feed to readers."""

    def announced(
        self, reach: Reach, where: Condition | None, after: Position | None, limit: int
    ) -> FeedPage:
        """Return about ``limit`` announcements behind a position, oldest first.

        ``None`` is the end: the answer has nothing but the position behind all that there is.
        Whoever follows from position to position is told at least once of the newest version of
        each trajectory, and behind the last change of what is said of it, whatever wrote it at
        the same time, however slowly; of an older one perhaps not. What a blind queue withholds
        from whoever has no name is told as soon as it is withheld no more.

        Raises ``PositionGoneError``.
        """

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """Return those that were deleted, perhaps since they were announced."""


class FeedStore(FeedWriter, FeedReader, Protocol):
    """The feed, written and read."""
