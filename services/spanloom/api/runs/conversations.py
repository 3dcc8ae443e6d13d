"""Routes that list conversations, and the runs of one conversation, oldest first."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import Name, next_cursor
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import Rows, stream_rows
from spanloom.api.runs.examples import CONVERSATION, CONVERSATIONS
from spanloom.api.runs.places import AcceptInHeader, most_of
from spanloom.api.schemas import (
    EXAMPLE_CONVERSATION,
    Conversation,
    ConversationList,
    ConversationListQuery,
    ConversationQuery,
    position_of,
)
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun, read_page
from spanloom.core.records.conversation import ConversationItem
from spanloom.core.records.run import Run

router = APIRouter(tags=["trajectories"])

CONVERSATIONS_PATH = "/v1/conversations"

ConversationIdInPath = Annotated[
    Name,
    Path(
        description="As the telemetry names it: a conversation, session or thread id.",
        examples=[EXAMPLE_CONVERSATION],
        min_length=1,
    ),
]


@router.get(
    CONVERSATIONS_PATH,
    operation_id="listConversations",
    summary="List conversations, newest first",
    response_model=ConversationList,
    responses={200: CONVERSATIONS, **store_problems(406)},
)
@needs(Scope.READ)
async def list_conversations(
    query: Annotated[ConversationListQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | ConversationList:
    """Return one page of the conversations in which a run passes every filter.

    Forms other than JSON have all these conversations, unless `limit` is set.

    The numbers of a conversation cover all its runs. Conversations are ordered by their newest
    matching run, newest first; one with a new run between two pages moves to the front.
    """
    after, condition = position_of(query, CONVERSATIONS_PATH), query.filter()
    reach = callers.narrowed(query.project)

    def read(limit: int, after: Cursor | None) -> Sequence[ListedConversation]:
        return using.store.conversations.list(reach, condition, limit, after)

    if (form := form_for(accept)) is not None:
        columns = columns_of(ConversationItem)
        rows = Rows(read, lambda line: line.item, columns, after, most_of(query))
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)
    return ConversationList(
        items=[line.item for line in page.lines],
        next_cursor=next_cursor(page, query, CONVERSATIONS_PATH),
    )


@router.get(
    f"{CONVERSATIONS_PATH}/{{conversation_id:path}}",  # an id may contain slashes
    operation_id="getConversation",
    summary="List the trajectories of a conversation, oldest first",
    response_model=Conversation,
    responses={200: CONVERSATION, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def get_conversation(
    conversation_id: ConversationIdInPath,
    query: Annotated[ConversationQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | Conversation:
    """Return one page of the runs of a conversation in the order in which they began.

    Forms other than JSON have all its runs, unless `limit` is set.

    A run belongs to the conversation that its root names, or else to the only one that its steps
    name. `cursor` is a position, not a page number.
    """
    of = f"{CONVERSATIONS_PATH}/{conversation_id}"
    after, condition = position_of(query, of), query.filter()
    reach = callers.narrowed(query.project)

    def read(limit: int, after: Cursor | None) -> Sequence[ListedRun]:
        found = using.store.runs.conversation(conversation_id, reach, condition, limit, after)
        if not found and after is None:
            raise no_conversation(conversation_id)
        return found

    if (form := form_for(accept)) is not None:
        columns = columns_of(Run)
        rows = Rows(read, lambda line: line.run, columns, after, most_of(query))
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)
    return Conversation(
        conversation_id=conversation_id,
        items=[line.run for line in page.lines],
        next_cursor=next_cursor(page, query, of),
    )


def no_conversation(conversation_id: str) -> HTTPException:
    """Return the 404 error for a conversation of which the caller may see no run."""
    return HTTPException(404, f"There is no trajectory of conversation {conversation_id!r}.")
