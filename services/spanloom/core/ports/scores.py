"""Scores of trajectories and steps, by people and by evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.model.tenancy import Reach


class ScoreQuery(NamedTuple):
    """Which scores are asked for; what is not given asks for all."""

    trace_ids: Sequence[str] = ()
    name: str = ""
    sources: Sequence[str] = ()
    author: str = ""
    target: str = ""


class ScorePlace(NamedTuple):
    """The position of a score in the list."""

    project: str = ""
    trace_id: str = ""
    score_id: str = ""


BEFORE_ALL_SCORES = ScorePlace()


class ScoreStore(Protocol):
    """Keeps scores; what annotators say becomes scores by itself."""

    def add(self, scores: Sequence[Score], *, is_told: bool = True) -> None:
        """Store revisions of scores; durable when this returns.

        ``is_told`` is that of ``AnnotationStore.add``.
        """

    def list(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """Return up to ``limit`` current scores behind a place, by project, trace and id.

        Those that were taken back are left out.
        """
