"""Routes that list and store scores by people, rules and models."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Response

from spanloom.annotation.pages import every_score
from spanloom.annotation.reading import withheld_from
from spanloom.api.annotations.annotators import OneProject
from spanloom.api.annotations.examples import SCORES, STORED_SCORES, WAITING_SCORES
from spanloom.api.annotations.score_schemas import (
    ScoreList,
    ScoresQuery,
    ScoresRequest,
    WrittenScores,
)
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import stream_found
from spanloom.api.runs.places import AcceptInHeader, Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.model.score import Score
from spanloom.core.records.score import ScoreItem

if TYPE_CHECKING:
    from collections.abc import Sequence

router = APIRouter(tags=["annotations"])


@router.get(
    "/v1/scores",
    operation_id="listScores",
    summary="List scores",
    response_model=ScoreList,
    responses={200: SCORES, **store_problems(406)},
)
@needs(Scope.READ)
async def list_scores(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    query: Annotated[ScoresQuery, Query()],
    accept: AcceptInHeader = "application/json",
) -> Response | ScoreList:
    """Return one page of current scores, by project, trace and id.

    Forms other than JSON have all scores, unless `limit` is set.

    Annotations of steps are listed as scores of the steps, and their total as one of the run.
    """
    reach, limit, after = callers.narrowed(query.project), query.limit, query.place()
    if (form := form_for(accept)) is not None:
        withheld = await using.calls.run(withheld_from, using.store.queues, reach, reader)
        most = query.limit if "limit" in query.model_fields_set else None
        found = every_score(using.store.scores, reach, query.store_query(), after)
        visible = (score for score in found if not withheld(score.key, score.author))
        with_staleness = using.annotating.staleness.each(islice(visible, most))
        rows = (ScoreItem.row_of(score, stale=stale) for score, stale in with_staleness)
        return await stream_found(rows, columns_of(ScoreItem), form, using.calls)

    def read() -> tuple[list[ScoreItem], int, Score | None]:
        page = using.store.scores.list(reach, query.store_query(), limit + 1, after)
        withheld = withheld_from(using.store.queues, reach, reader)
        visible = [score for score in page[:limit] if not withheld(score.key, score.author)]
        more = page[limit - 1] if len(page) > limit else None
        with_staleness = using.annotating.staleness.each(visible)
        items = [ScoreItem.made_of(score, stale=stale) for score, stale in with_staleness]
        return items, len(page[:limit]) - len(visible), more

    items, hidden, last = await using.calls.run(read)
    next_cursor = last and query.cursor_after(last)
    return ScoreList(items=items, withheld=hidden, next_cursor=next_cursor)


@router.post(
    "/v1/scores",
    operation_id="writeScores",
    summary="Store scores",
    response_model=WrittenScores,
    responses={
        200: STORED_SCORES,
        202: WAITING_SCORES,
        **store_problems(404, 413),
    },
)
@needs(Scope.ANNOTATE)
async def write_scores(
    requested: ScoresRequest, project: OneProject, using: Using, response: Response
) -> WrittenScores:
    """Store scores of rules and models; scores of people are computed from their annotations.

    The same score again, by target, name, source, author, experiment, item and repeat, is a
    revision of it. A score whose trajectory is not stored yet waits for it: then the response is
    202. After 7 days it is listed as an orphan.
    """
    now_us = using.annotating.writing.now_us()
    made: Sequence[Score] = [item.score(project, now_us) for item in requested.items]
    made = await using.calls.run(using.annotating.staleness.with_hashes, made)
    waiting = await using.calls.run(using.annotating.scores.store, made)
    if waiting:
        response.status_code = 202
    with_staleness = await using.calls.run(list, using.annotating.staleness.each(made))
    items = [ScoreItem.made_of(score, stale=stale) for score, stale in with_staleness]
    return WrittenScores(items=items, withheld=0, next_cursor=None, waiting=waiting)
