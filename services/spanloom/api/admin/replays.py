"""Routes of replays, which extract stored history again; used by `spanloom replay`."""

import time
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query

from spanloom.api.admin.replay_schemas import (
    ReplayList,
    ReplayPageQuery,
    ReplayQuery,
    decode_replay_cursor,
    encode_replay_cursor,
)
from spanloom.api.examples import EXAMPLE_REPLAY, REPLAY, REPLAYS
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.query.questions import fingerprint
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.query.lists import read_page
from spanloom.core.records.upkeep import Replay
from spanloom.replays import request_replay

router = APIRouter(tags=["replays"])

ReplayIdInPath = Annotated[
    str,
    Path(
        description="As the answer to the request named it.",
        examples=[EXAMPLE_REPLAY],
        pattern="^[0-9a-f]{16}$",
    ),
]


@router.post(
    "/v1/replays",
    operation_id="requestReplay",
    summary="Extract stored history again",
    responses={200: REPLAY, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.ADMIN)
async def post_replay(
    query: Annotated[ReplayQuery, Query()],
    callers: CallersReach,
    using: Using,
) -> Replay:
    """Ask the extractor to build trajectories again: all, or those that pass every filter.

    It does so in small pieces between its live work. A replay with the same filters that is
    still under way is given in place of a new one.
    """
    wanted = query.selection(callers, using.extractor_version)
    replay = await using.calls.run(request_replay, using.store.replays, wanted, time.time_ns())
    return Replay.made_of(replay)


@router.get(
    "/v1/replays",
    operation_id="listReplays",
    summary="List replays, newest first",
    responses={200: REPLAYS, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.ADMIN)
async def list_replays(
    query: Annotated[ReplayPageQuery, Query()], callers: CallersReach, using: Using
) -> ReplayList:
    """List the replays of which the caller may see every project that they select."""
    reach = callers.narrowed(query.project)
    question = fingerprint(query)
    after = None if query.cursor is None else decode_replay_cursor(query.cursor, question)
    page = await using.calls.run(
        read_page, lambda limit: using.store.replays.list(reach, limit, after), query.limit
    )
    return ReplayList(
        items=[Replay.made_of(replay) for replay in page.lines],
        next_cursor=encode_replay_cursor(page.lines[-1].cursor, question)
        if page.has_more
        else None,
    )


@router.get(
    "/v1/replays/{replay_id}",
    operation_id="getReplay",
    summary="See how far a replay has come",
    responses={200: REPLAY, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.ADMIN)
async def get_replay(replay_id: ReplayIdInPath, callers: CallersReach, using: Using) -> Replay:
    """Return how many of its traces are done, and what came of them."""
    replay = await using.calls.run(using.store.replays.get, replay_id, callers)
    if replay is None:
        raise HTTPException(404, f"There is no replay {replay_id!r}.")
    return Replay.made_of(replay)
