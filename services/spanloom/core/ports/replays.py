"""What was asked to be extracted again, and how far that has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.replay import Replay, Selection, StoredTrace
    from spanloom.core.model.span import TraceKey


class ReplayRequests(Protocol):
    """Takes requests for replays and tells how far they have come."""

    def count_traces(self, selection: Selection) -> int:
        """Return how many stored trajectories a selection has."""

    def record_replay(self, replay: Replay) -> None:
        """Remember how far a replay has come, unless a later step of it is known."""

    def replay(self, replay_id: str) -> Replay | None:
        """Return a replay as last recorded."""

    def unfinished_replays(self) -> Sequence[Replay]:
        """Return the replays that are not finished, oldest first."""


class ReplayQueue(ReplayRequests, Protocol):
    """Gives the replayer its work, piece by piece."""

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """Return up to ``limit`` traces of the selection behind a key, in the order of keys."""
