"""The order in which a document is judged: agents and their steps by their starts.

Documents that were extracted have this order; those of others may have any. Starts are compared in
milliseconds, and equal ones stay in the order of the document, which knows nanoseconds.
"""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.document import AGENTS, HeldDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import DocumentStep

_STARTED_AT = attrgetter("started_at")


def in_order(document: HeldDocument) -> HeldDocument:
    """Return a document with its agents and steps by their starts: the same one if it has them."""
    agents = list(document.agents)
    if _is_in_order(agents) and all(_is_in_order(list(agent.steps)) for agent in agents):
        return document
    ordered = [
        {**agent.json, "steps": [step.json for step in sorted(agent.steps, key=_STARTED_AT)]}
        for agent in sorted(agents, key=_STARTED_AT)
    ]
    return HeldDocument({**document.json, AGENTS: ordered})


def _is_in_order(steps: Sequence[DocumentStep]) -> bool:
    starts = map(_STARTED_AT, steps)
    return all(before <= after for before, after in pairwise(starts))
