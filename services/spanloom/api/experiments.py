"""Routes for experiments: start and cancel them, read their progress and results."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AfterValidator

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.bodies import read_model, yaml_or_json_body
from spanloom.api.experiment_schemas import (
    COMPARED,
    MANY,
    ONE,
    RESULTS,
    ExperimentResultList,
    ResultsQuery,
    item_of,
)
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import read_where
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import stream_found
from spanloom.api.runs.places import AcceptInHeader, Reader
from spanloom.api.services import Services, Using, refuse_words
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Scope
from spanloom.core.model.names import named_with_version
from spanloom.core.records.experiment import (
    EXAMPLE_EXPERIMENT,
    ExperimentItem,
    ExperimentList,
    ExperimentResult,
)
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.files.comparing import Comparison
from spanloom.experiments.request import ExperimentRequest
from spanloom.experiments.results import Results, compare_results
from spanloom.experiments.service import ListedExperiment

router = APIRouter(tags=["experiments"])

NameInPath = Annotated[
    str,
    Path(description="Name of the experiment.", examples=[EXAMPLE_EXPERIMENT]),
    AfterValidator(named_with_version),
]
AInPath = Annotated[
    str,
    Path(description="Name of the experiment before.", examples=[EXAMPLE_EXPERIMENT]),
    AfterValidator(named_with_version),
]
BInPath = Annotated[
    str,
    Path(description="Name of the experiment after.", examples=[EXAMPLE_EXPERIMENT]),
    AfterValidator(named_with_version),
]
_READING = store_problems(404)
_BODY = yaml_or_json_body(
    {"$ref": "#/components/schemas/ExperimentRequest"},
    {
        "runs": {"where": 'agent = "planner"', "since": "7d"},
        "evaluators": [{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}],
    },
)


@router.get(
    "/v1/experiments",
    operation_id="listExperiments",
    summary="List experiments",
    responses={200: MANY, **store_problems()},
)
@needs(Scope.READ)
async def list_experiments(project: OneProject, using: Using) -> ExperimentList:
    """Return the experiments of a project by name, without their summaries.

    Scores that were sent with the name of an experiment make one, too.
    """
    found = await using.calls.run(using.experiments.listed, project)
    return ExperimentList(items=list(map(item_of, found)))


@router.get(
    "/v1/experiments/{name}",
    operation_id="getExperiment",
    summary="Get an experiment",
    responses={200: ONE, **_READING},
)
@needs(Scope.READ)
async def get_experiment(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> ExperimentItem:
    """Return the progress of an experiment, and the summary of its results so far."""

    def read() -> ExperimentItem:
        return _item(using, using.experiments.get(project, name), reader)

    return await using.calls.run(read)


@router.put(
    "/v1/experiments/{name}",
    operation_id="startExperiment",
    summary="Start an experiment",
    responses={200: ONE, **store_problems(409, 413, 501)},
    openapi_extra={"requestBody": _BODY},
)
@needs(Scope.ANNOTATE)
async def start_experiment(
    name: NameInPath, request: Request, project: OneProject, using: Using, reader: Reader
) -> ExperimentItem:
    """Judge the items of a dataset, or stored runs, in the background; YAML or JSON.

    For each item, the stored run of its `source` is judged. The same body again changes nothing, a
    different one is 409. An invalid body is 422, with line and reason.
    """
    requested, places = read_model(ExperimentRequest, await request.body())
    if requested.runs is not None:
        refuse_words(using, read_where(requested.runs.where, "runs.where"))

    def start() -> ExperimentItem:
        return _item(using, using.experiments.start(project, name, requested, reader), reader)

    try:
        return await using.calls.run(start)
    except InvalidEvaluatorError as error:
        raise places.error(error.key, error.reason) from error
    except InvalidQueryError as error:
        if not error.parameter:
            raise
        raise places.error(error.parameter, error.detail) from error


@router.delete(
    "/v1/experiments/{name}",
    operation_id="cancelExperiment",
    summary="Cancel an experiment",
    responses={200: ONE, **_READING},
)
@needs(Scope.ANNOTATE)
async def cancel_experiment(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> ExperimentItem:
    """Stop an experiment; its results stay. An experiment that has ended is not changed."""

    def cancel() -> ExperimentItem:
        return _item(using, using.experiments.cancel(project, name), reader)

    return await using.calls.run(cancel)


@router.get(
    "/v1/experiments/{name}/results",
    operation_id="listExperimentResults",
    summary="List the results of an experiment",
    response_model=ExperimentResultList,
    responses={200: RESULTS, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def list_results(
    name: NameInPath,
    project: OneProject,
    using: Using,
    reader: Reader,
    query: Annotated[ResultsQuery, Query()],
    accept: AcceptInHeader = "application/json",
) -> Response | ExperimentResultList:
    """Return one page of results, by item, repeat, evaluator and score.

    Each is a score of the judged run, or of the item if it has no run. Forms other than JSON have
    all results, unless `limit` is set.
    """
    after = query.after(name)
    results = await using.calls.run(_results, using, project, name, reader, query.score)
    if (form := form_for(accept)) is not None:
        most = query.limit if "limit" in query.model_fields_set else None
        found = islice(results.rows(after), most)
        return await stream_found(found, columns_of(ExperimentResult), form, using.calls)
    rows, more = await using.calls.run(results.page, query.limit, after)
    items = [ExperimentResult.trusted(dict(row)) for row in rows]
    next_cursor = None if more is None else query.cursor_after(name, more)
    return ExperimentResultList(items=items, withheld=results.withheld, next_cursor=next_cursor)


@router.get(
    "/v1/experiments/{a}/compare/{b}",
    operation_id="compareExperiments",
    summary="Compare two experiments",
    responses={200: COMPARED, **_READING},
)
@needs(Scope.READ)
async def compare_experiments(
    a: AInPath, b: BInPath, project: OneProject, using: Using, reader: Reader
) -> Comparison:
    """Compare B with A on the items that both have, as `spanloom eval compare` does."""

    def compared() -> Comparison:
        first, second = (_results(using, project, name, reader) for name in (a, b))
        return compare_results(first, second)

    return await using.calls.run(compared)


def _results(using: Services, project: str, name: str, reader: str, only: str = "") -> Results:
    return _of(using, using.experiments.get(project, name), reader, only)


def _of(using: Services, listed: ListedExperiment, reader: str, only: str = "") -> Results:
    return Results(using.store.experiments, using.store.queues, listed, reader, only)


def _item(using: Services, listed: ListedExperiment, reader: str) -> ExperimentItem:
    return item_of(listed, _of(using, listed, reader))
