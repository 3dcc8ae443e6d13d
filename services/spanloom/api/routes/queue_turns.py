"""What annotators do with the items of a queue: get the next, say how it went."""

from fastapi import APIRouter

from spanloom.api.annotation_examples import NEXT, PLACE, QUEUE
from spanloom.api.annotators import Annotator, OneProject, Reader
from spanloom.api.needs import needs
from spanloom.api.queue_places import NextRun, QueuePlace
from spanloom.api.queue_schemas import QueueItem
from spanloom.api.routes.annotation_queues import READING, WRITING, QueueInPath
from spanloom.api.routes.places import TraceIdInPath
from spanloom.api.services import Using
from spanloom.core.model.access import Scope

router = APIRouter(tags=["annotations"])


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
    return NextRun(**(await using.calls.run(next_for, project, name, annotator))._asdict())


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
    holding = using.annotating.queues.desks.holding
    desk = await using.calls.run(holding, project, name, trace_id)
    return QueuePlace.at_item(desk, trace_id, reader)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/begin",
    operation_id="beginInQueue",
    summary="Say that an item was opened",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def begin(
    name: QueueInPath,
    trace_id: TraceIdInPath,
    project: OneProject,
    using: Using,
    annotator: Annotator,
) -> QueueItem:
    """Note it, once: the time for an item counts from there. Of others' items nothing is noted."""
    say = using.annotating.queues.begin
    return QueueItem.of(await using.calls.run(say, project, name, trace_id, annotator))


@router.post(
    "/v1/queues/{name}/items/{trace_id}/done",
    operation_id="doneInQueue",
    summary="Say that an item is done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def done(
    name: QueueInPath,
    trace_id: TraceIdInPath,
    project: OneProject,
    using: Using,
    annotator: Annotator,
) -> QueueItem:
    """Note it; 409 if the scheme requires more than was said."""
    say = using.annotating.queues.done
    return QueueItem.of(await using.calls.run(say, project, name, trace_id, annotator))


@router.post(
    "/v1/queues/{name}/items/{trace_id}/reopen",
    operation_id="reopenInQueue",
    summary="Go on with an item that was done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def reopen(
    name: QueueInPath,
    trace_id: TraceIdInPath,
    project: OneProject,
    using: Using,
    annotator: Annotator,
) -> QueueItem:
    """Note that the annotator is not done with it."""
    say = using.annotating.queues.reopen
    return QueueItem.of(await using.calls.run(say, project, name, trace_id, annotator))


@router.post(
    "/v1/queues/{name}/items/{trace_id}/adjudicate",
    operation_id="adjudicateInQueue",
    summary="Say that an item is adjudicated",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def adjudicate(
    name: QueueInPath,
    trace_id: TraceIdInPath,
    project: OneProject,
    using: Using,
    annotator: Annotator,
) -> QueueItem:
    """Note it, once its annotators are done; what was decided are annotations of that origin."""
    say = using.annotating.queues.adjudicate
    return QueueItem.of(await using.calls.run(say, project, name, trace_id, annotator))
