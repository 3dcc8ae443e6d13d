"""Request and response models for annotation queues, their items, and annotators' progress."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.annotation.filling import MOST_GOLD, MOST_ITEMS
from spanloom.api.schemas import EXAMPLE_TRACE, TraceId
from spanloom.core.annotation.queue import Accuracy, QueueView, overlap_of, progress_of
from spanloom.core.annotation.queue_items import share
from spanloom.core.model.annotation_queue import Mode, Order, Queue
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.records.queue import GoldItem, ProgressItem, QueuedRun, QueueItem, QueuePlace

AnnotatorName = Annotated[str, Field(min_length=1, max_length=100)]


class QueueRequest(BaseModel):
    """A queue, and trajectories to put into it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheme: Annotated[
        str,
        Field(
            max_length=200, description="The scheme that annotators fill in.", examples=["potato"]
        ),
    ]
    annotators: Annotated[
        list[AnnotatorName],
        Field(
            max_length=200,
            description="The annotators; none in a free queue, where everybody may annotate.",
            examples=[["ada"]],
        ),
    ] = []
    mode: Annotated[
        Mode,
        Field(
            description="`assigned`: each item has its annotators; `free`: the next annotator to "
            "request an item gets it.",
            examples=["assigned"],
        ),
    ] = Mode.ASSIGNED
    each: Annotated[
        int, Field(ge=1, le=50, description="How many annotators get each item.", examples=[1])
    ] = 1
    blind: Annotated[
        bool,
        Field(
            description="Withhold annotations of others until the annotator is done.",
            examples=[True],
        ),
    ] = False
    order: Annotated[
        Order, Field(description="The order in which annotators get items.", examples=["oldest"])
    ] = Order.OLDEST
    away: Annotated[
        list[AnnotatorName],
        Field(description="Annotators whose open items go to others.", examples=[[]]),
    ] = []
    threshold: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Share of steps judged alike below which an item is to be adjudicated.",
            examples=[0.8],
        ),
    ] = None
    sample: Annotated[
        float,
        Field(
            ge=0, le=1, description="Share of items that are always adjudicated.", examples=[0.1]
        ),
    ] = 0
    instructions: Annotated[
        str,
        Field(
            max_length=20_000, description="Instructions for annotators.", examples=["Judge all."]
        ),
    ] = ""
    trace_ids: Annotated[
        list[TraceId],
        Field(
            max_length=MOST_ITEMS,
            description="Items to add, in this order, after the existing items.",
            examples=[[EXAMPLE_TRACE]],
        ),
    ] = []
    gold_trace_ids: Annotated[
        list[TraceId],
        Field(
            max_length=MOST_GOLD,
            description="Adjudicated runs, with which every annotator is compared.",
            examples=[[]],
        ),
    ] = []
    where: Annotated[
        str,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="Adds the runs that this query matches (docs/query.md).",
            examples=["tool_steps >= 3"],
        ),
    ] = ""
    living: Annotated[
        bool, Field(description="Keep adding the runs that match `where`.", examples=[True])
    ] = False

    @model_validator(mode="after")
    def _is_possible(self) -> "QueueRequest":
        if len(set(self.annotators)) != len(self.annotators):
            raise ValueError("annotators: name each once")
        if not self.annotators and self.mode is Mode.ASSIGNED:
            raise ValueError("annotators: name them, or make it a free queue")
        if self.living and not self.where.strip():
            raise ValueError("living: name in `where` the runs to add")
        return self

    def queue(self, project: str, name: str, at_us: int) -> Queue:
        """Return the queue to store; ``at_us`` is microseconds since the epoch."""
        return Queue(
            project=project,
            name=name,
            scheme=self.scheme,
            annotators=self.annotators,
            each=self.each,
            is_blind=self.blind,
            order=self.order,
            away=self.away,
            threshold=self.threshold,
            sample=self.sample,
            mode=self.mode,
            where=self.where.strip() if self.living else "",
            is_living=self.living,
            instructions=self.instructions,
            at_us=at_us,
        )


class QueueList(BaseModel):
    """The annotation queues."""

    items: list[QueueItem]


class QueuedRuns(BaseModel):
    """The items of a queue, in its order."""

    items: list[QueuedRun]


def queue_item(view: QueueView, gold: Mapping[str, Accuracy] | None = None) -> QueueItem:
    """Return a queue and its current state as a response model."""
    states = [view.state(item.trace_id).value for item in view.items]
    return QueueItem.made_of(
        view.queue,
        items=len(view.items),
        overlap=overlap_of(view),
        states={state: states.count(state) for state in sorted(set(states))},
        progress=_progress(view, gold or {}),
    )


def queued_run(view: QueueView, trace_id: str, reader: str) -> QueuedRun:
    """Return a queue item as a reader may see it; raises ``KeyError`` if the queue lacks it."""
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
    """Return the items of a queue as a reader may see them."""
    return QueuedRuns(items=[queued_run(view, item.trace_id, reader) for item in view.items])


def queue_place(view: QueueView, trace_id: str, annotator: str) -> QueuePlace:
    """Return where an item is among the annotator's items, in which done items come first."""
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
