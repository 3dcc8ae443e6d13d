"""The route that lists projects, each with the amount of data stored, its limits and retention."""

from typing import Annotated

from fastapi import APIRouter, Query

from spanloom.api.admin.examples import PROJECTS
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import Name, RunFilters
from spanloom.api.services import Services, Using
from spanloom.core.model.access import Reach, Scope
from spanloom.core.query.stats import COUNT, Group, Metric, Numbers
from spanloom.core.query.where.fields import RUN_FIELDS, Subject
from spanloom.core.records.project import (
    ProjectItem,
    ProjectList,
    RetentionTerms,
    SendingLimits,
    ServiceRetention,
)

router = APIRouter(tags=["service"])

RUNS = Numbers(
    Subject.RUN,
    [Metric(COUNT), Metric("max", RUN_FIELDS["start"], "max(start)")],
    [RUN_FIELDS["project"]],
)
"""The number of runs of each project, and the start of the newest run."""
NO_RUNS = Group([], None, [0, None])
MOST_SIZES = 100_000
"""Number of projects whose size is read: the largest projects; other sizes are unknown."""
ProjectInQuery = Annotated[
    Name | None, Query(description="Only this project.", examples=["default"])
]


@router.get(
    "/v1/projects",
    operation_id="listProjects",
    summary="List projects, with their size, limits and retention",
    responses={200: PROJECTS, **store_problems()},
)
@needs(Scope.READ)
async def list_projects(
    callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> ProjectList:
    """Return the projects that the key may access, by name, if they have runs or stored spans."""
    return await using.calls.run(_listed, using, callers.narrowed(project))


def _listed(using: Services, reach: Reach) -> ProjectList:
    groups = using.store.stats.numbers(reach, RunFilters().filter(), RUNS)
    runs = {str(group.by[0]): group for group in groups}
    stored = using.store.usage.stored_bytes(MOST_SIZES)
    sizes = {project: size for project, size in stored.items() if reach.covers(project)}
    items = [
        _item(using, project, runs.get(project, NO_RUNS), sizes.get(project))
        for project in sorted({*runs, *sizes})
    ]
    return ProjectList(items=items, retention=_of_service(using))


def _item(using: Services, project: str, group: Group, size: int | None) -> ProjectItem:
    count, newest_ns = group.values
    plan, limits_of = using.process.retention(), using.process.limits_of
    return ProjectItem(
        project=project,
        runs=int(count or 0),
        newest_start=None if newest_ns is None else int(newest_ns) // 1_000_000,
        stored_bytes=size,
        limits=SendingLimits.made_of(limits_of(project)) if limits_of else None,
        retention=RetentionTerms.made_of(plan.of(project)) if plan else None,
    )


def _of_service(using: Services) -> ServiceRetention | None:
    if (plan := using.process.retention()) is None:
        return None
    return ServiceRetention.made_of(plan.default, keeps_annotated=plan.keeps_annotated)
