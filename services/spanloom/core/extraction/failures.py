"""Lists the failures of a run, each once, and whether the run recovered from them.

An exception may pass through every span around it: tool, node, agent, root. That is one failure, of
the tool. The run has recovered from it if the parent of the outermost failed span did not fail, and
either a later span began or the run has an answer. Examples: a node that is retried, an agent that
continues after its tool's error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.mcp import SESSION
from spanloom.core.duplicates.legs import FAR_SIDE
from spanloom.core.duplicates.matching import are_simultaneous
from spanloom.core.duplicates.reports import complete_error
from spanloom.core.model.trajectory import Failure
from spanloom.core.model.tree import with_all_below

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spanloom.core.duplicates.spans import Reports
    from spanloom.core.model.span import NormalizedSpan
    from spanloom.core.model.step import StepError
    from spanloom.core.model.tree import SpanTree

_NO_WORDS = frozenset({"", "run status: error"})
"""Messages without information; Agno's agents report only that they failed."""
SHORTEST_WORDS = 5
"""Minimum length of a message to search for in another; ``1`` occurs in ``code 1`` by chance."""


def list_failures(tree: SpanTree, reports: Reports) -> Sequence[Failure]:
    """Return the failures of a trace, ordered by the start of the failed spans."""
    failed = {i: n for i, n in reports.spans.items() if n.error is not None}
    if failed and (apart := _apart_from_runs(tree, reports)):
        failed = {i: n for i, n in failed.items() if i in reports.step_of or i not in apart}
    if not failed:
        return ()
    around = nearest_above(tree, failed)
    passing_on = {i for inner, i in around.items() if i and _is_passed_on(failed, inner, i)}
    reached = _follow(tree, failed, around, passing_on)
    course = _Course(tree, failed, has_answer=_has_answer(tree, reports))
    began = {i: n for i, n in failed.items() if i not in passing_on}
    first = _first_reports(reports, began)
    own = [n for i, n in began.items() if first.get(reports.step_of.get(i, ""), i) == i]
    shown_by = steps_showing(tree, reports)
    return [
        Failure(
            span_id := n.span.span_id,
            shown_by[span_id],
            error,
            recovered=course.recovered_from(reached[span_id]),
        )
        for n in _each_once(own, reports)
        if (error := complete_error(_all_reports(reports, n))) is not None
    ]


def _apart_from_runs(tree: SpanTree, reports: Reports) -> set[str]:
    """Return the ids of MCP requests outside of agents' runs, and of all spans below the requests.

    These requests set up or watch a session, or are calls whose caller is in another trace.
    """
    demoted = reports.demoted
    apart = {i for i, n in reports.spans.items() if n.rule == SESSION or demoted.get(i) == FAR_SIDE}
    return with_all_below(tree, apart) if apart else apart


def _has_answer(tree: SpanTree, reports: Reports) -> bool:
    """Return whether any report of the root has an output."""
    root = reports.spans[tree.root.span_id]
    return any(n.facts.output for n in (root, *reports.merged.get(root.span.span_id, ())))


def _all_reports(reports: Reports, n: NormalizedSpan) -> Iterator[NormalizedSpan]:
    """Yield the span and all reports of its step, which may describe the failure in more detail."""
    yield n
    if step_id := reports.step_of.get(n.span.span_id):
        yield from (reports.spans[step_id], *reports.merged.get(step_id, ()))


def _each_once(failed: Sequence[NormalizedSpan], reports: Reports) -> Iterator[NormalizedSpan]:
    """Yield the failed spans, except spans that are no steps and repeat another failure.

    Example: OpenLIT reports a node as a sibling of the call that failed inside it, and repeats the
    call's error message on the node.
    """
    steps = [n for n in failed if n.span.span_id in reports.step_of]
    seen: dict[tuple[str, str], NormalizedSpan] = {}
    for n in failed:
        if n.error is None or n.span.span_id in reports.step_of:
            yield n
            continue
        if any(_repeats(n, step) for step in steps):
            continue
        what = (n.error.type, n.error.message)
        first = seen.setdefault(what, n)
        if first is not n:
            if are_simultaneous(first, n):
                continue
            seen[what] = n
        yield n


