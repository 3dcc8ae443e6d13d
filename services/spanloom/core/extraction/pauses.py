"""Where a run stopped to ask a person, and what its agents show then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.failures import nearest_above, steps_showing
from spanloom.core.model.trajectory import Outcome, Pause, StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.extraction.reports.once import Reports
    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Step
    from spanloom.core.model.tree import SpanTree

MAX_QUESTION_CHARS = 500
"""Of a question, on the agents around the step that asks it."""


def list_pauses(tree: SpanTree, reports: Reports) -> Sequence[Pause]:
    """Return the pauses that were not over by the end of the trace, in order.

    A pause passes through every span around it, like an exception: it is where it began. It is
    over once a span of the same name begins: a graph runs the node again to which the answer goes,
    an agent the tool, but not beside the one that waits; or once a run begins that goes on with a
    person's answer.
    """
    paused = {i: n for i, n in reports.spans.items() if n.question is not None}
    if not paused:
        return ()
    passing_on = set(nearest_above(tree, paused).values())
    latest = {span.name: span for span in tree.spans}  # in order: the last one stays
    went_on = (n.span.start_ns for n in reports.spans.values() if n.facts.is_resuming)
    answered_ns = max(went_on, default=0)
    shown_by = steps_showing(tree, reports)
    found: dict[tuple[str, str], Pause] = {}
    for span_id, n in paused.items():
        if span_id not in passing_on and not _is_over(n, latest[n.span.name], answered_ns):
            pause = Pause(span_id, shown_by[span_id], n.question or "")
            found.setdefault((pause.step_id, pause.question), pause)
    return list(found.values())


def _is_over(paused: NormalizedSpan, latest: Span, answered_ns: int) -> bool:
    span = paused.span
    began_again = latest.span_id != span.span_id and latest.start_ns >= span.end_ns
    is_beside = paused.is_approval and latest.parent_span_id == span.parent_span_id
    return (began_again and not is_beside) or answered_ns > span.end_ns


def show_pauses(
    steps: dict[str, Step], anchors: Mapping[str, str], pauses: Iterable[Pause]
) -> None:
    """Let the steps in which a run waits say so; they have no result yet, whatever they report.

    Anchors are the parent step of each span.
    """
    for pause in pauses:
        step_id, question = pause.step_id, pause.question
        while step_id:
            if (step := steps.get(step_id)) is not None:
                if is_waiting(step):
                    break  # and so does all that is around it
                steps[step_id] = _waiting(step, question)
                question = pause.question[:MAX_QUESTION_CHARS]
            step_id = anchors[step_id]


def is_waiting(step: Step) -> bool:
    """Return whether the step waits for a person."""
    return step.metadata.get("outcome") == Outcome.PAUSED


def has_stopped(step: Step) -> bool:
    """Return whether the step ended before its answer: it waits, or was cancelled."""
    return step.metadata.get("outcome") in (Outcome.PAUSED, Outcome.CANCELLED)


def _waiting(step: Step, question: str) -> Step:
    metadata = {**step.metadata, "outcome": str(Outcome.PAUSED), "question": question}
    output = step.output if step.type is StepType.GRAPH else ""
    return step._replace(output=output, metadata=metadata)
