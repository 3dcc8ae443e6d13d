"""Response models of annotation queues, their items, and annotators' progress."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.core.annotation.queue import Accuracy, QueueView, overlap_of, progress_of
from spanloom.core.annotation.queue_items import share


class GoldItem(BaseModel):
    """One annotator against answers that are known."""

    answers: Annotated[int, Field(description="Known, about items that the annotator has done.")]
    right: Annotated[int, Field(description="Of them, those that the annotator gave too.")]


class ProgressItem(BaseModel):
    """How far one annotator is."""

    assigned: int
    done: int
    timed: Annotated[int, Field(description="How many of the done ones have a beginning.")]
    seconds: Annotated[float, Field(description="From beginning to done, all timed together.")]
    median_seconds: Annotated[
        float | None, Field(description="Of one of them, the median; null where none is timed.")
    ]
    gold: Annotated[
        GoldItem | None,
        Field(description="Of one queue: against known answers; null where there are none."),
    ] = None


class QueueItem(BaseModel):
    """A queue and how it stands."""

    name: str
    project: str
    scheme: str
    mode: Annotated[str, Field(description="`assigned`, or `free`: who asks next gets an item.")]
    annotators: list[str]
    each: int
    blind: bool
    order: str
    away: list[str]
    threshold: Annotated[
        float | None, Field(description="Below this share of like steps: to adjudicate.")
    ] = None
    sample: Annotated[float, Field(description="Share of items to adjudicate in any case.")]
    where: Annotated[str, Field(description="What a living queue asks for; else empty.")]
    living: Annotated[bool, Field(description="Whether it goes on taking in what it finds.")]
    instructions: str
    items: int
    overlap: Annotated[int, Field(description="Items that two or more are done with.")]
    states: Annotated[dict[str, int], Field(description="How many items are how far.")]
    progress: dict[str, ProgressItem]

    @classmethod
    def of(cls, desk: QueueView, gold: Mapping[str, Accuracy] | None = None) -> "QueueItem":
        """Return the current state of a queue as a response model."""
        queue = desk.queue
        states = [desk.state(item.trace_id).value for item in desk.items]
        return cls(
            name=queue.name,
            project=queue.project,
            scheme=queue.scheme,
            mode=queue.mode.value,
            annotators=list(queue.annotators),
            each=queue.each,
            blind=queue.is_blind,
            order=queue.order.value,
            away=list(queue.away),
            threshold=queue.threshold,
            sample=queue.sample,
            where=queue.where,
            living=queue.is_living,
            instructions=queue.instructions,
            items=len(desk.items),
            overlap=overlap_of(desk),
            states={state: states.count(state) for state in sorted(set(states))},
            progress=_progress(desk, gold or {}),
        )


class QueueList(BaseModel):
    """The queues there are."""

    items: list[QueueItem]


class QueuedRun(BaseModel):
    """A trajectory in a queue."""

    trace_id: str
    version: Annotated[int, Field(description="When it was put in.")]
    state: Annotated[str, Field(description="open, begun, done, to_adjudicate or adjudicated.")]
    annotators: list[str]
    done_by: list[str]
    failures: Annotated[int, Field(description="When it was put in.")]
    gold: Annotated[
        bool, Field(description="Whether its answers are known; not told to annotators.")
    ]
    alike: Annotated[
        float | None,
        Field(description="Share of steps judged alike, once it is done; null: none is shared."),
    ] = None

    @classmethod
    def of(cls, desk: QueueView, trace_id: str, reader: str) -> "QueuedRun":
        """Return an item as visible to a reader; raises ``KeyError`` if the queue lacks it."""
        item = desk.item(trace_id)
        if item is None:
            raise KeyError(trace_id)
        alike = desk.alike.get(trace_id) if desk.is_done(trace_id) else None
        return cls(
            trace_id=trace_id,
            version=item.version,
            state=desk.state(trace_id).value,
            annotators=list(desk.assigned[trace_id]),
            done_by=sorted(desk.done_by(trace_id)),
            failures=item.failures,
            gold=item.is_gold and reader not in desk.everybody(),
            alike=share(alike) if alike else None,
        )


class QueuedRuns(BaseModel):
    """What is in a queue, in its order."""

    items: list[QueuedRun]

    @classmethod
    def of(cls, desk: QueueView, reader: str) -> "QueuedRuns":
        """Return the items of a queue as visible to a reader."""
        return cls(items=[QueuedRun.of(desk, item.trace_id, reader) for item in desk.items])


def _progress(desk: QueueView, gold: Mapping[str, Accuracy]) -> dict[str, ProgressItem]:
    found = {}
    for who, progress in progress_of(desk).items():
        against = GoldItem(**gold[who]._asdict()) if who in gold else None
        found[who] = ProgressItem(**progress._asdict(), gold=against)
    return found


class QueuePlace(BaseModel):
    """Where one annotator is in a queue, at one of its items."""

    queue: str
    scheme: str
    instructions: str
    blind: bool
    item: QueuedRun
    is_mine: Annotated[bool, Field(description="Whether the annotator is to judge it.")]
    at: Annotated[int, Field(description="Which it is of the annotator's items, from 1; 0: none.")]
    of: Annotated[int, Field(description="How many the annotator has, or may take.")]
    done: Annotated[int, Field(description="How many of them the annotator is done with.")]

    @classmethod
    def at_item(cls, desk: QueueView, trace_id: str, annotator: str) -> "QueuePlace":
        """Return an annotator's place at an item; ``at`` counts done items first."""
        mine = desk.mine(annotator)
        done = [of for of in mine if annotator in desk.done_by(of)]
        ordered = [*done, *(of for of in mine if of not in set(done))]
        is_mine = trace_id in ordered
        return cls(
            queue=desk.queue.name,
            scheme=desk.queue.scheme,
            instructions=desk.queue.instructions,
            blind=desk.queue.is_blind,
            item=QueuedRun.of(desk, trace_id, annotator),
            is_mine=is_mine,
            at=ordered.index(trace_id) + 1 if is_mine else 0,
            of=len(ordered),
            done=len(done),
        )


class NextRun(BaseModel):
    """What is next for an annotator."""

    trace_id: Annotated[str | None, Field(description="Null: nothing is left.")] = None
    left: Annotated[int, Field(description="That one included.")]
