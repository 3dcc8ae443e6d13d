"""Sorts a document for evaluation: agents and their steps by start.

Extracted documents have this order; imported documents may have any. Starts are compared in
milliseconds; for equal starts the order of the document stays, which was built from nanoseconds.
"""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.document import AGENTS, HeldDocument
from spanloom.core.showing.steps import build_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.showing.steps import Node

_STARTED_AT = attrgetter("started_at")


def in_order(document: HeldDocument) -> HeldDocument:
    """Return a document with sorted agents and steps; the same object if it is sorted already."""
    agents = list(document.agents)
    if _is_in_order(agents) and all(_is_in_order(list(agent.steps)) for agent in agents):
        return document
    ordered = [
        {**agent.json, "steps": [step.json for step in sorted(agent.steps, key=_STARTED_AT)]}
        for agent in sorted(agents, key=_STARTED_AT)
    ]
    return HeldDocument({**document.json, AGENTS: ordered})


def tree_order(document: Document) -> Mapping[str, int]:
    """Return the position of each step in its tree, keyed by id: parents first, depth first.

    For agents that call one another this is the order of starts, even within a millisecond.
    """
    places: dict[str, int] = {}
    stack: list[Node] = [build_tree(dict(document.json))]
    while stack:
        node = stack.pop()
        places[node.step.id] = len(places)
        stack += reversed(node.children)
    return places


def _is_in_order(steps: Sequence[DocumentStep]) -> bool:
    starts = map(_STARTED_AT, steps)
    return all(before <= after for before, after in pairwise(starts))
