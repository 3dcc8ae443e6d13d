"""Scores of rules, models and people elsewhere: stored for requests and with imported files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.annotation.requests import InvalidWritesError, Problem
from spanloom.core.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.annotation.filling import TakingIn
    from spanloom.annotation.schemes import Schemes
    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.core.ports.feed import FeedReader


class DeletedRunError(PermanentError):
    """A score is of a trajectory that was deleted (404); nothing was stored."""


class Scores:
    """Stores the scores that no annotation makes."""

    def __init__(
        self, scores: ScoreStore, feed: FeedReader, schemes: Schemes, taking_in: TakingIn
    ) -> None:
        """Store to ``scores``; ``feed`` knows what was deleted, queues take the runs in."""
        self._scores = scores
        self._feed = feed
        self._schemes = schemes
        self._taking_in = taking_in

    def store(self, made: Sequence[Score]) -> int:
        """Store all, and return of how many the trajectory is not there yet: they wait for it.

        Raises ``InvalidWritesError`` for scores that annotations make, and ``DeletedRunError``;
        then none is stored.
        """
        self._refuse_annotators(made)
        keys = sorted({score.key for score in made if score.key.trace_id})
        for key in sorted(self._feed.deleted_among(keys)):
            raise DeletedRunError(f"The trajectory {key.trace_id} was deleted.")
        waiting = self._scores.without_run(keys)
        for key in keys:
            if key not in waiting:
                self._taking_in.take_in(key)
        self._scores.add(made)
        return sum(score.key in waiting for score in made)

    def _refuse_annotators(self, made: Sequence[Score]) -> None:
        people = [(n, score) for n, score in enumerate(made) if score.source == "human"]
        names = {_scheme_of(score) for _, score in people}
        taken = {name for name in names if self._schemes.has(*name)}
        problems = [
            Problem(n, "source", "scores of a scheme come from annotations, which can be imported")
            for n, score in people
            if _scheme_of(score) in taken
        ]
        if problems:
            raise InvalidWritesError(problems)


def _scheme_of(score: Score) -> tuple[str, str]:
    """Return the project and name of the scheme that would make a score."""
    return score.key.project, score.name.removesuffix("/answer")
