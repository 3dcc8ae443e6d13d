"""Response models of annotation queues, their items, and annotators' progress."""

from collections.abc import Mapping

from pydantic import BaseModel

from spanloom.core.annotation.queue import Accuracy, QueueView, overlap_of, progress_of
from spanloom.core.annotation.queue_items import share
from spanloom.core.records.queue import GoldItem, ProgressItem, QueuedRun, QueueItem, QueuePlace


class QueueList(BaseModel):
    """The queues there are."""

    items: list[QueueItem]


class QueuedRuns(BaseModel):
    """What is in a queue, in its order."""

    items: list[QueuedRun]


def queue_item(view: QueueView, gold: Mapping[str, Accuracy] | None = None) -> QueueItem:
    """Return the current state of a queue."""
    states = [view.state(item.trace_id).value for item in view.items]
    return QueueItem.made_of(
        view.queue,
        items=len(view.items),
        overlap=overlap_of(view),
        states={state: states.count(state) for state in sorted(set(states))},
        progress=_progress(view, gold or {}),
    )


def queued_run(view: QueueView, trace_id: str, reader: str) -> QueuedRun:
    """Return an item as visible to a reader; raises ``KeyError`` if the queue lacks it."""
    item = view.item(trace_id)
    if item is None:
        raise KeyError(trace_id)
    alike = view.alike.get(trace_id) if view.is_done(trace_id) else None
    return QueuedRun.made_of(
        item,
        state=view.state(trace_id).value,
        annotators=list(view.assigned[trace_id]),
        done_by=sorted(view.done_by(trace_id)),
        gold=item.is_gold and reader not in view.everybody(),
        alike=share(alike) if alike else None,
    )


def queued_runs(view: QueueView, reader: str) -> QueuedRuns:
    """Return the items of a queue as visible to a reader."""
    return QueuedRuns(items=[queued_run(view, item.trace_id, reader) for item in view.items])


def queue_place(view: QueueView, trace_id: str, annotator: str) -> QueuePlace:
    """Return an annotator's place at an item; ``at`` counts done items first."""
    mine = view.mine(annotator)
    done = [of for of in mine if annotator in view.done_by(of)]
    ordered = [*done, *(of for of in mine if of not in set(done))]
    is_mine = trace_id in ordered
    return QueuePlace.made_of(
        view.queue,
        item=queued_run(view, trace_id, annotator),
        is_mine=is_mine,
        at=ordered.index(trace_id) + 1 if is_mine else 0,
        of=len(ordered),
        done=len(done),
    )


def _progress(view: QueueView, gold: Mapping[str, Accuracy]) -> dict[str, ProgressItem]:
    return {
        who: ProgressItem.made_of(
            progress, gold=GoldItem.made_of(gold[who]) if who in gold else None
        )
        for who, progress in progress_of(view).items()
    }
