"""Finds runs that paused for a person, resumed, or were cancelled."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.extraction.failures import nearest_above, steps_showing
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Outcome, Pause

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.duplicates.spans import Reports
    from spanloom.core.model.span import Facts, NormalizedSpan, Span
    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Failure
    from spanloom.core.model.tree import SpanTree

MAX_QUESTION_CHARS = 500
"""Maximum characters of a question in the metadata of the steps above the step that asks it."""


def list_pauses(tree: SpanTree, reports: Reports) -> Sequence[Pause]:
    """Return the pauses that were still open at the end of the trace, in order.

    Like an exception, a pause is reported by every span around it; it belongs to the innermost
    span. A pause is over once a later span with the same name begins, because a graph then runs the
    node again, or an agent the tool. Siblings of a tool that waits for approval do not count. A
    pause is also over once a run begins that resumes with a person's answer.
    """
    paused = {i: n for i, n in reports.spans.items() if n.question is not None}
    if not paused:
        return ()
    passing_on = set(nearest_above(tree, paused).values())
    latest = {span.name: span for span in tree.spans}  # ordered, so the last span wins
    went_on = (n.span.start_ns for n in reports.spans.values() if n.facts.is_resuming)
    answered_ns = max(went_on, default=0)
    shown_by = steps_showing(tree, reports)
    open_pauses: dict[tuple[str, str], Pause] = {}
    for span_id, n in paused.items():
        if span_id not in passing_on and not _is_over(n, latest[n.span.name], answered_ns):
            pause = Pause(span_id, shown_by[span_id], n.question or "")
            open_pauses.setdefault((pause.step_id, pause.question), pause)
    return list(open_pauses.values())


def _is_over(paused: NormalizedSpan, latest: Span, answered_ns: int) -> bool:
    span = paused.span
    began_again = latest.span_id != span.span_id and latest.start_ns >= span.end_ns
    is_sibling = paused.is_approval and latest.parent_span_id == span.parent_span_id
    return (began_again and not is_sibling) or answered_ns > span.end_ns


def show_pauses(
    steps: dict[str, Step], anchors: Mapping[str, str], pauses: Iterable[Pause]
) -> None:
    """Mark waiting steps and all steps above them as paused; drop outputs, except a graph's.

    ``steps`` is changed in place; ``anchors`` has the parent step id of each span.
    """
    for pause in pauses:
        step_id, question = pause.step_id, pause.question
        while step_id:
            if (step := steps.get(step_id)) is not None:
                if is_waiting(step):
                    break  # all steps above it are marked already
                steps[step_id] = _waiting(step, question)
                question = pause.question[:MAX_QUESTION_CHARS]
            step_id = anchors[step_id]


def is_waiting(step: Step) -> bool:
    """Return whether the step waits for a person."""
    return step.metadata.get("outcome") == Outcome.PAUSED


_STOPPED = (Outcome.PAUSED, Outcome.CANCELLED, Outcome.UNFINISHED)


def has_stopped(step: Step) -> bool:
    """Return whether the step has no answer: it waits, was cancelled, or never ended."""
    return step.metadata.get("outcome") in _STOPPED


def _waiting(step: Step, question: str) -> Step:
    metadata = {**step.metadata, "outcome": str(Outcome.PAUSED), "question": question}
    output = step.output if step.type is StepType.GRAPH else ""
    return step._replace(output=output, metadata=metadata)


_AGENT, _GRAPH = StepType.AGENT, StepType.GRAPH
_BEGAN = attrgetter("start_ns", "id")


def is_resuming(
    root: Step, facts: Mapping[str, Facts], by_type: Mapping[StepType, Sequence[Step]]
) -> bool:
    """Return whether the root or the first steps show that a run resumes with a person's answer."""
    if facts[root.id].is_resuming:
        return True
    if root.type not in (_AGENT, _GRAPH):
        return False
    return _frames_an_answer(root, facts, by_type) or _runs_earlier_call(by_type)


def _frames_an_answer(
    root: Step, facts: Mapping[str, Facts], by_type: Mapping[StepType, Sequence[Step]]
) -> bool:
    """Return whether the first agent or graph below the root resumes with a person's answer.

    A root such as ``POST /chat`` does not show whether the run resumes. If the root is an agent,
    return ``False``: it has a new request, even if agents that it runs resume.
    """
    runs = [s for s in (*by_type[_AGENT], *by_type[_GRAPH]) if s.id != root.id]
    if root.type is _AGENT or not runs:
        return False
    return facts[min(runs, key=_BEGAN).id].is_resuming


def _runs_earlier_call(by_type: Mapping[StepType, Sequence[Step]]) -> bool:
    """Return whether a tool with a call id runs before any model call.

    A model requested the tool in an earlier run. Return ``False`` for a trace without model calls,
    where the order proves nothing.
    """
    models, tools = by_type[StepType.MODEL], by_type[StepType.TOOL]
    if not models or not tools:
        return False
    first = min(tools, key=_BEGAN)
    return "tool_call_id" in first.metadata and first.start_ns < min(models, key=_BEGAN).start_ns


def is_ended_by_cancellation(tree: SpanTree, reports: Reports) -> bool:
    """Return whether a cancellation ended the run."""
    cut = {i for i, n in reports.spans.items() if n.is_cancelled}
    if not cut:
        return False
    root = reports.spans[tree.root.span_id]
    if root.is_cancelled or root.facts.output or not tree.has_root:
        return root.is_cancelled  # later ends prove nothing if the root is missing
    outermost = [i for i, above in nearest_above(tree, cut).items() if not above]
    cut_ns = max(reports.spans[i].span.end_ns for i in outermost)
    return not any(end_ns > cut_ns for end_ns in _ends_of_others(tree, reports, set(outermost)))


def _ends_of_others(tree: SpanTree, reports: Reports, cut: set[str]) -> Iterable[int]:
    """Yield the end in ns of each step that neither contains a cancelled span nor is inside one."""
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


def described(failures: Sequence[Failure]) -> Sequence[Failure]:
    """Return the failures with a type or message; others only report the run's cancellation."""
    return [f for f in failures if f.error.message or f.error.type]
