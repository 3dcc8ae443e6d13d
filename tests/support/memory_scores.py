"""In-memory scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from tests.support.memory_state import MemoryState

    from spanloom.core.model.access import Reach
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import ScoreQuery


class MemoryScores(MemorySubject):
    """Scores by their newest revisions."""

    def add(self, scores: Sequence[Score], *, is_announced: bool = True) -> None:
        """See ``ScoreStore.add``."""
        with self._state.announcing_judgements(score.key for score in scores if is_announced):
            keep_scores(self._state, scores)

    def list(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """See ``ScoreStore.list``."""
        return [
            score
            for place, score in sorted(self._state.scores.items(), key=lambda item: item[0])
            if place > after
            and not score.is_deleted
            and score.key not in self._state.deleted
            and reach.covers(score.key.project)
            and score.key.trace_id in (asked.trace_ids or (score.key.trace_id,))
            and asked.name in ("", score.name)
            and score.source in (asked.sources or (score.source,))
            and asked.author in ("", score.author)
            and asked.target in ("", score.target)
            and asked.experiment in ("", score.experiment)
            and asked.item in ("", score.item)
            and self._is_orphan(score, asked.orphans_before_us)
        ][:limit]

    def _is_orphan(self, score: Score, before_us: int | None) -> bool:
        if before_us is None:
            return True
        is_gone = score.key.trace_id and score.key not in self._state.records
        return bool(is_gone) and score.revision < before_us

    def of_traces(self, keys: Sequence[TraceKey]) -> Sequence[Score]:
        """See ``ScoreStore.of_traces``."""
        with self._state.lock:
            found = sorted(self._state.scores.items(), key=lambda item: item[0])
        wanted = set(keys) - self._state.deleted
        return [score for _, score in found if score.key in wanted]

    def without_run(self, keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        """See ``ScoreStore.without_run``."""
        with self._state.lock:
            return set(keys) - self._state.deleted - self._state.records.keys()


def keep_scores(state: MemoryState, scores: Sequence[Score]) -> None:
    """Store the newest revisions of scores."""
    with state.lock:
        for score in scores:
            place = ScorePlace(*score.key, score.id)
            known = state.scores.get(place)
            if known is None or known.revision <= score.revision:
                state.scores[place] = score
