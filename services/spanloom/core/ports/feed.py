"""The port for the change feed, which announces new versions, annotations and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.errors import PermanentError
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.positions import Position
    from spanloom.core.query.where.tree import Condition


class Announcement(NamedTuple):
    """An entry of the feed: a stored version of a trajectory, or changed annotations or scores."""

    key: TraceKey
    version: int
    status: Status
    start_ns: int
    """Start of the root, in nanoseconds since the epoch."""
    changed_us: int = 0
    """The position in the feed, in µs on the store's clock; 0 before it is stored."""
    now: ListedRun | None = None
    """The current trajectory; ``None`` if it was deleted or does not pass the client's filter."""
    is_judgement: bool = False
    """Whether annotations or scores changed, not the trajectory; if so, there is no version."""
    writer: int = 0
    """The id of the process that stored it; 0 if only one process can store announcements."""
    number: int = 0
    """The number, from 1, among the announcements by the same writer."""
    is_repeated: bool = False
    """Whether this is a repetition of an announcement that clients may have missed."""

    @classmethod
    def of_judgement(cls, key: TraceKey) -> Announcement:
        """Return an announcement that a trajectory's annotations or scores have changed."""
        return cls(key, 0, Status.SETTLED, 0, is_judgement=True)


class FeedPage(NamedTuple):
    """A page of the change feed."""

    announcements: Sequence[Announcement]
    """Oldest first; also announcements whose trajectory does not pass the client's filter."""
    next: Position
    """The position from which the next page is read."""
    has_more: bool = False
    """Whether more announcements are already available."""
    is_upgrading: bool = False
    """Whether processes of the previous release may continue from the position."""


class PositionGoneError(PermanentError):
    """Raised for a position after which rows were removed, or from another store (410)."""

    def __init__(self, message: str, end: Position) -> None:
        """Store the end of the feed, from which a client may continue after listing all runs."""
        super().__init__(message)
        self.end = end


class FeedWriter(Protocol):
    """Writes the change feed."""

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """Append versions to the feed; return when clients can see them.

        Call this after ``TrajectoryWriter.write``, so that an announced version can be read, and
        before recording the progress, so that a trace whose version was not announced is found as
        unfinished.
        """

    def announce_missing(self, announcements: Sequence[Announcement]) -> None:
        """Announce the versions that the feed does not have.

        Call this for versions that were stored earlier: their writer may have died between storing
        and announcing them.
        """


class FeedReader(Protocol):
    """Reads the change feed."""

    def announced(
        self, reach: Reach, where: Condition | None, after: Position | None, limit: int
    ) -> FeedPage:
        """Return about ``limit`` announcements after a position, oldest first.

        ``None`` means the end of the feed: the page has no announcements, only the position after
        all of them. A client that reads page after page gets the newest version of each trajectory
        once, and an announcement after the last change of its annotations and scores, even if
        writes are slow or concurrent; older versions may be missing. Changes that a blind queue
        withholds from anonymous clients are announced when the queue no longer withholds them.

        Raises ``PositionGoneError``.
        """

    def deleted_among(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """Return the keys of deleted traces, which may have been deleted after an announcement."""


class FeedStore(FeedWriter, FeedReader, Protocol):
    """Writes and reads the change feed."""
