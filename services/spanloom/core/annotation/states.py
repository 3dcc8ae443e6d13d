"""Whether an annotation still says something of the trajectory as it is now, and of which step.

Worked out when it is read, never stored: a replay that brings the old text back makes annotations
valid again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.annotation import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.annotation.anchors import AnchoredStep, Anchors
    from spanloom.core.model.annotation import Anchor


class State(StrEnum):
    """How an annotation stands to the current version."""

    VALID = "valid"
    """Its step says what it said."""
    CHANGED = "changed"
    """Its step says something else, or what it said then was not kept."""
    MOVED = "moved"
    """Its step has gone, and another stands for it."""
    ORPHANED = "orphaned"
    """Its step has gone, and none stands for it."""
    WHOLE = "whole"
    """It is of the trajectory: made on the version that it names."""


COUNTING = frozenset({State.VALID, State.MOVED, State.WHOLE})
"""What enters scores and agreement unless more is asked for."""


class Fate(NamedTuple):
    """What became of a span: the step under which it counts, else the rule that says noise."""

    step_id: str | None
    rule: str = ""


class Standing(NamedTuple):
    """The state of one annotation, and the step that it is of now."""

    state: State
    step_id: str = ""
    """Where it stands now; empty of an orphan and of the whole."""
    reason: str = ""


def standing_of(
    step_id: str, anchor: Anchor, now: Anchors, fates: Callable[[], Mapping[str, Fate]]
) -> Standing:
    """Return how an annotation of a step stands to the anchors of the current version."""
    if step_id == WHOLE:
        return Standing(State.WHOLE)
    if (step := now.by_id.get(step_id)) is not None:
        return _beside(anchor, step)
    if (home := now.merged.get(step_id)) is not None:
        return Standing(State.MOVED, home, "its span counts under this step now")
    return _elsewhere(anchor, now, fates().get(step_id))


def _elsewhere(anchor: Anchor, now: Anchors, fate: Fate | None) -> Standing:
    if fate is not None and fate.step_id in now.by_id:
        return Standing(State.MOVED, fate.step_id or "", "its span counts under this step now")
    if (twin := _twin(anchor, now)) is not None:
        return Standing(State.MOVED, twin.id, "this step says the same")
    if fate is not None:
        return Standing(State.ORPHANED, "", f"its span is no step any more, by {fate.rule}")
    return Standing(State.ORPHANED, "", "no span has its id any more")


def _beside(anchor: Anchor, step: AnchoredStep) -> Standing:
    if anchor.step_hash == step.hash:
        return Standing(State.VALID, step.id)
    if not anchor.step_hash:
        return Standing(State.CHANGED, step.id, "what the step said then was not kept")
    return Standing(State.CHANGED, step.id, "the step says something else now")


def _twin(anchor: Anchor, now: Anchors) -> AnchoredStep | None:
    """Return the one step that says the same, or of several the one in the same place."""
    alike = now.by_hash.get(anchor.step_hash, []) if anchor.step_hash else []
    if len(alike) == 1:
        return alike[0]
    place = anchor.agent_id, anchor.ordinal
    return next((step for step in alike if (step.agent_id, step.ordinal) == place), None)
