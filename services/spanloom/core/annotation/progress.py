"""How far annotators are with a queue, and how they stand to answers that are known."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.annotation.queueing import Desk


class Progress(NamedTuple):
    """How far one annotator is."""

    assigned: int
    done: int
    timed: int
    """Of those that are done, how many have a beginning; when the others were, nobody saw."""
    seconds: float
    """From beginning to done, of all timed items together."""
    median_seconds: float | None
    """Of one of them: a night between beginning and done makes no item long. Of none: unknown."""


class Accuracy(NamedTuple):
    """One annotator against the answers that are known."""

    answers: int
    """Known answers about items that the annotator is done with."""
    right: int
    """Of them, those that the annotator gave too."""


def progress_of(desk: Desk) -> Mapping[str, Progress]:
    """Return how far each annotator is, by name."""
    found = {}
    for who in desk.everybody():
        done = [i.trace_id for i in desk.items if who in desk.done_by(i.trace_id)]
        mine = sum(who in names for names in desk.assigned.values())
        if mine or who in desk.queue.annotators:
            took = [seconds for of in done if (seconds := desk.seconds(of, who)) is not None]
            middle = median(took) if took else None
            found[who] = Progress(mine, len(done), len(took), sum(took), middle)
    return found


def overlap_of(desk: Desk) -> int:
    """Return how many items two or more annotators are done with."""
    return sum(len(desk.done_by(item.trace_id)) > 1 for item in desk.items)


def accuracy_of(known: Mapping[str, str], said: Mapping[str, str]) -> Accuracy:
    """Return how many of the known answers, by step, somebody gave too; silence is no answer."""
    return Accuracy(len(known), sum(said.get(step) == answer for step, answer in known.items()))
