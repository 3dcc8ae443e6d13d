"""The route that lists the readable versions of a run."""

from fastapi import APIRouter

from spanloom.api.annotations.answers import home_of
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.runs.outline_schemas import VERSIONS, VersionItem, VersionList
from spanloom.api.runs.places import ProjectInQuery, TraceIdInPath, or_404
from spanloom.api.services import Using
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.reading import ReadingStore

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/versions",
    operation_id="listVersions",
    summary="List the versions of a run",
    responses={200: VERSIONS, **store_problems(404)},
)
@needs(Scope.READ)
async def list_versions(
    trace_id: TraceIdInPath, callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> VersionList:
    """Return the newest version, then the stored older versions, newest first."""
    key = await home_of(using, trace_id, callers, project)
    items = await using.calls.run(_items, using.store, key)
    return VersionList(trace_id=trace_id, items=or_404(items or None, trace_id, project))


def _items(store: ReadingStore, key: TraceKey) -> list[VersionItem]:
    stored = store.documents.versions(key.trace_id, Reach.only(key.project))
    newest = {each.version for each in stored}
    kept = (each for each in store.versions.list(key) if each.version not in newest)
    return [*map(VersionItem.of, stored), *map(VersionItem.of_kept, kept)]
