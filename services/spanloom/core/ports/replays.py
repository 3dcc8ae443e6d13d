"""What was asked to be extracted again, and how far that has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.replay import Replay, Selection, StoredTrace
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach


class ReplayRequests(Protocol):
    """Takes requests for replays and tells how far they have come."""

    def count_traces(self, selection: Selection) -> int:
        """Return how many stored trajectories a selection has."""

    def record(self, replay: Replay) -> None:
        """Remember how far a replay has come, unless a later step of it is known."""

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """Return a replay as last recorded, if its selection is within the reach."""

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """Return up to ``limit`` replays within the reach that are older than the id ``after``.

        The newest comes first.
        """

    def unfinished(self, reach: Reach) -> Sequence[Replay]:
        """Return the replays within the reach that are not finished, oldest first."""


class ReplayQueue(ReplayRequests, Protocol):
    """Gives the replayer its work, piece by piece."""

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """Return up to ``limit`` traces of the selection behind a key, in the order of keys."""
