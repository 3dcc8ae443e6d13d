"""Under which step each span of a trace stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.extraction.reports.once import Reports
    from spanloom.core.model.tree import SpanTree


def anchor_spans(tree: SpanTree, reports: Reports) -> dict[str, str]:
    """Return each span's parent step: the nearest step above, or the root; empty for the root."""
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
    if moved or reports.merged:  # in a tree alone there are no circles
        _cut_circles(above, step_of.values(), root_id)
    return above


def _cut_circles(above: dict[str, str], steps: Iterable[str], root_id: str) -> None:
    """Hang a step below the root whose parents lead back to itself.

    Reports that are merged may stand above each other crosswise: what is above a step then counts
    as part of it.
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
