"""Steps of many runs as rows."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from spanloom.api.access import CallersReach
from spanloom.api.examples import STEPS
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.questions import fingerprint
from spanloom.api.routes.places import AcceptInHeader, most_of
from spanloom.api.rows.forms import accepted
from spanloom.api.rows.stream import Rows, stream_rows
from spanloom.api.services import Using
from spanloom.api.step_cursors import encode_step_cursor
from spanloom.api.step_schemas import StepItem, StepList, StepsQuery
from spanloom.core.model.access import Scope
from spanloom.core.ports.steps import StepCursor, StepRow
from spanloom.core.query.paging import read_page

router = APIRouter(tags=["questions"])


@router.get(
    "/v1/steps",
    operation_id="listSteps",
    summary="List steps as rows, newest run first",
    response_model=StepList,
    responses={200: STEPS, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def list_steps(
    query: Annotated[StepsQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | StepList:
    """Return one page of the steps that `where` asks for, of runs that pass every other filter.

    As lines or as CSV they are all steps, unless `limit` is given.
    """
    reach, where, asked = callers.narrowed(query.project), query.filter(), query.asked()

    def read(limit: int, after: StepCursor | None) -> list[StepRow]:
        return list(using.store.steps(reach, where, limit, after, asked))

    after, form = query.after(), accepted(accept)
    if form is not None:
        rows = Rows(read, StepItem.of, StepItem, after, most_of(query))
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)
    last = page.lines[-1].cursor if page.has_more else None
    return StepList(
        items=[StepItem.of(row) for row in page.lines],
        next_cursor=last and encode_step_cursor(last, fingerprint(query)),
    )
