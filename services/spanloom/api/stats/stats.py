"""Routes that return aggregates over runs and steps, and fields with their frequent values."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.rows.columns import Sort, columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import whole_rows
from spanloom.api.runs.places import AcceptInHeader
from spanloom.api.services import Using, refuse_words
from spanloom.api.stats.examples import FACETS, FIELDS, SPELLED, STATS, VALUES
from spanloom.api.stats.schemas import (
    SUBJECTS,
    Facet,
    FacetList,
    FacetsQuery,
    LineQuery,
    SpelledWhere,
    StatsQuery,
    ValuesQuery,
    field_item,
    numbers_columns,
    sort_of,
    stats_of,
    values_in,
)
from spanloom.core.model.access import Scope
from spanloom.core.query.stats import COUNT, Metric, Numbers, parse_group
from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS
from spanloom.core.query.where.short_forms import spell
from spanloom.core.records.field import FieldItem, FieldList, Stats, ValueList

router = APIRouter(tags=["questions"])


@router.get(
    "/v1/stats",
    operation_id="getStats",
    summary="Count, sum and compare runs or steps",
    response_model=Stats,
    responses={200: STATS, **store_problems(406, 501)},
)
@needs(Scope.READ)
async def get_stats(
    query: Annotated[StatsQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | Stats:
    """Return statistics of all runs that pass every filter and match `where`.

    Runs that only repeat another are left out by default. A quantile is exact for up to 8,192
    values in a group, and estimated from a sample above that.
    """
    numbers_query, form, reach = query.numbers(), form_for(accept), callers.narrowed(query.project)
    refuse_words(using, numbers_query.where, numbers_query.steps_where)
    groups = await using.calls.run(using.store.stats.numbers, reach, query.filter(), numbers_query)
    answer = stats_of(numbers_query, list(groups))
    if form is None:
        return answer
    columns, is_cut = numbers_columns(numbers_query), answer.truncated
    return await using.calls.run(whole_rows, answer.items, columns, form, truncated=is_cut)


@router.get(
    "/v1/where",
    operation_id="spellWhere",
    summary="Expand a `where` in short forms",
    response_model=SpelledWhere,
    responses={200: SPELLED, **store_problems()},
)
@needs(Scope.READ)
async def spell_where(query: Annotated[LineQuery, Query()]) -> SpelledWhere:
    """Return the `where` for a line in short forms, such as `type:tool -is:annotated`.

    Text that is not a short form is returned unchanged, even if it is wrong: a list refuses it,
    with its position in the returned text.
    """
    return SpelledWhere(where=spell(query.line))


@router.get(
    "/v1/fields",
    operation_id="listFields",
    summary="List the fields of `where`",
    response_model=FieldList,
    responses={200: FIELDS, **store_problems(406)},
)
@needs(Scope.READ)
async def list_fields(
    using: Using, accept: AcceptInHeader = "application/json"
) -> Response | FieldList:
    """Return every field of runs and of steps, with its type, its operators and an example."""
    form = form_for(accept)
    items = [field_item(field, "trajectories") for field in RUN_FIELDS.values()]
    items += [field_item(field, "steps") for field in STEP_FIELDS.values()]
    if form is None:
        return FieldList(items=items)
    rows = [vars(item) for item in items]
    return await using.calls.run(whole_rows, rows, columns_of(FieldItem), form)


@router.get(
    "/v1/fields/{name}/values",
    operation_id="listFieldValues",
    summary="List the frequent values of a field",
    response_model=ValueList,
    responses={200: VALUES, **store_problems(406)},
)
@needs(Scope.READ)
async def list_field_values(
    name: Annotated[str, Path(description="A field of type text or choice.", examples=["agent"])],
    query: Annotated[ValuesQuery, Query()],
    callers: CallersReach,
    using: Using,
    accept: AcceptInHeader = "application/json",
) -> Response | ValueList:
    """Return the values of a field among the runs that pass every filter, or among their steps."""
    of, form = SUBJECTS[query.of], form_for(accept)
    numbers_query = Numbers(of, [Metric(COUNT)], [parse_group(name, of)], top=query.limit + 1)
    reach = callers.narrowed(query.project)
    groups = await using.calls.run(using.store.stats.numbers, reach, query.filter(), numbers_query)
    items = values_in(groups)[: query.limit]
    if form is None:
        return ValueList(items=items)
    columns = {"value": sort_of(numbers_query.by[0]), "count": Sort.WHOLE}
    return await using.calls.run(whole_rows, [vars(item) for item in items], columns, form)


@router.get(
    "/v1/facets",
    operation_id="getFacets",
    summary="List the frequent values of several fields",
    responses={200: FACETS, **store_problems(501)},
)
@needs(Scope.READ)
async def get_facets(
    query: Annotated[FacetsQuery, Query()], callers: CallersReach, using: Using
) -> FacetList:
    """Return the frequent values of fields among the runs, or the steps, that match `where`."""
    numbers_query, reach, where = query.numbers(), callers.narrowed(query.project), query.filter()
    refuse_words(using, numbers_query[0].where, numbers_query[0].steps_where)
    items = []
    for each in numbers_query:
        groups = await using.calls.run(using.store.stats.numbers, reach, where, each)
        values = values_in(groups)
        shown, is_cut = values[: query.limit], len(values) > query.limit
        items.append(Facet(field=each.by[0].name, values=shown, truncated=is_cut))
    return FacetList(items=items)
