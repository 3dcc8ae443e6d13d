"""The route of the change feed: trajectories stored since a position, as JSON or as events."""

from contextlib import ExitStack
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from spanloom.api.examples import CHANGES
from spanloom.api.feed.feed import Feed
from spanloom.api.feed.schemas import EXAMPLE_TOKEN, ChangeItem, ChangeList, ChangesQuery
from spanloom.api.feed.stream import EVENT_STREAM, EventStream
from spanloom.api.feed.tokens import decode_token
from spanloom.api.feed.window import Wanted
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.ports.feed import Announcement
from spanloom.core.query.positions import Position

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
        max_length=64,
        description="The id of the last event that was read, as an `EventSource` sends it when it "
        "connects again; in place of `after`.",
        examples=[EXAMPLE_TOKEN],
    ),
]


@router.get(
    "/v1/trajectories/changes",
    operation_id="listChanges",
    summary="Follow what changes",
    response_model=ChangeList,
    response_model_exclude_unset=True,
    responses={200: CHANGES, **problem_responses(401, 403, 410, 422, 503)},
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
    """Return the versions that were stored behind `after`, oldest first, each at least once.

    Who asks again with `next` is told of the newest version of every trajectory, whatever wrote it
    and however slowly; of one that was soon replaced perhaps not. Filters ask what the trajectory
    is now. With `annotations`, who asks again is told of every run of which something was said
    since. With `accept: text/event-stream` the answer goes on: each event has an item as its data
    and a token as its id.
    """
    wanted, token = query.wanted(callers), last_event_id or query.after
    is_stream = EVENT_STREAM in accept
    with ExitStack() as place:
        using.feed.enter()
        place.callback(using.feed.leave)
        after = await _position(using.feed, wanted, token)
        wait_s = 0 if is_stream else query.wait
        page = await using.feed.next_page(wanted, after, wait_s, request.is_disconnected)
        if is_stream:
            place.pop_all()  # the stream leaves the feed itself, at its end
            show = partial(_shown, fields=query.fields)
            return EventStream(using.feed, wanted, after, page, show)
    return ChangeList.of(page, query.fields)


async def _position(feed: Feed, wanted: Wanted, token: str | None) -> Position:
    return await feed.end(wanted) if token is None else decode_token(token)


def _shown(told: Announcement, fields: str | None) -> bytes:
    return ChangeItem.shown(told, fields).model_dump_json(exclude_unset=True).encode()
