"""All annotations or scores that a question asks for, read page by page as they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.scores import BEFORE_ALL_SCORES, ScorePlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.annotation import Annotation, Slot
    from spanloom.core.model.score import Score
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import AnnotationQuery, AnnotationStore
    from spanloom.core.ports.scores import ScoreQuery, ScoreStore

PAGE = 10_000
"""Rows that are read at once."""


def every_annotation(
    store: AnnotationStore, reach: Reach, asked: AnnotationQuery
) -> Iterator[Annotation]:
    """Yield current annotations in the order of slots, also those that were taken back."""
    after: Slot | None = None
    while page := store.annotations(reach, asked, PAGE, after):
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1].slot


def every_score(
    store: ScoreStore, reach: Reach, asked: ScoreQuery, after: ScorePlace = BEFORE_ALL_SCORES
) -> Iterator[Score]:
    """Yield current scores behind a place, by project, trace and id."""
    while page := store.scores(reach, asked, PAGE, after):
        yield from page
        if len(page) < PAGE:
            return
        after = ScorePlace(*page[-1].key, page[-1].id)
