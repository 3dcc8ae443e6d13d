"""Routes that list trajectories, and return one: its document, and its spans with their steps."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Query, Response

from spanloom.annotation.pages import every_score
from spanloom.annotation.reading import withheld_from
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.http.unchanged import NOT_MODIFIED, IfNoneMatch, unless_unchanged
from spanloom.api.query import next_cursor
from spanloom.api.rows.documents import from_documents
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import Rows, chosen_page, stream_rows
from spanloom.api.runs.examples import DOCUMENT, LIST, SPANS
from spanloom.api.runs.places import (
    AcceptInHeader,
    ProjectInQuery,
    Reader,
    TextsInQuery,
    TraceIdInPath,
    most_of,
    or_404,
)
from spanloom.api.schemas import ChosenList, ListQuery, TrajectoryList, position_of
from spanloom.api.services import Services, Using, refuse_words
from spanloom.core.formats.entry import Format, Of, Via
from spanloom.core.formats.losses import LOSSES, Losses
from spanloom.core.formats.parts import Texts, may_continue, with_continuation, with_texts
from spanloom.core.formats.registry import CANONICAL, find_format, formats_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.access import Reach, Scope
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.core.ports.reading import ReadingStore
from spanloom.core.query.continuations import TURNS
from spanloom.core.query.lists import Cursor, ListedRun, read_page
from spanloom.core.query.where.problems import both
from spanloom.core.records.score import ScoreItem

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories",
    operation_id="listTrajectories",
    summary="List trajectories, newest first",
    response_model=TrajectoryList | ChosenList,
    responses={200: LIST, **store_problems(406, 501)},
)
@needs(Scope.READ)
async def list_trajectories(
    query: Annotated[ListQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | TrajectoryList:
    """Return one page of the trajectories that pass every filter and match `where`.

    Forms other than JSON have all trajectories, unless `limit` is set.

    `cursor` is a position, not a page number: runs that arrive meanwhile neither repeat nor hide an
    item. In an order other than by start, a run that changes between two pages may move, and be
    listed twice or not at all.
    """
    return await _listed(query, callers, using, accept)


@router.post(
    "/v1/trajectories/search",
    operation_id="searchTrajectories",
    summary="List trajectories, with parameters in the body",
    response_model=TrajectoryList | ChosenList,
    responses={200: LIST, **store_problems(406, 413, 501)},
)
@needs(Scope.READ)
async def search_trajectories(
    query: ListQuery,
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | TrajectoryList:
    """Return the same list as `GET /v1/trajectories` with these parameters; nothing is stored."""
    return await _listed(query, callers, using, accept)


async def _listed(
    query: ListQuery, callers: Reach, using: Services, accept: str
) -> Response | TrajectoryList:
    after = position_of(query)
    question, columns = both(query.question, query.columns)
    refuse_words(using, question.where)
    reach, where = callers.narrowed(query.project), query.filter()

    def read(limit: int, after: Cursor | None) -> Sequence[ListedRun]:
        return using.store.runs.list(reach, where, limit, after, question)

    add = from_documents(using.store.documents, columns)
    rows = Rows(read, lambda line: line.run, columns, after, most_of(query), add)
    if (form := form_for(accept)) is not None:
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)
    if query.fields is not None:
        return await using.calls.run(chosen_page, rows, page, lambda p: next_cursor(p, query))
    items = [line.run for line in page.lines]
    return TrajectoryList(items=items, next_cursor=next_cursor(page, query))


_FORMATS = formats_of(Of.RUN, Via.QUERY)
FormatInQuery = Annotated[
    str,
    Query(
        description="; ".join(f"`{known.id}`: {known.description}" for known in _FORMATS.values()),
        examples=list(_FORMATS),
        json_schema_extra={"enum": list(_FORMATS)},
    ),
]
ProfileInQuery = Annotated[
    Literal["full", "coze"] | None,
    Query(
        description="Which variant of the schema, instead of `format`: `full` is the stored "
        "document, `coze` is the output of Coze Loop's published builder.",
        examples=["full", "coze"],
    ),
]
PROFILES = {"full": "canonical", "coze": "coze"}


def chosen_format(
    format: FormatInQuery = CANONICAL.id,  # noqa: A002  # the name in the URL
    profile: ProfileInQuery = None,
) -> Format:
    """Return the requested format; an unknown format is refused even with a profile."""
    found = find_format(format)
    return find_format(PROFILES[profile]) if profile else found


ChosenFormat = Annotated[Format, Depends(chosen_format)]


@router.get(
    "/v1/trajectories/latest",
    operation_id="getLatestTrajectory",
    summary="Get the newest trajectory",
    response_class=Response,
    responses={200: DOCUMENT, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def get_latest_trajectory(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    chosen: ChosenFormat,
    project: ProjectInQuery = None,
    texts: TextsInQuery = "raw",
) -> Response:
    """Return the document of the latest run, by its start, that the caller may see.

    A trace that has no step, or repeats another, is returned only if there is no other.
    """
    reach = callers.narrowed(project)
    for where in (TURNS, None):
        newest = await using.calls.run(using.store.runs.list, reach, where, 1)
        if newest:
            break
    else:
        raise HTTPException(404, "There are no trajectories yet.")
    key = newest[0].key
    own = Reach.only(key.project)
    document = await using.calls.run(find_document, using.store, key.trace_id, own)
    whole = or_404(document, key.trace_id, project)
    requested = _DocumentRequest(chosen, key.trace_id, own, reader)
    body, headers = await _write_document(using, requested, whole, texts)
    return Response(body, headers=headers, media_type=chosen.media_type)


@router.get(
    "/v1/trajectories/{trace_id}",
    operation_id="getTrajectory",
    summary="Get one trajectory",
    response_class=Response,
    responses={200: DOCUMENT, **NOT_MODIFIED, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def get_trajectory(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    reader: Reader,
    chosen: ChosenFormat,
    project: ProjectInQuery = None,
    texts: TextsInQuery = "raw",
    if_none_match: IfNoneMatch = "",
) -> Response:
    """Return the newest version of the document, byte for byte as it is stored.

    Only `extraction.resumes` and `resumed_by` are added: the run that waited for a person's answer
    and the run that got it, if both are stored.

    A late span makes a new version: `extraction.version` grows and `extraction.status` says how
    complete the trace is. To follow a live run, send the `etag` of the last response: 304 means
    that nothing has changed.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(find_document, using.store, trace_id, reach)
    document = or_404(found, trace_id, project)
    requested = _DocumentRequest(chosen, trace_id, reach, reader)
    body, headers = await _write_document(using, requested, document, texts)
    answer = await using.calls.run(unless_unchanged, body, chosen.media_type, if_none_match)
    answer.headers.update(headers)
    return answer


