"""Whether a run was stopped from outside before it had an answer.

A cancellation passes through every span around it, like an exception. It ends the run if nothing
beside it went on: the loser of a race is cancelled, and the agent that let two others race is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.failures import nearest_above

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.extraction.reports.once import Reports
    from spanloom.core.model.trajectory import Failure
    from spanloom.core.model.tree import SpanTree


def is_ended_by_cancellation(tree: SpanTree, reports: Reports) -> bool:
    """Return whether a cancellation was the end of the run."""
    cut = {i for i, n in reports.spans.items() if n.is_cancelled}
    if not cut:
        return False
    root = reports.spans[tree.root.span_id]
    if root.is_cancelled or root.facts.output or not tree.has_root:
        return root.is_cancelled  # what stands in for a root that is not here knows no more
    outermost = [i for i, above in nearest_above(tree, cut).items() if not above]
    cut_ns = max(reports.spans[i].span.end_ns for i in outermost)
    return not any(end_ns > cut_ns for end_ns in _ends_beside(tree, reports, set(outermost)))


def _ends_beside(tree: SpanTree, reports: Reports, cut: set[str]) -> Iterable[int]:
    """Yield when each step ended that is neither inside nor around what was cancelled."""
    inside, around = set(cut), set[str]()
    for span in tree.top_down:
        place = tree.place(span)
        if place is not None and place.span_id in inside:
            inside.add(span.span_id)
    for span_id in cut:
        place = tree.place(reports.spans[span_id].span)
        while place is not None and place.span_id not in around:
            around.add(place.span_id)
            place = tree.place(place)
    for span_id in reports.step_of:
        if span_id not in inside and span_id not in around:
            yield reports.spans[span_id].span.end_ns


def with_words(failures: Sequence[Failure]) -> Sequence[Failure]:
    """Leave out what tells neither type nor message: of a cancelled run it is the cancellation."""
    return [f for f in failures if f.error.message or f.error.type]
