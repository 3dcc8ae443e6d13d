"""Annotation queues as the API takes and shows them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.annotating.queues import MOST_ITEMS
from spanloom.api.schemas import EXAMPLE_TRACE, TraceId
from spanloom.core.annotation.queueing import Desk
from spanloom.core.model.annotation_queue import Order, Queue

AnnotatorName = Annotated[str, Field(min_length=1, max_length=100)]


class QueueRequest(BaseModel):
    """A queue, and trajectories to put into it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheme: Annotated[str, Field(max_length=200, description="What is asked.", examples=["potato"])]
    annotators: Annotated[
        list[AnnotatorName],
        Field(min_length=1, max_length=200, description="Who annotates.", examples=[["ada"]]),
    ]
    each: Annotated[
        int, Field(ge=1, le=50, description="How many annotators get each item.", examples=[1])
    ] = 1
    blind: Annotated[
        bool,
        Field(description="Withhold what others say until one's own is done.", examples=[True]),
    ] = False
    order: Annotated[
        Order, Field(description="In which order annotators get items.", examples=["oldest"])
    ] = Order.OLDEST
    away: Annotated[
        list[AnnotatorName],
        Field(description="Whose items go to others, but for what is done.", examples=[[]]),
    ] = []
    instructions: Annotated[
        str, Field(max_length=20_000, description="What to look at.", examples=["Judge all."])
    ] = ""
    trace_ids: Annotated[
        list[TraceId],
        Field(
            max_length=MOST_ITEMS,
            description="What to put in, in this order, behind what is there.",
            examples=[[EXAMPLE_TRACE]],
        ),
    ] = []

    @model_validator(mode="after")
    def _names_are_apart(self) -> "QueueRequest":
        if len(set(self.annotators)) != len(self.annotators):
            raise ValueError("annotators: name each once")
        return self

    def queue(self, project: str, name: str, at_us: int) -> Queue:
        """Return it as it is stored."""
        return Queue(
            project=project,
            name=name,
            scheme=self.scheme,
            annotators=self.annotators,
            each=self.each,
            is_blind=self.blind,
            order=self.order,
            away=self.away,
            instructions=self.instructions,
            at_us=at_us,
        )


class ProgressItem(BaseModel):
    """How far one annotator is."""

    assigned: int
    done: int
    seconds: Annotated[float, Field(description="From beginning to done, all together.")]


class QueueItem(BaseModel):
    """A queue and how it stands."""

    name: str
    project: str
    scheme: str
    annotators: list[str]
    each: int
    blind: bool
    order: str
    away: list[str]
    instructions: str
    items: int
    states: Annotated[dict[str, int], Field(description="How many items are how far.")]
    progress: dict[str, ProgressItem]

    @classmethod
    def of(cls, desk: Desk) -> "QueueItem":
        """Return a queue as it stands."""
        queue = desk.queue
        states = [desk.state(item.trace_id).value for item in desk.items]
        return cls(
            name=queue.name,
            project=queue.project,
            scheme=queue.scheme,
            annotators=list(queue.annotators),
            each=queue.each,
            blind=queue.is_blind,
            order=queue.order.value,
            away=list(queue.away),
            instructions=queue.instructions,
            items=len(desk.items),
            states={state: states.count(state) for state in sorted(set(states))},
            progress={w: ProgressItem(**p._asdict()) for w, p in desk.progress().items()},
        )


class QueueList(BaseModel):
    """The queues there are."""

    items: list[QueueItem]


class QueuedRun(BaseModel):
    """A trajectory in a queue."""

    trace_id: str
    version: Annotated[int, Field(description="When it was put in.")]
    state: Annotated[str, Field(description="open, begun, done or adjudicated.")]
    annotators: list[str]
    done_by: list[str]


class QueuedRuns(BaseModel):
    """What is in a queue, in its order."""

    items: list[QueuedRun]

    @classmethod
    def of(cls, desk: Desk) -> "QueuedRuns":
        """Return the items of a queue as it stands."""
        return cls(
            items=[
                QueuedRun(
                    trace_id=item.trace_id,
                    version=item.version,
                    state=desk.state(item.trace_id).value,
                    annotators=list(desk.assigned[item.trace_id]),
                    done_by=sorted(desk.done_by(item.trace_id)),
                )
                for item in desk.items
            ]
        )


class NextRun(BaseModel):
    """What is next for an annotator."""

    trace_id: Annotated[str | None, Field(description="Null: nothing is left.")] = None
    left: Annotated[int, Field(description="That one included.")]
