"""Where annotators are in a queue, as the API shows it."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.api.queue_schemas import QueuedRun
from spanloom.core.annotation.queue import QueueView


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
        """Return where somebody is; the items that are done come first in their count."""
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
