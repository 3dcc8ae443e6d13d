"""The route that takes a snapshot; `spanloom backup` calls it before it copies the files."""

from fastapi import APIRouter

from spanloom.api.admin.examples import SNAPSHOT
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.records.upkeep import Snapshot

router = APIRouter(tags=["snapshots"])


@router.post(
    "/v1/snapshots",
    operation_id="takeSnapshot",
    summary="Take a snapshot of the store for a backup",
    responses={200: SNAPSHOT, **problem_responses(401, 403, 409, 503)},
)
@needs(Scope.ADMIN, all_projects=True)
async def take_snapshot(using: Using) -> Snapshot:
    """Snapshot the tables by hard links next to the store; the last snapshot is replaced.

    `spanloom backup` copies it. No data leaves the service, and no path can be chosen.
    """
    return Snapshot(tables=await using.calls.run(using.store.snapshots.take))
