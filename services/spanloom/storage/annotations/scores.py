"""``ScoreStore`` in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace
from spanloom.core.records.score import SCORE
from spanloom.storage.annotations.rows import living_page
from spanloom.storage.engine.conditions import within
from spanloom.storage.engine.object_rows import ObjectRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.annotations import ScoreQuery
    from spanloom.storage.annotations.rows import Announcing
    from spanloom.storage.engine.lane import Lane

_ROWS = ObjectRows(SCORE, Score, {"key": TraceKey}, {})


class ClickHouseScores:
    """Scores over the extractor's lane and that of readers; the feed announces them."""

    def __init__(self, worker: Lane, reader: Lane, feed: Announcing) -> None:
        """Use the lanes, which the caller owns and closes."""
        self._worker = worker
        self._reader = reader
        self._feed = feed

    def add(self, scores: Sequence[Score], *, is_told: bool = True) -> None:
        """See ``ScoreStore.add``."""
        with self._feed.telling(score.key for score in scores if is_told):
            self._worker.insert_objects("scores", map(_ROWS.row, scores))

    def list(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """See ``ScoreStore.list``."""

        def read(last: Score | None) -> Sequence[Score]:
            place = ScorePlace(*last.key, last.id) if last else after
            return self._score_page(reach, asked, limit, place)

        return living_page(self._reader, read, lambda score: score.key, limit)

    def _score_page(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace
    ) -> Sequence[Score]:
        rows = self._reader.rows(
            "current_scores",
            columns=_ROWS.columns,
            reach=within(reach),
            trace_ids=list(asked.trace_ids),
            of_name=asked.name,
            sources=list(asked.sources),
            author=asked.author,
            target=asked.target,
            after_project=after.project,
            after_trace=after.trace_id,
            after_score=after.score_id,
            limit=limit,
        )
        return list(map(_ROWS.object, rows))
