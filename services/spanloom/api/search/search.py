"""The route that searches the texts of steps: inputs, outputs and errors."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import NO_SEARCH, fingerprint
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import Rows, stream_rows
from spanloom.api.runs.places import AcceptInHeader, most_of
from spanloom.api.search.schemas import (
    HITS,
    HITS_AT_ONCE,
    HitList,
    SearchQuery,
    encode_hit_cursor,
)
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.ports.texts import HitCursor, ListedHit
from spanloom.core.query.lists import read_page
from spanloom.core.records.hit import Hit

router = APIRouter(tags=["trajectories"])

SWITCHED_OFF = f"Text search is not available: {NO_SEARCH}"


@router.get(
    "/v1/search",
    operation_id="searchTexts",
    summary="Search texts of steps, newest run first",
    response_model=HitList,
    responses={200: HITS, **store_problems(406, 501)},
)
@needs(Scope.READ)
async def search_texts(
    query: Annotated[SearchQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | HitList:
    """Return one page of the texts that have every word and phrase.

    Forms other than JSON have all these texts, unless `limit` is set.

    A text is found once, at the step of its run where it first appears: a message at the first
    model call that received it, an answer at the call that returned it. In Chinese, Japanese and
    Korean each character is a word. New texts are found some seconds after their trajectory is
    stored.
    """
    if not using.process.has_search:
        raise HTTPException(501, SWITCHED_OFF)
    reach, store_query, after = callers.narrowed(query.project), query.store_query(), query.after()

    def read(limit: int, after: HitCursor | None) -> Sequence[ListedHit]:
        return using.store.texts.search(reach, store_query, limit, after)

    if (form := form_for(accept)) is not None:
        rows = Rows(
            read,
            lambda line: line.hit,
            columns_of(Hit),
            after,
            most_of(query),
            at_once=HITS_AT_ONCE,
        )
        return await stream_rows(rows, form, using.calls)
    page = await using.calls.run(read_page, lambda limit: read(limit, after), query.limit)
    last = page.lines[-1].cursor if page.has_more else None
    return HitList(
        items=[line.hit for line in page.lines],
        next_cursor=last and encode_hit_cursor(last, fingerprint(query)),
    )
