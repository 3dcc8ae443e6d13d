"""Stores scores that rules, models or people gave elsewhere, from requests and imported files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.annotation.requests import InvalidWritesError, Problem
from spanloom.core.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.annotation.filling import LivingQueues
    from spanloom.annotation.schemes import Schemes
    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.core.ports.feed import FeedReader


class DeletedRunError(NotFoundError):
    """The trajectory of a score was deleted (404); nothing was stored."""


class Scores:
    """Stores scores that do not come from annotations."""

    def __init__(
        self, scores: ScoreStore, feed: FeedReader, schemes: Schemes, living_queues: LivingQueues
    ) -> None:
        """Write to the store ``scores``.

        ``feed`` lists deleted runs; scored runs are added to ``living_queues``.
        """
        self._scores = scores
        self._feed = feed
        self._schemes = schemes
        self._living_queues = living_queues

    def store(self, scores: Sequence[Score]) -> int:
        """Store all scores; return the number of those whose trajectory is not stored yet.

        Raises ``InvalidWritesError`` for scores that come from annotations, and
        ``DeletedRunError``; then none is stored.
        """
        self._refuse_annotators(scores)
        keys = sorted({score.key for score in scores if score.key.trace_id})
        for key in sorted(self._feed.deleted_among(keys)):
            raise DeletedRunError(f"The trajectory {key.trace_id} was deleted.")
        waiting = self._scores.without_run(keys)
        for key in keys:
            if key not in waiting:
                self._living_queues.take_in(key)
        self._scores.add(scores)
        return sum(score.key in waiting for score in scores)

    def _refuse_annotators(self, scores: Sequence[Score]) -> None:
        people = [(n, score) for n, score in enumerate(scores) if score.source == "human"]
        names = {_scheme_of(score) for _, score in people}
        existing = {name for name in names if self._schemes.has(*name)}
        problems = [
            Problem(n, "source", "scores of a scheme come from annotations, which can be imported")
            for n, score in people
            if _scheme_of(score) in existing
        ]
        if problems:
            raise InvalidWritesError(problems)


def _scheme_of(score: Score) -> tuple[str, str]:
    """Return the project and name of the scheme of a score."""
    return score.key.project, score.name.removesuffix("/answer")
