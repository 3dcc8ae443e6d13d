"""The route that compares two trajectories, or two versions of one."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import Name
from spanloom.api.runs.examples import DIFF
from spanloom.api.runs.outlines import document_of
from spanloom.api.runs.places import ProjectInQuery, TraceIdInPath, VersionInQuery, or_404
from spanloom.api.services import Using
from spanloom.core.diff.diff import diff_documents
from spanloom.core.diff.shown import show_diff
from spanloom.core.formats.registry import CANONICAL
from spanloom.core.model.access import Scope

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/diff/{other_trace_id}",
    operation_id="diffTrajectories",
    summary="Compare two runs",
    response_class=Response,
    responses={200: DIFF, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def get_diff(
    trace_id: TraceIdInPath,
    other_trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    other_project: Annotated[
        Name | None,
        Query(description="The project of the other run, if it differs.", examples=["default"]),
    ] = None,
    *,
    version: VersionInQuery = None,
    other_version: VersionInQuery = None,
    every: Annotated[
        bool, Query(description="Return the steps that are the same, too.", examples=[False])
    ] = False,
    whole_texts: Annotated[
        bool, Query(description="Return whole texts, not 400 characters.", examples=[False])
    ] = False,
) -> Response:
    """Compare two runs, or two versions of one run, agent by agent.

    Without a version, the newest is compared; `/versions` lists the others. `a` is the first run in
    the path. Steps that ran at the same time have no order. Of a model call, only messages that no
    earlier call received are compared, without ids of tool calls.
    """
    documents = []
    sides = (
        (trace_id, project, version),
        (other_trace_id, other_project or project, other_version),
    )
    for trace, own, number in sides:
        reach = callers.narrowed(own)
        found = await using.calls.run(document_of, using, trace, reach, number)
        documents.append(or_404(found, trace, own))
    body = await using.calls.run(_body, *documents, every=every, texts=whole_texts)
    return Response(body, media_type=CANONICAL.media_type)


def _body(first: bytes, second: bytes, *, every: bool, texts: bool) -> bytes:
    a, b = orjson.loads(first), orjson.loads(second)
    return orjson.dumps(show_diff(a, b, diff_documents(a, b), every=every, texts=texts))
