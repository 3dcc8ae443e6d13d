"""Conversations: the runs that one user had with the agents, in their order."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query

from spanloom.api.access import CallersReach
from spanloom.api.cursors import next_cursor, position_of
from spanloom.api.examples import CONVERSATION, CONVERSATIONS
from spanloom.api.filters import Name
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.schemas import (
    EXAMPLE_CONVERSATION,
    Conversation,
    ConversationItem,
    ConversationList,
    ConversationListQuery,
    ConversationQuery,
    TrajectoryItem,
)
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.query.paging import read_page

router = APIRouter(tags=["trajectories"])

ConversationIdInPath = Annotated[
    Name,
    Path(
        description="As the telemetry names it: a conversation, session or thread id.",
        examples=[EXAMPLE_CONVERSATION],
        min_length=1,
    ),
]


@router.get(
    "/v1/conversations",
    operation_id="listConversations",
    summary="List conversations, newest first",
    responses={200: CONVERSATIONS, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def list_conversations(
    query: Annotated[ConversationListQuery, Query()], callers: CallersReach, using: Using
) -> ConversationList:
    """Return one page of the conversations in which a run passes every filter.

    Each is told whole, with all its runs. They come by the newest run that passes, newest first;
    one that goes on between two pages moves to the front.
    """
    after = position_of(query)
    reach, where = callers.narrowed(query.project), query.filter()
    page = await using.calls.run(
        read_page, lambda limit: using.store.conversations(reach, where, limit, after), query.limit
    )
    return ConversationList(
        items=[ConversationItem.of(summary) for summary in page.lines],
        next_cursor=next_cursor(page, query),
    )


@router.get(
    "/v1/conversations/{conversation_id:path}",  # an id may hold slashes
    operation_id="getConversation",
    summary="List the trajectories of a conversation, oldest first",
    responses={200: CONVERSATION, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_conversation(
    conversation_id: ConversationIdInPath,
    query: Annotated[ConversationQuery, Query()],
    callers: CallersReach,
    using: Using,
) -> Conversation:
    """Return one page of the runs of a conversation in the order in which they began.

    A run belongs to the conversation that its root names, else to the only one that any of its
    steps names. Pages follow each other by `cursor`, a position and not a number.
    """
    after = position_of(query)
    reach, where = callers.narrowed(query.project), query.filter()
    page = await using.calls.run(
        read_page,
        lambda limit: using.store.conversation(conversation_id, reach, where, limit, after),
        query.limit,
    )
    if not page.lines and after is None:
        raise HTTPException(404, f"There is no trajectory of conversation {conversation_id!r}.")
    return Conversation(
        conversation_id=conversation_id,
        items=[TrajectoryItem.of(summary) for summary in page.lines],
        next_cursor=next_cursor(page, query),
    )
