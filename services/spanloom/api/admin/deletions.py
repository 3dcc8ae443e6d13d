"""Routes for deletions: delete traces permanently, and list past deletions."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.access.authenticate import require_project
from spanloom.api.admin.examples import DELETION, DELETIONS
from spanloom.api.http.doorkeeper import caller_of
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.pages import DEFAULT_LIMIT, OfProject, limit_field
from spanloom.api.query import Instant, Name
from spanloom.api.schemas import EXAMPLE_CONVERSATION, EXAMPLE_TRACE
from spanloom.api.schemas import TraceId as TraceIdText
from spanloom.api.services import Using
from spanloom.core.model.access import ALL_PROJECTS, Caller, Reach, Scope
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.records.upkeep import Deletion


class DeletionQuery(BaseModel):
    """Which traces to delete: those that meet every condition; at least one is needed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    trace_id: Annotated[
        TraceIdText | None, Field(description="This trace.", examples=[EXAMPLE_TRACE])
    ] = None
    project: OfProject = None
    conversation: Annotated[
        Name | None, Field(description="Of this conversation.", examples=[EXAMPLE_CONVERSATION])
    ] = None
    before: Annotated[
        Instant | None,
        Field(
            description="Started before: RFC 3339, or milliseconds since the epoch.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None
    dry_run: Annotated[
        bool, Field(description="Only count what would be deleted.", examples=[True])
    ] = False

    @model_validator(mode="after")
    def _has_condition(self) -> "DeletionQuery":
        if self.scope.is_everything:
            raise ValueError("name what to delete: trace_id, project, conversation or before")
        return self

    @property
    def scope(self) -> DeletionScope:
        """Return the conditions as a scope for the store."""
        reach = Reach.ALL.narrowed(self.project)
        return DeletionScope(reach, self.trace_id, self.conversation, self.before)


class DeletionList(BaseModel):
    """The newest deletions."""

    items: list[Deletion]


router = APIRouter(tags=["deletions"])


@router.post(
    "/v1/deletions",
    operation_id="requestDeletion",
    summary="Delete traces",
    responses={200: DELETION, **store_problems()},
)
@needs(Scope.ADMIN)
async def post_deletion(
    query: Annotated[DeletionQuery, Query()], request: Request, using: Using
) -> Deletion:
    """Delete the traces that meet every condition, or count them (`dry_run`).

    After this response no query returns them; they leave the disk soon after. Spans of these traces
    that arrive within `--deletion-days` days are deleted too.
    """
    caller = caller_of(request)
    host = request.client.host if request.client else ""
    scope = _within(caller, query.scope)
    now_ns = await using.calls.run(using.store.deletions.now_ns)
    deletion = new_deletion(scope, f"key {caller.key_id}" if caller.key_id else host, now_ns)
    if query.dry_run:
        traces, spans = await using.calls.run(
            using.store.deletions.extent_of, scope, deletion.until_seq
        )
        return Deletion.made_of(replace(deletion, id="", traces=traces, spans=spans))
    return Deletion.made_of(await using.calls.run(using.store.deletions.delete, deletion))


@router.get(
    "/v1/deletions",
    operation_id="listDeletions",
    summary="List deletions",
    responses={200: DELETIONS, **store_problems()},
)
@needs(Scope.ADMIN, all_projects=True)
async def list_deletions(
    using: Using,
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT,
) -> DeletionList:
    """Return the newest deletions, newest first; their records are permanent."""
    found = await using.calls.run(using.store.deletions.list, limit)
    return DeletionList(items=[Deletion.made_of(deletion) for deletion in found])


def _within(caller: Caller, scope: DeletionScope) -> DeletionScope:
    """Return the scope limited to the caller's project; raises 403 for another project."""
    if caller.project == ALL_PROJECTS:
        return scope
    own = Reach.only(caller.project)
    require_project(caller, is_open=scope.reach.is_every or own.includes(scope.reach))
    return replace(scope, reach=own)
