"""In-memory annotations and scores of a run that every reader may see."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.support.memory_queues import MemoryQueues
from tests.support.where_evaluation import Said

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.memory_state import MemoryState

    from spanloom.core.model.annotation import Annotation, Slot
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey


def visible_of(state: MemoryState, key: TraceKey) -> Mapping[str, Said]:
    """Return annotations and scores by step id, the run's under an empty id; none if withheld."""
    if key in withheld_from_all(MemoryQueues(state), Reach.only(key.project)):
        return {}
    last: dict[Slot, Annotation] = {}
    for row in sorted((r for r in state.annotations if r.slot.key == key), key=lambda r: r.order):
        last[row.slot] = row
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in state.scores.values():
        is_told = score.status == "ok" and not score.is_deleted and score.number is not None
        if score.key == key and is_told and score.target in ("trajectory", "step"):
            scores[_place(score)][score.name].append(score.number or 0.0)
    annotated = {slot.step_id for slot, row in last.items() if not row.is_deleted}
    return {
        place: Said(place in annotated, scores.get(place, {})) for place in annotated | {*scores}
    }


def _place(score: Score) -> str:
    return "" if score.target == "trajectory" else score.step_id or "no step"
