"""All annotations or scores of a query, read page by page as they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace
from spanloom.core.query.paging import every_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.score import Score
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import (
        AnnotationQuery,
        AnnotationStore,
        ScoreQuery,
        ScoreStore,
    )


PAGE = 10_000
"""Rows that are read at once."""


def every_annotation(
    annotations: AnnotationStore, reach: Reach, asked: AnnotationQuery
) -> Iterator[Annotation]:
    """Yield current annotations in the order of slots, also those that were taken back."""
    return every_line(
        lambda most, after: annotations.list(reach, asked, most, after),
        lambda row: row.slot,
        PAGE,
    )


def every_score(
    scores: ScoreStore, reach: Reach, asked: ScoreQuery, after: ScorePlace = BEFORE_ALL_SCORES
) -> Iterator[Score]:
    """Yield current scores behind a place, by project, trace and id."""
    return every_line(
        lambda most, behind: scores.list(reach, asked, most, behind or after),
        lambda score: ScorePlace(*score.key, score.id),
        PAGE,
    )
