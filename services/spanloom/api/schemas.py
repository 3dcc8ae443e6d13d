"""Models for lists and rows, for validation and for the OpenAPI description.

A trajectory has no model: it is passed on as stored, and its schema is
``core/formats/canonical_schema.json``.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from spanloom.api.pages import DEFAULT_LIMIT, OfProject, cursor_field, limit_field
from spanloom.api.query import (
    ConversationFilters,
    Filters,
    RunFilters,
    decode_cursor,
    decode_position,
    demand,
    encode_cursor,
    fingerprint,
    is_position,
    read_question,
    read_steps_where,
    read_where,
)
from spanloom.api.rows.columns import (
    DOCUMENT_COLUMNS,
    RUN_GROUPS,
    STEP_GROUPS,
    Columns,
    columns_of,
    read_fields,
)
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.ports.steps import StepCursor, StepSelection
from spanloom.core.query.lists import Cursor
from spanloom.core.query.selection import NEWEST_FIRST, Rank, RunSelection, parse_order
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.problems import both
from spanloom.core.records.conversation import ConversationItem
from spanloom.core.records.run import Run
from spanloom.core.records.step import StepRow

EXAMPLE_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
EXAMPLE_CONVERSATION = "trip-to-shanghai"
EXAMPLE_CURSOR = encode_cursor(Cursor(1_715_400_000_000_000_000, EXAMPLE_TRACE, "default"))

TraceId = Annotated[str, Field(pattern="^[0-9a-fA-F]{32}$"), AfterValidator(str.lower)]


class PageQuery(BaseModel):
    """The page of a list to return; unknown parameters are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: OfProject = None
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT
    cursor: Annotated[str | None, cursor_field(EXAMPLE_CURSOR)] = None


def position_of(query: PageQuery, of: str = "") -> Cursor | None:
    """Return the position where a page starts, ``None`` for the first page.

    Raises like ``decode_cursor``.
    """
    return None if query.cursor is None else decode_cursor(query.cursor, fingerprint(query, of))


Where = Annotated[
    str | None,
    Field(
        max_length=MAX_WHERE_BYTES,
        description="In the `where` language: `/v1/fields` lists the fields.",
        examples=['has_error and has(tool = "search" then tool = "refund")'],
    ),
]


Fields = Annotated[
    str | None,
    Field(
        max_length=2000,
        description="What each item has, separated by commas: columns, or groups of columns "
        "(`core`, `metrics`). By default all but `document` and `steps` of runs.",
        examples=["core,cost"],
    ),
]


class ListQuery(PageQuery, Filters):
    """Which trajectories to list."""

    where: Where = None
    q: Annotated[
        str | None,
        Field(
            description='With these words in one text of a step; `"rate limit"`:'
            " a phrase; `kubern*`: a prefix.",
            examples=['refund "rate limit"'],
        ),
    ] = None
    order: Annotated[
        str,
        Field(
            max_length=64,
            description="`start` or any number that a run has; `-` before it: the largest first.",
            examples=["-duration"],
        ),
    ] = str(NEWEST_FIRST)
    fields: Fields = None

    def columns(self) -> Columns:
        """Return the selected columns; raises ``InvalidTextError``."""
        return read_fields(self.fields, columns_of(Run), RUN_GROUPS, DOCUMENT_COLUMNS)

    def question(self) -> RunSelection:
        """Return the query for the store; raises ``InvalidQueryError``."""
        return read_question(self.where, self.q, self.order)


class ConversationQuery(PageQuery, RunFilters):
    """Which runs of a conversation to list."""


class ConversationListQuery(PageQuery, ConversationFilters):
    """Which conversations to list: those in which a run passes every filter."""


NextCursor = Annotated[
    str | None, Field(description="Pass it as `cursor` for the next page; null on the last.")
]


class ChosenList(BaseModel):
    """A page of a list whose items have only the requested `fields`."""

    model_config = ConfigDict(extra="forbid")

    items: list[dict[str, JsonValue]]
    next_cursor: NextCursor


class TrajectoryList(BaseModel):
    """A page of trajectories, newest first."""

    items: list[Run]
    next_cursor: NextCursor


class Conversation(BaseModel):
    """A page of the trajectories of a conversation, oldest first."""

    conversation_id: str
    items: list[Run]
    next_cursor: NextCursor


class ConversationList(BaseModel):
    """A page of conversations, by their newest run, newest first."""

    items: list[ConversationItem]
    next_cursor: NextCursor


class Health(BaseModel):
    """Alive."""

    status: Annotated[str, Field(description="`ok`.")] = "ok"


class Readiness(BaseModel):
    """Ready, with or without limitations."""

    status: Annotated[Literal["ok", "degraded"], Field(description="`degraded` with reasons.")]
    reasons: Annotated[
        list[str], Field(description="What does not work at the moment; empty if all works.")
    ]


def encode_step_cursor(cursor: StepCursor, question: str) -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    return encode_cursor(cursor, question)


def decode_step_cursor(text: str, question: str) -> StepCursor:
    """Return the position in a cursor.

    Raises ``InvalidQueryError`` if the cursor is invalid or belongs to another query.
    """
    return decode_position(text, question, _step)


def _step(start_ns: int, trace_id: str, project: str, position: int, rank: Rank = ()) -> StepCursor:
    cursor = StepCursor(start_ns, trace_id, project, position, tuple(rank))
    demand(is_position(Cursor(start_ns, trace_id, project, cursor.rank)))
    demand(type(cursor.position) is int and 0 <= cursor.position < 2**32)
    return cursor


class StepsQuery(PageQuery, Filters):
    """Which steps to list, and of which runs."""

    where: Annotated[
        str | None,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="Which steps: `/v1/fields` lists their fields.",
            examples=["type = tool and error"],
        ),
    ] = None
    run_where: Annotated[
        str | None,
        Field(max_length=MAX_WHERE_BYTES, description="Of which runs.", examples=["has_error"]),
    ] = None
    order: Annotated[
        str,
        Field(
            max_length=64,
            description="`start` of their runs or any number that a step has; `-` before it: the "
            "largest first. Steps without the number come last.",
            examples=["-duration"],
        ),
    ] = str(NEWEST_FIRST)
    fields: Fields = None

    def columns(self) -> Columns:
        """Return the selected columns; raises ``InvalidTextError``."""
        return read_fields(self.fields, columns_of(StepRow), STEP_GROUPS)

    def store_query(self) -> StepSelection:
        """Return the query for the store; raises ``InvalidQueryError``."""
        (steps, runs), order = both(
            lambda: both(
                lambda: read_steps_where(self.where),
                lambda: read_where(self.run_where, "run_where"),
            ),
            lambda: parse_order(self.order, Subject.STEP),
        )
        return StepSelection(steps, runs, order)

    def after(self) -> StepCursor | None:
        """Return where the page starts: ``None`` for the first; raises ``InvalidQueryError``."""
        return None if self.cursor is None else decode_step_cursor(self.cursor, fingerprint(self))


class StepList(BaseModel):
    """A page of steps: by default newest run first, the steps of each by their position."""

    items: list[StepRow]
    next_cursor: NextCursor
