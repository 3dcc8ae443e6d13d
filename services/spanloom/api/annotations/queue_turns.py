"""Routes for an annotator in a queue: get the next item, begin, finish, reopen, adjudicate."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends

from spanloom.api.annotations.annotators import Annotator, OneProject, Reader
from spanloom.api.annotations.examples import NEXT, PLACE, QUEUE
from spanloom.api.annotations.queue_schemas import queue_item, queue_place
from spanloom.api.annotations.queues import READING, WRITING, QueueInPath
from spanloom.api.http.needs import needs
from spanloom.api.runs.places import TraceIdInPath
from spanloom.api.services import Using
from spanloom.core.annotation.queue import QueueView
from spanloom.core.model.access import Scope
from spanloom.core.records.queue import NextRun, QueueItem, QueuePlace

router = APIRouter(tags=["annotations"])


class Turn:
    """One annotator and one item of a queue, from the parameters of a request."""

    def __init__(
        self,
        name: QueueInPath,
        trace_id: TraceIdInPath,
        project: OneProject,
        using: Using,
        annotator: Annotator,
    ) -> None:
        """Read the parameters; FastAPI calls this as a dependency."""
        self.queues = using.annotating.queues
        self._calls, self._place = using.calls, (project, name, trace_id, annotator)

    async def say(self, note: Callable[[str, str, str, str], QueueView]) -> QueueItem:
        """Record an event of the item by ``note``, and return the state of its queue."""
        return queue_item(await self._calls.run(note, *self._place))


OneTurn = Annotated[Turn, Depends()]


@router.post(
    "/v1/queues/{name}/next",
    operation_id="nextInQueue",
    summary="Get what is next for an annotator",
    responses={200: NEXT, **WRITING},
)
@needs(Scope.ANNOTATE)
async def next_item(
    name: QueueInPath, project: OneProject, using: Using, annotator: Annotator
) -> NextRun:
    """Return what the annotator has begun, else the next that is theirs, which is begun then."""
    next_for = using.annotating.queues.next_for
    return NextRun.made_of(await using.calls.run(next_for, project, name, annotator))


@router.get(
    "/v1/queues/{name}/items/{trace_id}",
    operation_id="getQueueItem",
    summary="See where an annotator is in a queue",
    responses={200: PLACE, **READING},
)
@needs(Scope.READ)
async def get_item(
    name: QueueInPath, trace_id: TraceIdInPath, project: OneProject, using: Using, reader: Reader
) -> QueuePlace:
    """Return an item, and which it is of those that the annotator has."""
    holding = using.annotating.queues.views.holding
    desk = await using.calls.run(holding, project, name, trace_id)
    return queue_place(desk, trace_id, reader)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/begin",
    operation_id="beginInQueue",
    summary="Say that an item was opened",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def begin(turn: OneTurn) -> QueueItem:
    """Note it, once: the time for an item counts from there. Of others' items nothing is noted."""
    return await turn.say(turn.queues.begin)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/done",
    operation_id="doneInQueue",
    summary="Say that an item is done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def done(turn: OneTurn) -> QueueItem:
    """Note it; 409 if the scheme requires more than was said."""
    return await turn.say(turn.queues.done)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/reopen",
    operation_id="reopenInQueue",
    summary="Go on with an item that was done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def reopen(turn: OneTurn) -> QueueItem:
    """Note that the annotator is not done with it."""
    return await turn.say(turn.queues.reopen)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/adjudicate",
    operation_id="adjudicateInQueue",
    summary="Say that an item is adjudicated",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def adjudicate(turn: OneTurn) -> QueueItem:
    """Note it, once its annotators are done; what was decided are annotations of that origin."""
    return await turn.say(turn.queues.adjudicate)
