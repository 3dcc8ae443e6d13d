"""Queues: what is to be annotated by whom, what is next, and what is done."""

from typing import Annotated

from fastapi import APIRouter, Path

from spanloom.api.access import CallersReach
from spanloom.api.annotation_examples import NEXT, QUEUE, QUEUED, QUEUES
from spanloom.api.annotators import Annotator, OneProject
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.queue_schemas import NextRun, QueuedRuns, QueueItem, QueueList, QueueRequest
from spanloom.api.routes.places import ProjectInQuery, TraceIdInPath
from spanloom.api.services import Using
from spanloom.core.model.access import Scope

router = APIRouter(tags=["annotations"])

QueueInPath = Annotated[
    str, Path(description="Name of the queue.", min_length=1, max_length=200, examples=["week 3"])
]
_READING = problem_responses(401, 403, 404, 422, 503)
_WRITING = problem_responses(401, 403, 404, 409, 413, 422, 503)


@router.get(
    "/v1/queues",
    operation_id="listQueues",
    summary="List annotation queues",
    responses={200: QUEUES, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def list_queues(
    callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> QueueList:
    """Return every queue and how far its annotators are."""
    listed = using.annotating.queues.listed
    desks = await using.calls.run(listed, callers.narrowed(project))
    return QueueList(items=[QueueItem.of(desk) for desk in desks])


@router.put(
    "/v1/queues/{name}",
    operation_id="putQueue",
    summary="Put an annotation queue",
    responses={200: QUEUE, **_WRITING},
)
@needs(Scope.ANNOTATE)
async def put_queue(
    name: QueueInPath, wanted: QueueRequest, project: OneProject, using: Using
) -> QueueItem:
    """Store a queue, or change it, and put trajectories behind those in it.

    Who gets what follows from what is stored: each item goes to those who have least.
    """
    queue = wanted.queue(project, name, using.annotating.writing.now_us())
    desk = await using.calls.run(using.annotating.queues.put, queue, wanted.trace_ids)
    return QueueItem.of(desk)


@router.get(
    "/v1/queues/{name}/items",
    operation_id="listQueueItems",
    summary="List what is in a queue",
    responses={200: QUEUED, **_READING},
)
@needs(Scope.READ)
async def list_items(name: QueueInPath, project: OneProject, using: Using) -> QueuedRuns:
    """Return its trajectories, who annotates each, and who is done."""
    return QueuedRuns.of(await using.calls.run(using.annotating.queues.desk, project, name))


@router.post(
    "/v1/queues/{name}/next",
    operation_id="nextInQueue",
    summary="Get what is next for an annotator",
    responses={200: NEXT, **_WRITING},
)
@needs(Scope.ANNOTATE)
async def next_item(
    name: QueueInPath, project: OneProject, using: Using, annotator: Annotator
) -> NextRun:
    """Return what the annotator has begun, else the next that is theirs, which is begun then."""
    next_for = using.annotating.queues.next_for
    return NextRun(**(await using.calls.run(next_for, project, name, annotator))._asdict())


@router.post(
    "/v1/queues/{name}/items/{trace_id}/done",
    operation_id="doneInQueue",
    summary="Say that an item is done",
    responses={200: QUEUE, **_WRITING},
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
    responses={200: QUEUE, **_WRITING},
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
    responses={200: QUEUE, **_WRITING},
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
