"""Which versions of a run can be read."""

from fastapi import APIRouter

from spanloom.api.access import CallersReach
from spanloom.api.examples import VERSIONS
from spanloom.api.needs import needs
from spanloom.api.outline_schemas import VersionItem, VersionList
from spanloom.api.problems import problem_responses
from spanloom.api.routes.places import ProjectInQuery, TraceIdInPath, known
from spanloom.api.services import Using
from spanloom.core.model.access import Scope

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/versions",
    operation_id="listVersions",
    summary="List the versions of a run",
    responses={200: VERSIONS, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def list_versions(
    trace_id: TraceIdInPath, callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> VersionList:
    """Return the versions that are stored, newest first: the newest alone, so far."""
    reach = callers.narrowed(project)
    found = await using.calls.run(using.store.versions, trace_id, reach)
    stored = known(found or None, trace_id, project)
    return VersionList(trace_id=trace_id, items=[VersionItem.of(each) for each in stored])
