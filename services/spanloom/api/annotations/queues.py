"""Routes of annotation queues: list, store and read them, with progress and items."""

from typing import Annotated

from fastapi import APIRouter, Path

from spanloom.api.annotations.annotators import OneProject, Reader
from spanloom.api.annotations.examples import QUEUE, QUEUED, QUEUES
from spanloom.api.annotations.queue_requests import QueueRequest
from spanloom.api.annotations.queue_schemas import QueuedRuns, QueueList, queue_item, queued_runs
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.query.questions import read_where, refuse_words
from spanloom.api.runs.places import ProjectInQuery
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.records.queue import QueueItem

router = APIRouter(tags=["annotations"])

QueueInPath = Annotated[
    str, Path(description="Name of the queue.", min_length=1, max_length=200, examples=["week 3"])
]
READING = problem_responses(401, 403, 404, 422, 503)
WRITING = problem_responses(401, 403, 404, 409, 413, 422, 503)


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
    listed = using.annotating.queues.views.listed
    desks = await using.calls.run(listed, callers.narrowed(project))
    return QueueList(items=[queue_item(desk) for desk in desks])


@router.put(
    "/v1/queues/{name}",
    operation_id="putQueue",
    summary="Put an annotation queue",
    responses={200: QUEUE, **WRITING, **problem_responses(501)},
)
@needs(Scope.ANNOTATE)
async def put_queue(
    name: QueueInPath, wanted: QueueRequest, project: OneProject, using: Using
) -> QueueItem:
    """Store a queue, or change it, and put trajectories behind those in it.

    Who gets what follows from what is stored: each item goes to those who have least. A living
    queue takes in what its question finds whenever somebody looks at it.
    """
    refuse_words(using, read_where(wanted.where))
    queue = wanted.queue(project, name, using.annotating.writing.now_us())
    put = using.annotating.queues.put
    return queue_item(
        await using.calls.run(
            put, queue, wanted.trace_ids, wanted.gold_trace_ids, wanted.where.strip()
        )
    )


@router.get(
    "/v1/queues/{name}",
    operation_id="getQueue",
    summary="Get an annotation queue",
    responses={200: QUEUE, **READING},
)
@needs(Scope.READ)
async def get_queue(name: QueueInPath, project: OneProject, using: Using) -> QueueItem:
    """Return it as it stands, with how often its annotators gave the answers that are known."""
    queues = using.annotating.queues

    def read() -> QueueItem:
        desk = queues.views.named(project, name)
        return queue_item(desk, queues.gold.accuracy(desk))

    return await using.calls.run(read)


@router.get(
    "/v1/queues/{name}/items",
    operation_id="listQueueItems",
    summary="List what is in a queue",
    responses={200: QUEUED, **READING},
)
@needs(Scope.READ)
async def list_items(
    name: QueueInPath, project: OneProject, using: Using, reader: Reader
) -> QueuedRuns:
    """Return its trajectories, who annotates each, and who is done."""
    desk = await using.calls.run(using.annotating.queues.views.named, project, name)
    return queued_runs(desk, reader)
