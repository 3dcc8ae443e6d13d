"""Calls that administer a service: replays, deletions, self-checks, snapshots, projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import Call, get, post, segment, typed
from spanloom.core.records.project import ProjectList
from spanloom.core.records.upkeep import (
    Deletion,
    Diagnosis,
    Replay,
    ServiceDescription,
    Snapshot,
)

if TYPE_CHECKING:
    from spanloom.client.moments import Moment


def request_replay(
    *,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    dialect: str | None = None,
    outdated: bool = False,
) -> Call[Replay]:
    """Request a replay of stored runs: all, or those that pass every filter."""
    request = post(
        "/v1/replays",
        project=project,
        since=milliseconds_or_none(since),
        until=milliseconds_or_none(until),
        dialect=dialect,
        outdated=outdated or None,
    )
    return typed(request, Replay)


def replay(replay_id: str) -> Call[Replay]:
    """Return the progress of a replay."""
    return typed(get(f"/v1/replays/{segment(replay_id)}"), Replay)


def delete(
    *,
    trace_id: str | None = None,
    project: str | None = None,
    conversation: str | None = None,
    before: Moment | None = None,
    dry_run: bool = False,
) -> Call[Deletion]:
    """Delete the traces that match every condition, or only count them (``dry_run``)."""
    request = post(
        "/v1/deletions",
        trace_id=trace_id,
        project=project,
        conversation=conversation,
        before=milliseconds_or_none(before),
        dry_run=dry_run or None,
    )
    return typed(request, Deletion)


def service() -> Call[ServiceDescription]:
    """Return the version of the service and its SQL port."""
    return typed(get("/v1/service"), ServiceDescription)


def projects(*, project: str | None = None) -> Call[ProjectList]:
    """Return the projects that the key may access, with their size, limits and retention."""
    return typed(get("/v1/projects", project=project), ProjectList)


def diagnosis() -> Call[Diagnosis]:
    """Return the findings of the service's self-check; the key needs the scope ``admin``."""
    return typed(get("/v1/doctor"), Diagnosis)


def take_snapshot() -> Call[Snapshot]:
    """Make the service take a snapshot of its tables, which ``spanloom backup`` then copies."""
    return typed(post("/v1/snapshots"), Snapshot)
