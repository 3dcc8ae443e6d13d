"""The route that returns a conversation as one HTML file; memory holds one run at a time."""

import re
from collections.abc import AsyncIterator, Iterator
from itertools import chain
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from spanloom.api.http.bounds import BoundedCalls
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.runs.conversations import (
    CONVERSATIONS_PATH,
    ConversationIdInPath,
    no_conversation,
)
from spanloom.api.runs.examples import EXPORT_HTML
from spanloom.api.runs.outlines import file_headers
from spanloom.api.runs.places import ProjectInQuery
from spanloom.api.schemas import ConversationQuery
from spanloom.api.services import Using
from spanloom.core.errors import RetryableError
from spanloom.core.formats.entry import HTML
from spanloom.core.model.access import Reach, Scope
from spanloom.core.ports.reading import ReadingStore
from spanloom.core.query.lists import ListedRun, every_line
from spanloom.core.showing.html.page import begin, finish, write_run
from spanloom.core.showing.html.steps import Room

router = APIRouter(tags=["trajectories"])

MOST_RUNS = 10_000
RUNS_AT_ONCE = 100
_NO_NAME_OF_A_FILE = re.compile(r"[^\w.-]+", re.ASCII)


@router.get(
    f"{CONVERSATIONS_PATH}/{{conversation_id:path}}/export.html",
    operation_id="exportConversationPage",
    summary="Get a conversation as one file of HTML",
    response_class=Response,
    responses={200: EXPORT_HTML, **store_problems(404)},
)
@needs(Scope.READ)
async def export_conversation(
    conversation_id: ConversationIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Return the runs of a conversation in order, each in its newest version.

    The file has the first 5,000 steps and 30 MB of texts, and says where to find later runs. It
    lists at most 10,000 runs.
    """
    reach = callers.narrowed(project)
    pieces = _pieces(using.store, conversation_id, reach)
    first = await using.calls.run(next, pieces)
    named = _NO_NAME_OF_A_FILE.sub("-", conversation_id[:100]).strip("-.") or "conversation"
    return StreamingResponse(
        _sent(first, pieces, using.calls), headers=file_headers(named), media_type=HTML
    )


def _pieces(store: ReadingStore, conversation_id: str, reach: Reach) -> Iterator[bytes]:
    """Yield the file run by run, without runs that have been deleted since."""
    room = Room()
    for at, line in enumerate(_lines(store, conversation_id, reach), 1):
        if at == 1:
            yield begin(conversation_id)
        if at > MOST_RUNS:
            listed = f"{CONVERSATIONS_PATH}/{quote(conversation_id, safe='')}"
            yield finish(f"The first {MOST_RUNS:,} runs are in this file. All are in {listed}")
            return
        if room.steps <= 0:
            yield write_run(at, line, None, room)
        elif document := store.documents.get(line.key.trace_id, Reach.only(line.key.project)):
            yield write_run(at, line, document, room)
    yield finish()


def _lines(store: ReadingStore, conversation_id: str, reach: Reach) -> Iterator[ListedRun]:
    """Return the runs of a conversation as listed; raises 404 if there is none."""
    where = ConversationQuery().filter()
    lines = every_line(
        lambda most, after: store.runs.conversation(conversation_id, reach, where, most, after),
        lambda line: line.cursor,
        RUNS_AT_ONCE,
    )
    first = next(lines, None)
    if first is None:
        raise no_conversation(conversation_id)
    return chain([first], lines)


async def _sent(first: bytes, rest: Iterator[bytes], calls: BoundedCalls) -> AsyncIterator[bytes]:
    """Yield the chunks; if the store fails, end the file with a note that it is incomplete."""
    piece: bytes | None = first
    try:
        while piece is not None:
            yield piece
            piece = await calls.run(next, rest, None)
    except RetryableError as error:
        yield finish(f"This file is incomplete, because the service failed: {error}")
