"""States of annotations against the current version of a trajectory, and their current steps.

States are computed on read, never stored: a replay that restores the old text makes annotations
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
    """The state of an annotation against the current version."""

    VALID = "valid"
    """The step is unchanged."""
    CHANGED = "changed"
    """The step's content is different, or the annotated content was not kept."""
    MOVED = "moved"
    """The step is gone, and another one takes its place."""
    ORPHANED = "orphaned"
    """The step is gone, and no other one takes its place."""
    WHOLE = "whole"
    """The annotation is on the whole trajectory, in the version that it names."""


COUNTING = frozenset({State.VALID, State.MOVED, State.WHOLE})
"""The states that enter scores and agreement by default."""


class Fate(NamedTuple):
    """The step that a span belongs to, else the rule that classified it as noise."""

    step_id: str | None
    rule: str = ""


class Standing(NamedTuple):
    """The state of one annotation, and its current step."""

    state: State
    step_id: str = ""
    """The id of the current step; empty for orphans and whole-run annotations."""
    reason: str = ""


def standing_of(
    step_id: str, anchor: Anchor, now: Anchors, fates: Callable[[], Mapping[str, Fate]]
) -> Standing:
    """Return the state of an annotation by the anchors of the current version.

    ``fates`` is called only if neither its step nor a step it was merged into is there.
    """
    if step_id == WHOLE:
        return Standing(State.WHOLE)
    if (step := now.by_id.get(step_id)) is not None:
        return _same_step(anchor, step)
    if (home := now.merged.get(step_id)) is not None:
        return Standing(State.MOVED, home, "its span counts under this step now")
    return _other_step(anchor, now, fates().get(step_id))


def _other_step(anchor: Anchor, now: Anchors, fate: Fate | None) -> Standing:
    if fate is not None and fate.step_id in now.by_id:
        return Standing(State.MOVED, fate.step_id or "", "its span counts under this step now")
    if (twin := _twin(anchor, now)) is not None:
        return Standing(State.MOVED, twin.id, "this step says the same")
    if fate is not None:
        return Standing(State.ORPHANED, "", f"its span is no step any more, by {fate.rule}")
    return Standing(State.ORPHANED, "", "no span has its id any more")


def _same_step(anchor: Anchor, step: AnchoredStep) -> Standing:
    if anchor.step_hash == step.hash:
        return Standing(State.VALID, step.id)
    if not anchor.step_hash:
        return Standing(State.CHANGED, step.id, "what the step said then was not kept")
    return Standing(State.CHANGED, step.id, "the step says something else now")


def _twin(anchor: Anchor, now: Anchors) -> AnchoredStep | None:
    """Return the only step with the same content, or of several the one at the same position."""
    alike = now.by_hash.get(anchor.step_hash, []) if anchor.step_hash else []
    if len(alike) == 1:
        return alike[0]
    place = anchor.agent_id, anchor.ordinal
    return next((step for step in alike if (step.agent_id, step.ordinal) == place), None)
