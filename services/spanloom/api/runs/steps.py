"""The route that lists steps of many runs as rows."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import fingerprint
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import Rows, chosen_page, stream_rows
from spanloom.api.runs.examples import STEPS
from spanloom.api.runs.places import AcceptInHeader, most_of
from spanloom.api.schemas import ChosenList, StepList, StepsQuery, encode_step_cursor
from spanloom.api.services import Using, refuse_words
from spanloom.core.model.access import Scope
from spanloom.core.ports.steps import ListedStep, StepCursor
from spanloom.core.query.lists import Page, read_page
from spanloom.core.query.where.problems import both

router = APIRouter(tags=["questions"])


@router.get(
    "/v1/steps",
    operation_id="listSteps",
    summary="List steps as rows, newest run first or by a value",
    response_model=StepList | ChosenList,
    responses={200: STEPS, **store_problems(406, 501)},
)
@needs(Scope.READ)
async def list_steps(
    query: Annotated[StepsQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | StepList:
    """Return one page of the steps that match `where`, of runs that pass every other filter.

    Forms other than JSON have all steps, unless `limit` is set.
    """
    reach, where = callers.narrowed(query.project), query.filter()
    store_query, columns = both(query.store_query, query.columns)
    refuse_words(using, store_query.where, store_query.run_where)

    def read(limit: int, after: StepCursor | None) -> list[ListedStep]:
        return list(using.store.steps.list(reach, where, limit, after, store_query))

    after = query.after()
    rows = Rows(read, lambda line: line.row, columns, after, most_of(query))
    if (form := form_for(accept)) is not None:
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)

    def cursor_after_page(page: Page[ListedStep]) -> str | None:
        last = page.lines[-1].cursor if page.has_more else None
        return last and encode_step_cursor(last, fingerprint(query))

    if query.fields is not None:
        return chosen_page(rows, page, cursor_after_page)
    return StepList(items=[line.row for line in page.lines], next_cursor=cursor_after_page(page))
