"""Where a run stopped to ask a person, and what its agents show then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.failures import nearest_above, step_showing
from spanloom.core.model.trajectory import Outcome, Pause, StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.extraction.reports.once import Reports
    from spanloom.core.model.trajectory import Step
    from spanloom.core.model.tree import SpanTree


def list_pauses(tree: SpanTree, reports: Reports) -> Sequence[Pause]:
    """Return the pauses that were not over by the end of the trace, in order.

    A pause passes through every span around it, like an exception: it is where it began. It is
    over once a span of the same name begins: a graph runs the node again to which the answer goes.
    """
    paused = {i: n for i, n in reports.spans.items() if n.question is not None}
    if not paused:
        return ()
    passing_on = set(nearest_above(tree, paused).values())
    latest = {span.name: span.start_ns for span in tree.spans}  # in order: the last one stays
    found = {
        step_id: Pause(i, step_id, n.question or "")
        for i, n in paused.items()
        if i not in passing_on
        and latest[n.span.name] < n.span.end_ns
        and (step_id := step_showing(tree, reports, i))
    }
    return list(found.values())


def show_pauses(
    steps: dict[str, Step], anchors: Mapping[str, str], pauses: Iterable[Pause]
) -> None:
    """Let the steps in which a run waits say so; they have no result yet, whatever they report.

    Anchors are the parent step of each span.
    """
    for pause in pauses:
        step_id = pause.step_id
        while step_id:
            if (step := steps.get(step_id)) is not None:
                steps[step_id] = _waiting(step, pause)
            step_id = anchors[step_id]


def is_waiting(step: Step) -> bool:
    """Return whether the step waits for a person."""
    return step.metadata.get("outcome") == Outcome.PAUSED


def _waiting(step: Step, pause: Pause) -> Step:
    metadata = {**step.metadata, "outcome": str(Outcome.PAUSED), "question": pause.question}
    output = step.output if step.type is StepType.GRAPH else ""
    return step._replace(output=output, metadata=metadata)
