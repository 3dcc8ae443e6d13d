"""Whether a run goes on with an earlier one that waited for a person."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import StepType

if TYPE_CHECKING:
    from spanloom.core.extraction.steps import ArrangedSteps

_RUNS = (StepType.AGENT, StepType.GRAPH)
_BEGAN = attrgetter("start_ns", "id")


def is_resuming(arranged: ArrangedSteps) -> bool:
    """Return whether the root was given a person's answer, or what it only frames was.

    ``POST /chat`` resumes no agent, the first one in it may. An agent that is asked something new
    goes on with nothing, whatever its own tools and agents do.
    """
    root, facts = arranged.root, arranged.facts
    if facts[root.id].is_resuming or root.type is not StepType.GRAPH:
        return facts[root.id].is_resuming
    runs = [s for s in arranged.steps.values() if s.type in _RUNS and s.id != root.id]
    return bool(runs) and facts[min(runs, key=_BEGAN).id].is_resuming