class _DocumentRequest(NamedTuple):
    """The run to write, and its format and reader."""

    format: Format
    trace_id: str
    reach: Reach
    reader: str
    """The reader's annotator name, because scores of a blind queue may be withheld."""


async def _write_document(
    using: Services, requested: _DocumentRequest, document: bytes, texts: Texts
) -> tuple[bytes, Mapping[str, str]]:
    """Return a run in a format, and headers that list what the format cannot represent."""
    chosen = requested.format
    if chosen is CANONICAL:
        return await using.calls.run(with_texts, document, texts), {}
    spans = None
    if chosen.needs_spans:
        spans = await using.calls.run(
            using.store.documents.spans, requested.trace_id, requested.reach
        )
    losses, write = Losses(), chosen.load_writer()
    stored = Stored(document, spans or b"[]")
    if chosen.has_scores:
        stored.scores = await using.calls.run(_scores_of, using, requested, stored)
    body: bytes = await using.calls.run(write, stored, losses)
    return body, {LOSSES: losses.header} if losses.counts else {}


def _scores_of(
    using: Services, requested: _DocumentRequest, of: Stored
) -> Sequence[Mapping[str, Any]]:
    """Return the current scores of a run that its reader may see."""
    store = using.store
    found = every_score(store.scores, requested.reach, ScoreQuery([requested.trace_id]))
    project = of.view.extraction.project  # a trace may be in several projects
    if not (scores := [one for one in found if one.key.project == project]):
        return ()
    withheld = withheld_from(store.queues, requested.reach, requested.reader)
    seen = (one for one in scores if not withheld(one.key, one.author))
    with_staleness = using.annotating.staleness.each(seen)
    return [ScoreItem.row_of(score, stale=stale) for score, stale in with_staleness]


@router.get(
    "/v1/trajectories/{trace_id}/spans",
    operation_id="getTrajectorySpans",
    summary="See how each span was classified",
    response_class=Response,
    responses={200: SPANS, **store_problems(404)},
)
@needs(Scope.READ)
async def get_trajectory_spans(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Return every stored span in (start, span id) order with its kind, its step and the rule.

    If a trace has more spans than `--max-trace-spans`, these are the root and the earliest spans,
    from which its trajectory is built; its `extraction` has the whole `span_count` and a warning.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(using.store.documents.spans, trace_id, reach)
    spans = or_404(found, trace_id, project)
    body = b'{"trace_id":"%b","spans":%b}' % (trace_id.encode("ascii"), spans)
    return Response(body, media_type=CANONICAL.media_type)


def find_document(store: ReadingStore, trace_id: str, reach: Reach) -> bytes | None:
    """Return a document, linked to the run that it resumes and the run that resumes it.

    Most documents have no such runs, and need no further read.
    """
    document = store.documents.get(trace_id, reach)
    if document is None or not may_continue(document):
        return document
    home = store.spans.find_home(trace_id, reach)
    return document if home is None else with_continuation(document, store.runs.continuation(home))
