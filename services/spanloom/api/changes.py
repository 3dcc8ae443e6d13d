"""The route of the change feed: trajectories since a position, as JSON or as events."""

from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.feed.feed import Feed
from spanloom.api.feed.stream import EVENT_STREAM, EventStream
from spanloom.api.feed.window import FeedFilters
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.pages import OfProject
from spanloom.api.query import Filters, read_where
from spanloom.api.responses import answer
from spanloom.api.schemas import Where
from spanloom.api.services import Using
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach, Scope
from spanloom.core.ports.feed import Announcement, FeedPage
from spanloom.core.query.feed_tokens import LONGEST, decode_token, encode_token
from spanloom.core.query.positions import Position
from spanloom.core.query.where.tree import searches_words
from spanloom.core.records.change import CHANGE, Change

LONGEST_WAIT_S = 60
NO_WORDS = (
    "changes cannot be filtered by words, because texts are indexed some seconds after a run "
    "changes; query the list instead"
)
EXAMPLE_TOKEN = encode_token(Position(1_715_400_004_600_000))


class ChangesQuery(Filters):
    """Which changes to return, and since when; unknown parameters are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: OfProject = None
    where: Where = None
    after: Annotated[
        str | None,
        Field(
            max_length=LONGEST,
            description="`next` of the previous response, or `beginning` for all stored changes. "
            "Without it: changes from now on.",
            examples=[EXAMPLE_TOKEN],
        ),
    ] = None
    wait: Annotated[
        float,
        Field(
            ge=0,
            le=LONGEST_WAIT_S,
            description="Seconds to wait if nothing has changed yet. Not needed for events, which "
            "do not end.",
            examples=[0],
        ),
    ] = 0
    fields: Annotated[
        Literal["core"] | None,
        Field(
            description="`core`: each item has the `trajectory` as the list shows it now.",
            examples=["core"],
        ),
    ] = None

    annotations: Annotated[
        bool,
        Field(
            description="Include runs whose annotations or scores changed: `what` shows it. Runs "
            "of a blind queue once all annotators are done.",
            examples=[False],
        ),
    ] = False

    def filters(self, callers: Reach) -> FeedFilters:
        """Return the query as filters of the feed, limited to the caller's projects.

        Raises ``InvalidQueryError``, also for a search for words: texts are indexed some seconds
        after their run is announced, so the run would be missed.
        """
        condition = read_where(self.where)
        if searches_words(condition):
            raise InvalidQueryError(NO_WORDS, "where")
        reach = callers.narrowed(self.project)
        return FeedFilters(reach, self.filter(), self.annotations, condition)


class ChangeItem(Change):
    """A stored version of a trajectory, or a change of its annotations or scores."""

    @classmethod
    def of_announcement(cls, announcement: Announcement, fields: str | None) -> Self:
        """Return an announcement as a response model; members without a value are unset."""
        more: dict[str, Any] = {"what": "annotations"} if announcement.is_judgement else {}
        if fields and announcement.now:
            more["trajectory"] = announcement.now.run
        return cls.made_of(announcement, **more)


class ChangeList(BaseModel):
    """The changes, oldest first."""

    items: list[ChangeItem]
    next: Annotated[str, Field(description="Pass it as `after` to get what comes next.")]

    @classmethod
    def of(cls, page: FeedPage, fields: str | None) -> "ChangeList":
        """Return a page of the feed as a response model."""
        items = [ChangeItem.of_announcement(one, fields) for one in page.announcements]
        return cls(items=items, next=encode_token(page.next))


router = APIRouter(tags=["trajectories"])

AcceptInHeader = Annotated[
    str,
    Header(
        description=f"`{EVENT_STREAM}` for server-sent events; JSON otherwise.",
        examples=["application/json"],
    ),
]
LastEventId = Annotated[
    str | None,
    Header(
        max_length=LONGEST,
        description="The id of the last event that was read, sent by an `EventSource` when it "
        "reconnects; replaces `after`.",
        examples=[EXAMPLE_TOKEN],
    ),
]

_CHANGES = answer(
    "The changes, oldest first; or events, each with an item as its data.",
    "ChangeList",
    {"items": [CHANGE.example], "next": "1715400004600000"},
)
_CHANGES["content"]["text/event-stream"] = {
    "schema": {"type": "string"},
    "example": "id: 1715400004600000\ndata: {...}\n\n",
}


@router.get(
    "/v1/trajectories/changes",
    operation_id="listChanges",
    summary="Follow changes",
    response_model=ChangeList,
    response_model_exclude_unset=True,
    responses={200: _CHANGES, **store_problems(410)},
)
@needs(Scope.READ)
async def list_changes(
    query: Annotated[ChangesQuery, Query()],
    callers: CallersReach,
    using: Using,
    request: Request,
    accept: AcceptInHeader = "application/json",
    last_event_id: LastEventId = None,
) -> Response | ChangeList:
    """Return the versions that were stored after `after`, oldest first, each once.

    A reader that continues with `next` gets the newest version of every trajectory, even if it was
    written slowly; a version that was soon replaced may be left out. Filters apply to the current
    version. With `annotations`, the reader also gets every run that was annotated or scored since.
    With `accept: text/event-stream` the response does not end: each event has an item as its data
    and a token as its id.
    """
    filters, token = query.filters(callers), last_event_id or query.after
    is_stream = EVENT_STREAM in accept
    with ExitStack() as place:
        using.feed.enter()
        place.callback(using.feed.leave)
        after = await _position(using.feed, filters, token)
        wait_s = 0 if is_stream else query.wait
        page = await using.feed.next_page(filters, after, wait_s, request.is_disconnected)
        if is_stream:
            place.pop_all()  # the stream itself leaves the feed when it ends
            show = partial(_shown, fields=query.fields)
            return EventStream(using.feed, filters, after, page, show)
    return ChangeList.of(page, query.fields)


async def _position(feed: Feed, filters: FeedFilters, token: str | None) -> Position:
    return await feed.end(filters) if token is None else decode_token(token)


def _shown(announcement: Announcement, fields: str | None) -> bytes:
    return (
        ChangeItem.of_announcement(announcement, fields)
        .model_dump_json(exclude_unset=True)
        .encode()
    )
