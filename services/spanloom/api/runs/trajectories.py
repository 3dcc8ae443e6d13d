"""Routes that list trajectories: by URL parameters, or by a query in the body."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from spanloom.api.examples import LIST
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.query.cursors import next_cursor
from spanloom.api.query.questions import refuse_words
from spanloom.api.rows.accept import form_for
from spanloom.api.rows.documents import from_documents
from spanloom.api.rows.listed import Rows
from spanloom.api.rows.stream import chosen_page, stream_rows
from spanloom.api.runs.places import AcceptInHeader, most_of
from spanloom.api.schemas import ChosenList, ListQuery, TrajectoryList, position_of
from spanloom.api.services import Services, Using
from spanloom.core.model.access import Reach, Scope
from spanloom.core.query.lists import Cursor, ListedRun, read_page
from spanloom.core.query.where.problems import both

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories",
    operation_id="listTrajectories",
    summary="List trajectories, newest first",
    response_model=TrajectoryList | ChosenList,
    responses={200: LIST, **problem_responses(401, 403, 406, 422, 501, 503)},
)
@needs(Scope.READ)
async def list_trajectories(
    query: Annotated[ListQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | TrajectoryList:
    """Return one page of those that pass every filter and are what `where` asks for.

    In every form but JSON they are all of them, unless `limit` is given.

    Pages follow each other by `cursor`, a position and not a number: what arrives meanwhile
    neither repeats an item nor hides one. In another order than by start, a run that changes
    between two pages may move, and be met twice or missed.
    """
    return await _listed(query, callers, using, accept)


@router.post(
    "/v1/trajectories/search",
    operation_id="searchTrajectories",
    summary="List trajectories, asked for in a body",
    response_model=TrajectoryList | ChosenList,
    responses={200: LIST, **problem_responses(401, 403, 406, 413, 422, 501, 503)},
)
@needs(Scope.READ)
async def search_trajectories(
    query: ListQuery,
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | TrajectoryList:
    """Return what the same parameters give in a URL; nothing is changed."""
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
