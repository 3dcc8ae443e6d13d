"""Finds the parent step of each span of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.duplicates.spans import Reports
    from spanloom.core.model.tree import SpanTree

MAX_BETWEEN = 8
"""Maximum number of ancestors to examine when looking for one report of a step above another."""


def anchor_spans(tree: SpanTree, reports: Reports) -> dict[str, str]:
    """Map each span id to the id of its parent step: the nearest step above, or else the root.

    The root is mapped to an empty text.
    """
    step_of, root_id = reports.step_of, tree.root.span_id
    above: dict[str, str] = {}
    nearest: dict[str, str] = {}
    for span in tree.top_down:
        span_id, place = span.span_id, tree.place(span)
        above[span_id] = anchor = nearest[place.span_id] if place is not None else ""
        nearest[span_id] = step_of.get(span_id, anchor or span_id)
    moved = {i: n.inside for i, n in reports.spans.items() if n.inside is not None}
    for span_id, inside in moved.items():
        if inside in nearest and step_of.get(span_id) == span_id != root_id:
            above[span_id] = nearest[inside]
    if reports.merged:
        above |= dict(_deeper(above, reports, root_id))
    if moved or reports.merged:  # only these can cause cycles
        _cut_cycles(above, step_of.values(), root_id)
    return above


def _deeper(above: Mapping[str, str], reports: Reports, root_id: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the new parent of each step that another report shows at a deeper level.

    Example: OpenLIT reports no agent within a tool, so the agent's calls are below the tool.
    """
    for step_id, others in reports.merged.items():
        place = above[step_id]
        for other in others:
            deeper = above[other.span.span_id]
            if step_id != root_id and _leads_to(place, deeper, step_id, above):
                place = deeper
        if place != above[step_id]:
            yield step_id, place


def _leads_to(place: str, start: str, step_id: str, above: Mapping[str, str]) -> bool:
    """Return whether ``place`` is an ancestor of ``start``, and ``step_id`` is not in between.

    At most ``MAX_BETWEEN`` ancestors are examined; ``False`` if ``place`` is above them.
    """
    for _ in range(MAX_BETWEEN):
        if start in ("", step_id, place):
            return False
        start = above[start]
        if start == place:
            return True
    return False


def _cut_cycles(above: dict[str, str], steps: Iterable[str], root_id: str) -> None:
    """Break each cycle of parents by making one of its steps a child of the root.

    A cycle arises if instrumentations disagree about which of two steps contains the other.
    """
    settled = {"", root_id}
    for step_id in steps:
        path: dict[str, None] = {}
        place = step_id
        while place not in settled and place not in path:
            path[place] = None
            place = above[place]
        if place in path:
            above[place] = root_id
        settled |= path.keys()
