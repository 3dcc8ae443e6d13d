"""Iterates over all annotations or scores that a query selects, reading them page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace
from spanloom.core.query.lists import every_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.access import Reach
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import (
        AnnotationQuery,
        AnnotationStore,
        ScoreQuery,
        ScoreStore,
    )


PAGE = 10_000
"""Rows per page."""


def every_annotation(
    annotations: AnnotationStore, reach: Reach, query: AnnotationQuery
) -> Iterator[Annotation]:
    """Yield current annotations, including deleted annotations.

    They are sorted by project, trace, scheme, annotator and step.
    """
    return every_line(
        lambda most, after: annotations.list(reach, query, most, after),
        lambda row: row.slot,
        PAGE,
    )


def every_score(
    scores: ScoreStore, reach: Reach, query: ScoreQuery, after: ScorePlace = BEFORE_ALL_SCORES
) -> Iterator[Score]:
    """Yield the current scores after a position, in the order of project, trace and score id."""
    return every_line(
        lambda most, last: scores.list(reach, query, most, last or after),
        lambda score: ScorePlace(*score.key, score.id),
        PAGE,
    )
