"""Routes for replays, which extract stored traces again; used by `spanloom replay`."""

import re
import time
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.admin.examples import EXAMPLE_REPLAY, REPLAY, REPLAYS
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.pages import OfProject, cursor_field
from spanloom.api.query import Instant, Name, decode_position, demand, encode_cursor, fingerprint
from spanloom.api.schemas import NextCursor, PageQuery
from spanloom.api.services import Using
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.upkeep import Selection
from spanloom.core.query.lists import read_page
from spanloom.core.records.upkeep import Replay
from spanloom.replays import request_replay

_REPLAY_ID = re.compile(r"[0-9a-f]{16}")


def encode_replay_cursor(replay_id: str, question: str = "") -> str:
    """Encode a replay id and the fingerprint of its query as a cursor."""
    return encode_cursor([replay_id], question)


def decode_replay_cursor(text: str, question: str = "") -> str:
    """Return the replay id in a cursor.

    Raises ``InvalidQueryError`` if the cursor is invalid or belongs to another query.
    """
    return decode_position(text, question, _replay_id)


def _replay_id(replay_id: str) -> str:
    demand(_REPLAY_ID.fullmatch(replay_id) is not None)
    return replay_id


class ReplayQuery(BaseModel):
    """Which trajectories to build again; unknown parameters are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: OfProject = None
    since: Annotated[
        Instant | None,
        Field(
            description="Started at or after: RFC 3339, or milliseconds since the epoch.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None
    until: Annotated[
        Instant | None,
        Field(
            description="Started before: RFC 3339, or milliseconds since the epoch.",
            examples=["1769860800000"],
        ),
    ] = None
    dialect: Annotated[
        Name | None, Field(description="With spans of this dialect.", examples=["openinference"])
    ] = None
    outdated: Annotated[
        bool,
        Field(description="Built by another version of the extractor only.", examples=[True]),
    ] = False

    def selection(self, callers: Reach, extractor_version: str) -> Selection:
        """Return the query as a selection of runs, limited to the caller's projects."""
        return Selection(
            callers.narrowed(self.project),
            start_from_ns=self.since,
            start_before_ns=self.until,
            dialect=self.dialect,
            other_than=extractor_version if self.outdated else None,
        )


class ReplayPageQuery(PageQuery):
    """The page of replays to return."""

    cursor: Annotated[str | None, cursor_field(encode_replay_cursor("00064119b2c8d000"))] = None


class ReplayList(BaseModel):
    """A page of replays, newest first."""

    items: list[Replay]
    next_cursor: NextCursor


router = APIRouter(tags=["replays"])

ReplayIdInPath = Annotated[
    str,
    Path(
        description="The `id` from the response to the request.",
        examples=[EXAMPLE_REPLAY],
        pattern="^[0-9a-f]{16}$",
    ),
]


@router.post(
    "/v1/replays",
    operation_id="requestReplay",
    summary="Extract stored history again",
    responses={200: REPLAY, **store_problems()},
)
@needs(Scope.ADMIN)
async def post_replay(
    query: Annotated[ReplayQuery, Query()],
    callers: CallersReach,
    using: Using,
) -> Replay:
    """Ask the extractor to build trajectories again: all, or those that pass every filter.

    It does so in small batches between live work. If a replay with the same filters is still
    running, that replay is returned and no new one is started.
    """
    selection = query.selection(callers, using.process.extractor_version)
    replay = await using.calls.run(request_replay, using.store.replays, selection, time.time_ns())
    return Replay.made_of(replay)


@router.get(
    "/v1/replays",
    operation_id="listReplays",
    summary="List replays, newest first",
    responses={200: REPLAYS, **store_problems()},
)
@needs(Scope.ADMIN)
async def list_replays(
    query: Annotated[ReplayPageQuery, Query()], callers: CallersReach, using: Using
) -> ReplayList:
    """Return the replays that select only projects which the caller may access."""
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
    summary="Get the progress of a replay",
    responses={200: REPLAY, **store_problems(404)},
)
@needs(Scope.ADMIN)
async def get_replay(replay_id: ReplayIdInPath, callers: CallersReach, using: Using) -> Replay:
    """Return how many of its traces were built again, how many changed and how many failed."""
    replay = await using.calls.run(using.store.replays.get, replay_id, callers)
    if replay is None:
        raise HTTPException(404, f"There is no replay {replay_id!r}.")
    return Replay.made_of(replay)
