"""Stores the score of one annotator on a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.annotation.reading import score_now
from spanloom.core.model import score as scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.annotation.reading import Reading
    from spanloom.annotation.requests import Session
    from spanloom.annotation.schemes import Schemes
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.marks import Score
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.ports.annotations import ScoreStore


class Scoring:
    """Stores scores of sessions."""

    def __init__(
        self, scores: ScoreStore, schemes: Schemes, versions: Versions, reading: Reading
    ) -> None:
        """Take where scores are kept, and what a score is worked out from."""
        self._scores = scores
        self._schemes = schemes
        self._versions = versions
        self._reading = reading

    def record(
        self, session: Session, rows: Sequence[Annotation], at_us: int, version: int
    ) -> Score | None:
        """Store what the current rows of an annotator come to now, those that count.

        The feed is not told. ``None``: the scheme has no scores, or the trajectory has gone.
        """
        key, scheme = session.key, self._schemes.find(session.key.project, session.scheme.name)
        if not scheme.has_score or (now := self._versions.anchors(key, version)) is None:
            return None
        score = score_now(scheme, self._reading.stood(key, rows, version), now.to_judge)
        row = _row(session._replace(scheme=scheme), score, at_us, version, is_deleted=not rows)
        self._scores.add([row], is_told=False)
        return score


def _row(
    session: Session, score: Score, at_us: int, version: int, *, is_deleted: bool
) -> scores.Score:
    return scores.Score(
        key=session.key,
        name=session.scheme.name,
        source=session.origin.value,
        author=session.annotator,
        revision=at_us,
        judged_version=version,
        number=score.value,
        is_complete=score.is_complete,
        config_hash=session.scheme.hash,
        is_deleted=is_deleted,
    )
