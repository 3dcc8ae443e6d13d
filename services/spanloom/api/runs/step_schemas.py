"""Steps in lists, as models, with their cursors."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.api.query.cursors import decode_position, demand, encode_cursor, is_position
from spanloom.api.query.filters import Filters
from spanloom.api.query.questions import fingerprint, read_steps_where, read_where
from spanloom.api.rows.choice import STEP_GROUPS, read_fields
from spanloom.api.rows.columns import Columns, columns_of
from spanloom.api.schemas import Fields, Milliseconds, Moment, PageQuery
from spanloom.core.model.trajectory import StepType
from spanloom.core.ports.steps import StepCursor, StepRow, StepsAsked
from spanloom.core.query.summaries import Cursor
from spanloom.core.query.where.problems import both


def encode_step_cursor(cursor: StepCursor, question: str) -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_cursor(cursor, question)


def decode_step_cursor(text: str, question: str) -> StepCursor:
    """Return the position; raise ``InvalidQueryError`` for what is none, or of another question."""
    return decode_position(text, question, _step)


def _step(*parts: object) -> StepCursor:
    cursor = StepCursor(*parts)  # type: ignore[arg-type]  # looked at below
    demand(is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project)))
    demand(type(cursor.position) is int and 0 <= cursor.position < 2**32)
    return cursor


class StepsQuery(PageQuery, Filters):
    """Which steps to list, and of which runs."""

    where: Annotated[
        str | None,
        Field(
            max_length=4096,
            description="Which steps: `/v1/fields` names what can be asked of them.",
            examples=["type = tool and error"],
        ),
    ] = None
    run_where: Annotated[
        str | None,
        Field(max_length=4096, description="Of which runs.", examples=["has_error"]),
    ] = None

    fields: Fields = None

    def columns(self) -> Columns:
        """Return what to give of each step; raises ``InvalidTextError``."""
        return read_fields(self.fields, columns_of(StepItem), STEP_GROUPS)

    def asked(self) -> StepsAsked:
        """Return what the store understands; raises ``InvalidQueryError``."""
        steps, runs = both(
            lambda: read_steps_where(self.where), lambda: read_where(self.run_where, "run_where")
        )
        return StepsAsked(steps, runs)

    def after(self) -> StepCursor | None:
        """Return where the page begins, ``None`` for the first; raises ``InvalidQueryError``."""
        return None if self.cursor is None else decode_step_cursor(self.cursor, fingerprint(self))


Tokens = Annotated[int | None, Field(description="Of model steps; null of all others.")]


class StepItem(BaseModel):
    """One step with its run."""

    trace_id: str
    project: str
    version: Annotated[int, Field(description="Of the trajectory: grows with every change.")]
    run_started_at: Annotated[Moment, Field(description="Milliseconds since the epoch.")]
    position: Annotated[int, Field(description="Among the steps of its run, from 0.")]
    step_id: Annotated[str, Field(description="Its span id.")]
    agent_id: Annotated[str | None, Field(description="The agent that it belongs to.")] = None
    agent_name: str | None = None
    parent_id: Annotated[str | None, Field(description="The nearest step above.")] = None
    type: StepType
    name: str
    dialect: str
    started_at: Annotated[Moment, Field(description="Milliseconds since the epoch.")]
    duration: Annotated[Milliseconds, Field(description="Milliseconds.")]
    model: str | None = None
    input_tokens: Tokens = None
    output_tokens: Tokens = None
    reasoning_tokens: Tokens = None
    cache_read_tokens: Tokens = None
    cache_creation_tokens: Tokens = None
    cost: Annotated[
        float | None,
        Field(description="US dollars, of model steps; null where a price is unknown."),
    ] = None
    first_token_ms: Annotated[float | None, Field(description="Milliseconds, where known.")] = None
    has_error: bool
    error_code: Annotated[int | None, Field(description="HTTP's or the provider's.")] = None
    error_type: str | None = None
    error_message: Annotated[str | None, Field(description="Its first 1,000 characters.")] = None
    attributes: Annotated[list[str], Field(description="What senders add, `key=value`.")]
    duplicate_of: Annotated[
        str | None, Field(description="The trace that its run reports again.")
    ] = None

    @classmethod
    def of(cls, row: StepRow) -> "StepItem":
        """Return a row from the store as the API shows it."""
        return cls(
            trace_id=row.key.trace_id,
            project=row.key.project,
            version=row.version,
            run_started_at=_milliseconds(row.run_start_ns),
            position=row.position,
            step_id=row.step_id,
            agent_id=row.agent_id or None,
            agent_name=row.agent_name or None,
            parent_id=row.parent_id or None,
            type=StepType(row.type),
            name=row.name,
            dialect=row.dialect,
            started_at=_milliseconds(row.start_ns),
            duration=_milliseconds(row.duration_ns),
            model=row.model or None,
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            reasoning_tokens=row.reasoning_tokens,
            cache_read_tokens=row.cache_read_tokens,
            cache_creation_tokens=row.cache_creation_tokens,
            cost=row.cost,
            first_token_ms=row.first_token_ms,
            has_error=row.has_error,
            error_code=row.error_code,
            error_type=row.error_type or None,
            error_message=row.error_message or None,
            attributes=list(row.attributes),
            duplicate_of=row.duplicate_of or None,
        )


class StepList(BaseModel):
    """A page of steps: newest run first, the steps of each by their position."""

    items: list[StepItem]
    next_cursor: Annotated[
        str | None, Field(description="Pass it as `cursor` for the next page; null on the last.")
    ]


def _milliseconds(ns: int) -> str:
    return str(max(0, ns) // 1_000_000)
