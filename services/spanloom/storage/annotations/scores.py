"""``ScoreStore`` in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace
from spanloom.storage.annotations.rows import living_page
from spanloom.storage.engine.conditions import within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import ScoreQuery
    from spanloom.storage.annotations.rows import Announcing
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

_COLUMNS: Mapping[str, str] = {
    "revision": "Revision",
    "target": "Target",
    "step_id": "StepId",
    "conversation_id": "ConversationId",
    "name": "Name",
    "source": "Source",
    "author": "Author",
    "judged_version": "JudgedVersion",
    "step_hash": "StepHash",
    "value_type": "ValueType",
    "number": "ValueNumber",
    "text": "ValueText",
    "passed": "Passed",
    "is_complete": "IsComplete",
    "status": "Status",
    "error_code": "ErrorCode",
    "rationale": "Rationale",
    "evidence": "Evidence",
    "evaluator_version": "EvaluatorVersion",
    "config_hash": "ConfigHash",
    "rule_id": "RuleId",
    "experiment": "Experiment",
    "item": "Item",
    "repeat": "Repeat",
    "input_tokens": "InputTokens",
    "output_tokens": "OutputTokens",
    "cost": "Cost",
    "is_deleted": "IsDeleted",
}
"""Field of a score → its column."""


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
            self._worker.insert_objects("scores", map(_to_row, scores))

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
        return list(map(_from_row, rows))


def _to_row(score: Score) -> Mapping[str, object]:
    place = {"Project": score.key.project, "TraceId": score.key.trace_id, "ScoreId": score.id}
    return place | {column: getattr(score, name) for name, column in _COLUMNS.items()}


def _from_row(row: Row) -> Score:
    fields = {name: getattr(row, column) for name, column in _COLUMNS.items()}
    return Score(key=TraceKey(row.Project, row.TraceId), **fields)
