"""The route of snapshots, which `spanloom backup` requests before it copies the files."""

from fastapi import APIRouter

from spanloom.api.examples import SNAPSHOT
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.records.upkeep import Snapshot

router = APIRouter(tags=["snapshots"])


@router.post(
    "/v1/snapshots",
    operation_id="takeSnapshot",
    summary="Hold the store for a copy",
    responses={200: SNAPSHOT, **problem_responses(401, 403, 409, 503)},
)
@needs(Scope.ADMIN, all_projects=True)
async def take_snapshot(using: Using) -> Snapshot:
    """Hold the tables as they are now, by links beside the store, in place of the last snapshot.

    `spanloom backup` copies them. Nothing leaves the service, and no path can be named.
    """
    return Snapshot(tables=await using.calls.run(using.store.snapshots.take))
