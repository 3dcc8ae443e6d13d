"""Whether a run goes on with an earlier one that waited for a person."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import StepType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.trajectory import Step

_AGENT, _GRAPH = StepType.AGENT, StepType.GRAPH
_BEGAN = attrgetter("start_ns", "id")


def is_resuming(arranged: ArrangedSteps, by_type: Mapping[StepType, Sequence[Step]]) -> bool:
    """Return whether a run was given a person's answer, as its root or its first steps tell."""
    root = arranged.root
    if arranged.facts[root.id].is_resuming:
        return True
    if root.type not in (_AGENT, _GRAPH):
        return False
    return _frames_an_answer(arranged, by_type) or _runs_what_was_asked_for_before(by_type)


def _frames_an_answer(arranged: ArrangedSteps, by_type: Mapping[StepType, Sequence[Step]]) -> bool:
    """Return whether the first run within was given an answer: ``POST /chat`` is given none itself.

    An agent that is asked something new goes on with nothing, whatever its own agents do.
    """
    root = arranged.root
    runs = [s for s in (*by_type[_AGENT], *by_type[_GRAPH]) if s.id != root.id]
    if root.type is _AGENT or not runs:
        return False
    return arranged.facts[min(runs, key=_BEGAN).id].is_resuming


def _runs_what_was_asked_for_before(by_type: Mapping[StepType, Sequence[Step]]) -> bool:
    """Return whether a tool runs first that a model asked for, and no model has been called yet.

    So it was asked for in an earlier run. Where no model is told at all, that says nothing.
    """
    models, tools = by_type[StepType.MODEL], by_type[StepType.TOOL]
    if not models or not tools:
        return False
    first = min(tools, key=_BEGAN)
    return "tool_call_id" in first.metadata and first.start_ns < min(models, key=_BEGAN).start_ns
