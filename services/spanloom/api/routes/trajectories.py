"""Trajectories: the list, the document, and what became of each span."""

from typing import Annotated, Literal, NoReturn

from fastapi import APIRouter, HTTPException, Path, Query, Response

from spanloom.api.access import CallersReach
from spanloom.api.cursors import decode_cursor, next_cursor
from spanloom.api.examples import DOCUMENT, LIST, SPANS
from spanloom.api.filters import Name
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.schemas import (
    EXAMPLE_TRACE,
    ListQuery,
    TraceId,
    TrajectoryItem,
    TrajectoryList,
)
from spanloom.api.services import Using
from spanloom.core.formats.registry import CANONICAL, COZE, FORMATS, find_format
from spanloom.core.model.access import Scope
from spanloom.core.query.paging import read_page

router = APIRouter(tags=["trajectories"])

TraceIdInPath = Annotated[
    TraceId, Path(description="32 hex digits, in either case.", examples=[EXAMPLE_TRACE])
]
ProjectInQuery = Annotated[
    Name | None,
    Query(
        description="The project to look in; without it, the newest that has the trace.",
        examples=["default"],
    ),
]
FormatInQuery = Annotated[
    str,
    Query(
        description="; ".join(f"`{known.id}`: {known.renders}" for known in FORMATS.values()),
        examples=list(FORMATS),
        json_schema_extra={"enum": list(FORMATS)},
    ),
]


ProfileInQuery = Annotated[
    Literal["full", "coze"] | None,
    Query(
        description="Whose reading of the schema, in place of `format`: `full` is ours, `coze` "
        "is Coze Loop's published builder.",
        examples=["full", "coze"],
    ),
]
PROFILES = {"full": CANONICAL, "coze": COZE}


@router.get(
    "/v1/trajectories",
    operation_id="listTrajectories",
    summary="List trajectories, newest first",
    responses={200: LIST, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def list_trajectories(
    query: Annotated[ListQuery, Query()], callers: CallersReach, using: Using
) -> TrajectoryList:
    """Return one page of those that pass every filter.

    Pages follow each other by `cursor`, a position and not a number: what arrives meanwhile
    neither repeats an item nor hides one.
    """
    after = None if query.cursor is None else decode_cursor(query.cursor)
    reach, where = callers.narrowed(query.project), query.filter()
    page = await using.calls.run(
        read_page, lambda limit: using.store.list(reach, where, limit, after), query.limit
    )
    return TrajectoryList(
        items=[TrajectoryItem.of(summary) for summary in page.lines],
        next_cursor=next_cursor(page),
    )


@router.get(
    "/v1/trajectories/{trace_id}",
    operation_id="getTrajectory",
    summary="Get one trajectory",
    response_class=Response,
    responses={200: DOCUMENT, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_trajectory(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    format: FormatInQuery = CANONICAL.id,  # noqa: A002  # the name in the URL
    profile: ProfileInQuery = None,
) -> Response:
    """Return the newest version of the document, byte for byte as it is stored.

    A span that arrives late makes a new version: `extraction.version` grows and
    `extraction.status` says how far the trace has come.
    """
    chosen = find_format(PROFILES[profile].id if profile else format)
    reach = callers.narrowed(project)
    document = await using.calls.run(using.store.document, trace_id, reach)
    if document is None:
        _unknown(trace_id, project)
    if not chosen.needs_spans:
        return Response(chosen.encode(document, b""), media_type=chosen.media_type)
    spans = await using.calls.run(using.store.spans_document, trace_id, reach) or b"[]"
    body = await using.calls.run(chosen.encode, document, spans)
    return Response(body, media_type=chosen.media_type)


@router.get(
    "/v1/trajectories/{trace_id}/spans",
    operation_id="getTrajectorySpans",
    summary="See what became of each span",
    response_class=Response,
    responses={200: SPANS, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_trajectory_spans(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Return every stored span in (start, span id) order with its kind, its step and the rule.

    Of a trace with more spans than `--max-trace-spans` these are the root and the earliest, from
    which its trajectory is built: `extraction` of that has `span_count` and says so in `warnings`.
    """
    reach = callers.narrowed(project)
    spans = await using.calls.run(using.store.spans_document, trace_id, reach)
    if spans is None:
        _unknown(trace_id, project)
    body = b'{"trace_id":"%b","spans":%b}' % (trace_id.encode("ascii"), spans)
    return Response(body, media_type=CANONICAL.media_type)


def _unknown(trace_id: str, project: str | None) -> NoReturn:
    where = "" if project is None else f" in project {project!r}"
    raise HTTPException(
        404, f"There is no trajectory of trace {trace_id}{where}; a new one takes a few seconds."
    )
