"""Routes of single versions of a trajectory: read a kept one, keep one for good."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from spanloom.api.annotations.answers import home_of, keep
from spanloom.api.annotations.examples import KEPT, VERSION
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.runs.places import ProjectInQuery, TextsInQuery, TraceIdInPath, known
from spanloom.api.services import Using
from spanloom.core.formats.parts import with_texts
from spanloom.core.model.access import Scope

router = APIRouter(tags=["annotations"])

JSON = "application/json"
VersionInPath = Annotated[
    int, Path(description="Version of the trajectory.", ge=1, le=2**32 - 1, examples=[1])
]


@router.get(
    "/v1/trajectories/{trace_id}/versions/{version}",
    operation_id="getTrajectoryVersion",
    summary="Get a version that was annotated",
    response_class=Response,
    responses={200: VERSION, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_version(
    trace_id: TraceIdInPath,
    version: VersionInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    texts: TextsInQuery = "raw",
) -> Response:
    """Return the document as it was: versions are kept from their first annotation on."""
    key = await home_of(using, trace_id, callers, project)
    document = await using.calls.run(using.annotating.versions.document, key, version)
    whole = known(document, f"{trace_id} in version {version}", project)
    return Response(await using.calls.run(with_texts, whole, texts), media_type=JSON)


@router.put(
    "/v1/trajectories/{trace_id}/versions/{version}",
    operation_id="keepTrajectoryVersion",
    summary="Keep a version that is about to be annotated",
    response_class=Response,
    responses={200: KEPT, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.ANNOTATE)
async def keep_version(
    trace_id: TraceIdInPath,
    version: VersionInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Keep it for good, so that what is said of it stays anchored however late it is saved."""
    key = await home_of(using, trace_id, callers, project)
    found = await using.calls.run(keep, using, key, version)
    return Response(known(found, f"{trace_id} in version {version}", project), media_type=JSON)
