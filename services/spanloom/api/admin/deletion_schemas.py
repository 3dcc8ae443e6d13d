"""Request and response models of deletions."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.api.query.filters import Instant, Name
from spanloom.api.schemas import EXAMPLE_CONVERSATION, EXAMPLE_TRACE
from spanloom.api.schemas import TraceId as TraceIdText
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope
from spanloom.core.records.upkeep import Deletion


class DeletionQuery(BaseModel):
    """Which traces to delete: those that meet every condition; at least one is needed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    trace_id: Annotated[
        TraceIdText | None, Field(description="This trace.", examples=[EXAMPLE_TRACE])
    ] = None
    project: Annotated[Name | None, Field(description="Of this project.", examples=["default"])] = (
        None
    )
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
