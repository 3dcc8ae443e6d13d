"""Request and response models of deletions."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.api.query.filters import Instant, Name
from spanloom.api.schemas import EXAMPLE_CONVERSATION, EXAMPLE_TRACE, Milliseconds
from spanloom.api.schemas import TraceId as TraceIdText
from spanloom.core.model import deletion as deletions
from spanloom.core.model.deletion import DeletionScope
from spanloom.core.model.tenancy import Reach


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


class Deletion(BaseModel):
    """What was deleted, by whom, when, and how much it was."""

    id: Annotated[str, Field(description="Empty for a dry run, which is not recorded.")]
    traces: Annotated[int, Field(description="Traces that it took.")]
    spans: Annotated[int, Field(description="Spans that had arrived of them, repeats included.")]
    requested_at: Annotated[Milliseconds, Field(description="Milliseconds since the epoch.")]
    requested_by: str
    is_over: Annotated[
        bool,
        Field(description="Whether what arrives of these traces now is stored again."),
    ]
    trace_id: str | None = None
    project: str | None = None
    conversation_id: str | None = None
    before: Annotated[Milliseconds | None, Field(description="Milliseconds since the epoch.")] = (
        None
    )

    @classmethod
    def of(cls, deletion: deletions.Deletion) -> "Deletion":
        """Return a deletion as a response model."""
        scope = deletion.scope
        before_ns = scope.start_before_ns
        return cls(
            id=deletion.id,
            traces=deletion.traces,
            spans=deletion.spans,
            requested_at=str(deletion.requested_at_ns // 1_000_000),
            requested_by=deletion.requested_by,
            is_over=deletion.is_over,
            trace_id=scope.trace_id,
            project=None if scope.reach.is_every else ", ".join(sorted(scope.reach.projects)),
            conversation_id=scope.conversation_id,
            before=None if before_ns is None else str(before_ns // 1_000_000),
        )


class DeletionList(BaseModel):
    """The newest deletions."""

    items: list[Deletion]
