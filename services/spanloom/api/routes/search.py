"""Full text: what steps were given, said, and failed with."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from spanloom.api.access import CallersReach
from spanloom.api.examples import HITS
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.questions import NO_SEARCH
from spanloom.api.search_cursors import decode_hit_cursor, encode_hit_cursor
from spanloom.api.search_schemas import Hit, HitList, SearchQuery
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.query.paging import read_page

router = APIRouter(tags=["trajectories"])

SWITCHED_OFF = f"Texts are not searched here: {NO_SEARCH}"


@router.get(
    "/v1/search",
    operation_id="searchTexts",
    summary="Find what steps said, newest run first",
    responses={200: HITS, **problem_responses(401, 403, 422, 501, 503)},
)
@needs(Scope.READ)
async def search_texts(
    query: Annotated[SearchQuery, Query()], callers: CallersReach, using: Using
) -> HitList:
    """Return one page of the texts that have every word and phrase.

    A text is found once, at the step that brought it into its run: a message at the first model
    call that was given it, an answer at the call that gave it. Of Chinese, Japanese and Korean each
    character is a word. What is new is found some seconds after its trajectory is stored.
    """
    if not using.has_search:
        raise HTTPException(501, SWITCHED_OFF)
    after = None if query.cursor is None else decode_hit_cursor(query.cursor)
    reach, wanted = callers.narrowed(query.project), query.wanted()
    page = await using.calls.run(
        read_page, lambda limit: using.store.search(reach, wanted, limit, after), query.limit
    )
    return HitList(
        items=[Hit.of(hit) for hit in page.lines],
        next_cursor=encode_hit_cursor(page.lines[-1].cursor) if page.has_more else None,
    )
