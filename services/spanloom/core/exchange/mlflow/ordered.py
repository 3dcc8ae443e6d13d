"""Orders the steps of a run: by time within an agent, an inner agent's steps right after it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import Document, DocumentStep

_START = attrgetter("started_at")


def ordered_steps(document: Document) -> Sequence[tuple[DocumentStep, str]]:
    """Return every step once with its parent's id: the root first, with an empty parent id.

    The root replaces a parent that is not in the run. If the root is a model or tool call, the
    entry for it among its own steps is returned.
    """
    root = document.root
    agents = {agent.id: agent for agent in document.agents}
    found: dict[str, DocumentStep] = {}
    waiting: list[DocumentStep] = [*reversed(agents.values()), root]
    while waiting:
        step = waiting.pop()
        if step.id not in found or (step.id == root.id and step.owner is not None):
            found[step.id] = step
        if agent := agents.pop(step.id, None):
            in_time = sorted(agent.steps, key=_START)
            waiting += in_time[::-1]
    return [(step, _parent(step, root.id, found)) for step in found.values()]


def _parent(step: DocumentStep, root_id: str, found: dict[str, DocumentStep]) -> str:
    if step.id == root_id:
        return ""
    above = step.parent_id
    return above if above in found and above != step.id else root_id
