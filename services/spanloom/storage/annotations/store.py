"""``AnnotationStore`` and ``ScoreStore`` in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.annotation import Slot
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace
from spanloom.core.records.score import SCORE
from spanloom.storage.annotations.rows import ANNOTATION_ROWS, living_page, to_row
from spanloom.storage.engine.object_rows import ObjectRows
from spanloom.storage.engine.parameters import batched, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

    from spanloom.core.model.access import Reach
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.ports.annotations import AnnotationQuery, ScoreQuery
    from spanloom.storage.annotations.rows import Announcing
    from spanloom.storage.engine.connection import Connection


_COLUMNS = ANNOTATION_ROWS.columns
_BEFORE_ALL = Slot(TraceKey("", ""), "", "", "")


class ClickHouseAnnotations:
    """``AnnotationStore`` in ClickHouse; new annotations are announced in the change feed.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(
        self, worker: Connection, reader: Connection, feed: Announcing, *, is_alone: bool
    ) -> None:
        """Use the connections; the caller closes them.

        ``is_alone`` means that no other process writes.
        """
        self._worker = worker
        self._reader = reader
        self._feed = feed
        self._is_alone = is_alone

    def is_alone(self) -> bool:
        """See ``AnnotationStore.is_alone``."""
        return self._is_alone

    def add(self, rows: Sequence[Annotation], *, is_announced: bool = True) -> None:
        """See ``AnnotationStore.add``."""
        with self.announcing_judgements(row.slot.key for row in rows if is_announced):
            self._worker.insert_objects("annotations", map(to_row, rows))

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.announcing_judgements``."""
        return self._feed.announcing_judgements(keys)

    def list(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """See ``AnnotationStore.list``."""

        def read(last: Annotation | None) -> Sequence[Annotation]:
            return self._annotation_page(reach, asked, limit, last.slot if last else after)

        return living_page(self._reader, read, lambda row: row.slot.key, limit)

    def _annotation_page(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None
    ) -> Sequence[Annotation]:
        (project, trace_id), scheme, annotator, step_id = after or _BEFORE_ALL
        rows = self._reader.rows(
            "current_annotations",
            columns=_COLUMNS,
            reach=within(reach),
            trace_id=asked.trace_id,
            scheme=asked.scheme,
            annotator=asked.annotator,
            from_us=asked.from_us,
            before_us=asked.before_us,
            after_project=project,
            after_trace=trace_id,
            after_scheme=scheme,
            after_annotator=annotator,
            after_step=step_id,
            limit=limit,
        )
        return list(map(ANNOTATION_ROWS.object, rows))

    def revisions(self, key: TraceKey, scheme: str, annotator: str) -> Sequence[Annotation]:
        """See ``AnnotationStore.revisions``."""
        rows = self._reader.rows(
            "annotation_revisions",
            columns=_COLUMNS,
            **key._asdict(),
            scheme=scheme,
            annotator=annotator,
        )
        return list(map(ANNOTATION_ROWS.object, rows))

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """See ``AnnotationStore.written``."""
        return [
            ANNOTATION_ROWS.object(row)
            for some in batched(write_ids)
            for row in self._reader.rows(
                "written_annotations", columns=_COLUMNS, **key._asdict(), write_ids=some
            )
        ]


SCORE_ROWS = ObjectRows(SCORE, Score, {"key": TraceKey}, {})


class ClickHouseScores:
    """``ScoreStore`` in ClickHouse; new scores are announced in the change feed.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection, feed: Announcing) -> None:
        """Use the connections; the caller closes them."""
        self._worker = worker
        self._reader = reader
        self._feed = feed

    def add(self, scores: Sequence[Score], *, is_announced: bool = True) -> None:
        """See ``ScoreStore.add``."""
        with self._feed.announcing_judgements(score.key for score in scores if is_announced):
            self._worker.insert_objects("scores", map(SCORE_ROWS.row, scores))

    def list(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """See ``ScoreStore.list``."""

        def read(last: Score | None) -> Sequence[Score]:
            place = ScorePlace(*last.key, last.id) if last else after
            return self._score_page(reach, asked, limit, place)

        return living_page(self._reader, read, lambda score: score.key, limit)

    def of_traces(self, keys: Sequence[TraceKey]) -> Sequence[Score]:
        """See ``ScoreStore.of_traces``."""
        return [
            SCORE_ROWS.object(row)
            for some in batched(keys)
            for row in self._worker.rows("scores_of_traces", columns=SCORE_ROWS.columns, keys=some)
        ]

    def without_run(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``ScoreStore.without_run``."""
        asked = set(keys) - self._reader.hiding.deleted_among(self._reader, keys)
        stored = {
            TraceKey(row.Project, row.TraceId)
            for some in batched(sorted(asked))
            for row in self._reader.rows("stored_runs", keys=some)
        }
        return {key for key in keys if key in asked} - stored

    def _score_page(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace
    ) -> Sequence[Score]:
        before_us = asked.orphans_before_us
        rows = self._reader.rows(
            "current_scores",
            columns=SCORE_ROWS.columns,
            before_us=0 if before_us is None else max(before_us, 1),
            reach=within(reach),
            trace_ids=list(asked.trace_ids),
            of_name=asked.name,
            sources=list(asked.sources),
            author=asked.author,
            target=asked.target,
            experiment=asked.experiment,
            item=asked.item,
            after_project=after.project,
            after_trace=after.trace_id,
            after_score=after.score_id,
            limit=limit,
        )
        return list(map(SCORE_ROWS.object, rows))