def _repeats(n: NormalizedSpan, step: NormalizedSpan) -> bool:
    """Return whether ``step``, of another scope, failed during the span with the same message."""
    if n.span.scope_name == step.span.scope_name or n.error is None or step.error is None:
        return False
    ran_within = n.span.start_ns <= step.span.end_ns <= n.span.end_ns
    return ran_within and _words(n.error) == _words(step.error)


def _words(error: StepError) -> str:
    """Return the error's message without the error type that precedes it: ``KeyError: 'city'``."""
    return error.message.removeprefix(f"{error.type}: ")


def nearest_above(tree: SpanTree, marked: Collection[str]) -> Mapping[str, str]:
    """Map each marked span id to the id of its nearest marked ancestor, or to an empty text."""
    nearest: dict[str, str] = {}
    above_marked: dict[str, str] = {}
    for span in tree.top_down:
        place = tree.place(span)
        above = nearest[place.span_id] if place is not None else ""
        if span.span_id in marked:
            above_marked[span.span_id] = above
        nearest[span.span_id] = span.span_id if span.span_id in marked else above
    return above_marked


def _is_passed_on(failed: Mapping[str, NormalizedSpan], inner: str, outer: str) -> bool:
    """Return whether the outer span's error repeats the inner span's error, or has no message."""
    ours, theirs = failed[inner].error, failed[outer].error
    if ours is None or theirs is None:
        return False
    words = _words(ours)
    if theirs.message in _NO_WORDS or words == _words(theirs):
        return True
    return len(words) >= SHORTEST_WORDS and words in theirs.message


def _follow(
    tree: SpanTree,
    failed: Mapping[str, NormalizedSpan],
    around: Mapping[str, str],
    passing_on: set[str],
) -> Mapping[str, str]:
    """Map each failed span id to the id of the outermost span that repeats its error."""
    reached: dict[str, str] = {}
    for span in tree.top_down:
        span_id = span.span_id
        if span_id in failed:
            above = around[span_id]
            is_same = above in passing_on and _is_passed_on(failed, span_id, above)
            reached[span_id] = reached[above] if is_same else span_id
    return reached


class _Course:
    """Decides whether a run recovered from a failure."""

    def __init__(self, tree: SpanTree, failed: Mapping[str, NormalizedSpan], *, has_answer: bool):
        self._tree = tree
        self._failed = failed
        self._latest = tree.spans[-2:]
        self._has_answer = has_answer and tree.root.span_id not in failed

    def recovered_from(self, span_id: str) -> bool:
        """Return whether the span's parent did not fail, and the run continued or has an answer."""
        span = self._failed[span_id].span
        around = self._tree.place(span)
        if around is None or around.span_id in self._failed:
            return False
        later = (s for s in self._latest if s.span_id != span_id and s.start_ns >= span.end_ns)
        return self._has_answer or any(later)


def steps_showing(tree: SpanTree, reports: Reports) -> Mapping[str, str]:
    """Map each span id to the id of the step that it reports, or else of the nearest step above."""
    shown_by: dict[str, str] = {}
    for span in tree.top_down:
        place = tree.place(span)
        around = tree.root.span_id if place is None else shown_by[place.span_id]
        shown_by[span.span_id] = reports.step_of.get(span.span_id, around)
    return shown_by


def _first_reports(reports: Reports, began: Mapping[str, NormalizedSpan]) -> Mapping[str, str]:
    """Map each failed step's id to the first of its reports that is in ``began``.

    ``began`` has the spans in which failures began, keyed by span id.
    """
    first: dict[str, str] = {}
    for span_id in began:
        step_id = reports.step_of.get(span_id, "")
        if step_id and step_id not in first:
            span_ids = (step_id, *(n.span.span_id for n in reports.merged.get(step_id, ())))
            first[step_id] = next(i for i in span_ids if i in began)
    return first
