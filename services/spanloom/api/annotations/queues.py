"""Routes for annotation queues: list, store, read, get the next item, and record progress."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Path

from spanloom.api.annotations.annotators import Annotator, OneProject
from spanloom.api.annotations.examples import NEXT, PLACE, QUEUE, QUEUED, QUEUES
from spanloom.api.annotations.queue_schemas import (
    QueuedRuns,
    QueueList,
    QueueRequest,
    queue_item,
    queue_place,
    queued_runs,
)
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses, store_problems
from spanloom.api.query import read_where
from spanloom.api.runs.places import ProjectInQuery, Reader, TraceIdInPath
from spanloom.api.services import Using, refuse_words
from spanloom.core.annotation.queue import QueueView
from spanloom.core.model.access import Scope
from spanloom.core.records.queue import NextRun, QueueItem, QueuePlace

router = APIRouter(tags=["annotations"])

QueueInPath = Annotated[
    str, Path(description="Name of the queue.", min_length=1, max_length=200, examples=["week 3"])
]
READING = store_problems(404)
WRITING = store_problems(404, 409, 413)


@router.get(
    "/v1/queues",
    operation_id="listQueues",
    summary="List annotation queues",
    responses={200: QUEUES, **store_problems()},
)
@needs(Scope.READ)
async def list_queues(
    callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> QueueList:
    """Return every queue, with the progress of its annotators."""
    listed = using.annotating.queues.views.listed
    views = await using.calls.run(listed, callers.narrowed(project))
    return QueueList(items=[queue_item(view) for view in views])


@router.put(
    "/v1/queues/{name}",
    operation_id="putQueue",
    summary="Put an annotation queue",
    responses={200: QUEUE, **WRITING, **problem_responses(501)},
)
@needs(Scope.ANNOTATE)
async def put_queue(
    name: QueueInPath, requested: QueueRequest, project: OneProject, using: Using
) -> QueueItem:
    """Store a queue, or change it, and append trajectories to it.

    Each item is assigned to the annotators who have the fewest. A living queue adds the runs that
    its `where` matches whenever it is read.
    """
    refuse_words(using, read_where(requested.where))
    queue = requested.queue(project, name, using.annotating.writing.now_us())
    put = using.annotating.queues.put
    return queue_item(
        await using.calls.run(
            put, queue, requested.trace_ids, requested.gold_trace_ids, requested.where.strip()
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
    """Return a queue, with how many known answers of gold items each annotator gave."""
    queues = using.annotating.queues

    def read() -> QueueItem:
        view = queues.views.named(project, name)
        return queue_item(view, queues.gold.accuracy(view))

    return await using.calls.run(read)


@router.get(
    "/v1/queues/{name}/items",
    operation_id="listQueueItems",
    summary="List the items of a queue",
    responses={200: QUEUED, **READING},
)
@needs(Scope.READ)
async def list_items(
    name: QueueInPath, project: OneProject, using: Using, reader: Reader
) -> QueuedRuns:
    """Return the trajectories of a queue, with their annotators and those who are done."""
    view = await using.calls.run(using.annotating.queues.views.named, project, name)
    return queued_runs(view, reader)


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

    async def record(self, note: Callable[[str, str, str, str], QueueView]) -> QueueItem:
        """Call ``note`` to record an event for the item; return the new state of its queue."""
        return queue_item(await self._calls.run(note, *self._place))


OneTurn = Annotated[Turn, Depends()]


@router.post(
    "/v1/queues/{name}/next",
    operation_id="nextInQueue",
    summary="Get the next item of an annotator",
    responses={200: NEXT, **WRITING},
)
@needs(Scope.ANNOTATE)
async def next_item(
    name: QueueInPath, project: OneProject, using: Using, annotator: Annotator
) -> NextRun:
    """Return the item that the annotator has begun; otherwise begin the next one and return it."""
    next_for = using.annotating.queues.next_for
    return NextRun.made_of(await using.calls.run(next_for, project, name, annotator))


@router.get(
    "/v1/queues/{name}/items/{trace_id}",
    operation_id="getQueueItem",
    summary="Get an item of a queue, for an annotator",
    responses={200: PLACE, **READING},
)
@needs(Scope.READ)
async def get_item(
    name: QueueInPath, trace_id: TraceIdInPath, project: OneProject, using: Using, reader: Reader
) -> QueuePlace:
    """Return an item, and its number among the annotator's items."""
    holding = using.annotating.queues.views.holding
    view = await using.calls.run(holding, project, name, trace_id)
    return queue_place(view, trace_id, reader)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/begin",
    operation_id="beginInQueue",
    summary="Mark an item as opened",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def begin(turn: OneTurn) -> QueueItem:
    """Record the first opening, from which time counts; no effect on others' items."""
    return await turn.record(turn.queues.begin)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/done",
    operation_id="doneInQueue",
    summary="Mark an item as done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def done(turn: OneTurn) -> QueueItem:
    """Record that the annotator is done; 409 if answers that the scheme requires are missing."""
    return await turn.record(turn.queues.done)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/reopen",
    operation_id="reopenInQueue",
    summary="Reopen an item that was done",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def reopen(turn: OneTurn) -> QueueItem:
    """Record that the annotator is not done with the item."""
    return await turn.record(turn.queues.reopen)


@router.post(
    "/v1/queues/{name}/items/{trace_id}/adjudicate",
    operation_id="adjudicateInQueue",
    summary="Mark an item as adjudicated",
    responses={200: QUEUE, **WRITING},
)
@needs(Scope.ANNOTATE)
async def adjudicate(turn: OneTurn) -> QueueItem:
    """Record it, once its annotators are done; decisions have the origin `adjudication`."""
    return await turn.record(turn.queues.adjudicate)
