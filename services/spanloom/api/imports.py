"""The route that imports a file, as ``spanloom import`` does."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

import orjson
from fastapi import APIRouter, HTTPException, Query, Request, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from spanloom.access.authenticate import require_project
from spanloom.api.annotations.file_scores import score_store_for
from spanloom.api.http.bounds import IMPORTS
from spanloom.api.http.doorkeeper import FILE, caller_of
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import Name
from spanloom.api.responses import answer_of
from spanloom.api.schemas import EXAMPLE_TRACE
from spanloom.api.services import Services, Using
from spanloom.core.errors import InvalidQueryError, PermanentError, RetryableError
from spanloom.core.exchange.sources import find_readable, readable
from spanloom.core.formats.entry import NDJSON
from spanloom.core.model.access import Scope, is_project_name
from spanloom.core.ports.importing import Line, RunningImport, Wanted

router = APIRouter(tags=["trajectories"])

NO_COLLECTOR = (
    "This process receives no spans: run `spanloom import`, which sends a file to the collector."
)
PIECE_BYTES = 1 << 20
IDLE_S = 30.0
"""Seconds without data after which a body is refused."""
_READ = readable()
FormatOfFile = Annotated[
    str,
    Query(
        description="Format of the file; without it, detected from its first value. "
        + "; ".join(f"`{known.id}`: {known.description}" for known in _READ.values()),
        examples=list(_READ),
        json_schema_extra={"enum": list(_READ)},
    ),
]
_BODY = {"content": {FILE: {"schema": {"type": "string", "format": "binary"}}}, "required": True}

_COUNTS = {
    "accepted_spans": 7,
    "rejected_spans": 0,
    "unchanged_runs": 0,
    "accepted_scores": 1,
    "rejected_scores": 0,
    "rejected": 1,
    "losses": {"duration_unknown": 2},
}
_IMPORTED = (
    {"trace_id": EXAMPLE_TRACE, "project": "default", "place": "line 1", "state": "taken"},
    {"place": "line 2", "reason": "it is no JSON: unexpected end of data"},
    {"end": True, "format": "atif", "share": 1.0, **_COUNTS},
)
_IMPORTED_FILE = answer_of(
    "A line for each run and for each rejected item, as they are read.",
    {"type": "string"},
    "".join(orjson.dumps(line).decode() + "\n" for line in _IMPORTED),
    NDJSON,
)


@router.post(
    IMPORTS,
    operation_id="importFile",
    summary="Import a file of runs or spans",
    response_class=Response,
    responses={
        200: _IMPORTED_FILE,
        **store_problems(408, 413, 501),
    },
    openapi_extra={"requestBody": _BODY},
)
@needs(Scope.INGEST)
async def import_file(
    request: Request,
    using: Using,
    format: FormatOfFile = "",  # noqa: A002  # the name in the URL
    project: Annotated[
        Name | None,
        Query(
            description="The project of all runs; without it the key's project, or those that the "
            "file names.",
            examples=["default"],
        ),
    ] = None,
    as_new: Annotated[
        bool,
        Query(
            description="Give documents new ids, derived from the old ones: copies that leave "
            "stored runs unchanged.",
            examples=[True],
        ),
    ] = False,
) -> Response:
    """Import the file in the body, as `spanloom import` does, and report on each item.

    The response has a line of JSON for each run, each rejected item and, about four times a second,
    for the numbers so far; the last line has `end`. If the file cannot be read to its end, or
    storing fails, the last line has `error` instead. What was stored by then stays; importing the
    same file again changes nothing that is stored.
    """
    if using.process.importer is None:
        raise HTTPException(501, NO_COLLECTOR)
    job = _job(request, find_readable(format), project, as_new=as_new)
    job = job._replace(scores=score_store_for(caller_of(request), using.annotating))
    running = await using.imports.run(using.process.importer.begin, job)
    try:
        await _receive(request, using, running)
        first = await using.imports.run(running.next_lines)
    except BaseException:
        running.close()
        raise
    return _Answer(using, running, first)


def _job(request: Request, form: str, project: str | None, *, as_new: bool) -> Wanted:
    """Return the import to run; raises 422 for an invalid project, 403 for a forbidden one."""
    caller = caller_of(request)
    if project is not None and not is_project_name(project):
        raise InvalidQueryError("No project may have this name.", "project")
    require_project(caller, is_open=project is None or caller.may_see(project))
    return Wanted(form, project or caller.key_project, caller.key_project, as_new)


async def _receive(request: Request, using: Services, running: RunningImport) -> None:
    """Pass the request body to the import; raises 408 after ``IDLE_S`` seconds without data."""
    held = bytearray()
    pieces = aiter(request.stream())
    while True:
        try:
            async with asyncio.timeout(IDLE_S):
                piece = await anext(pieces, None)
        except TimeoutError as error:
            closed = {"Connection": "close"}  # the rest of the body is not read
            raise HTTPException(408, "The body came too slowly.", closed) from error
        held += piece or b""
        if held and (piece is None or len(held) >= PIECE_BYTES):
            await using.imports.run(running.write, bytes(held))
            held.clear()
        if piece is None:
            return


class _Answer(StreamingResponse):
    """The lines of an import; the import is closed when the response ends or is cut off."""

    def __init__(
        self, using: Services, running: RunningImport, first: Sequence[Line] | None
    ) -> None:
        super().__init__(_lines(using, running, first), media_type=NDJSON)
        self._running = running

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._running.close()


async def _lines(
    using: Services, running: RunningImport, first: Sequence[Line] | None
) -> AsyncIterator[bytes]:
    lines = first
    while lines is not None:
        yield b"".join(orjson.dumps(line) + b"\n" for line in lines)
        try:
            lines = await using.imports.run(running.next_lines)
        except (RetryableError, PermanentError) as error:
            lines = None
            yield orjson.dumps({"error": str(error)}) + b"\n"
