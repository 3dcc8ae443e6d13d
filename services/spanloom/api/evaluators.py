"""Routes that list stored evaluators, and store evaluators in versions."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import AfterValidator

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.bodies import read_body, yaml_or_json_body
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.responses import answer
from spanloom.api.runs.places import Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.model.names import named_with_version
from spanloom.core.records.evaluator import (
    EVALUATOR,
    EXAMPLE_CONFIG,
    EXAMPLE_EVALUATOR,
    EvaluatorItem,
    EvaluatorList,
    EvaluatorVersionItem,
)
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluators.service import VersionedEvaluator

router = APIRouter(tags=["experiments"])

NameInPath = Annotated[
    str,
    Path(description="Name of the evaluator.", examples=[EXAMPLE_EVALUATOR]),
    AfterValidator(named_with_version),
]
_ONE = answer("The evaluator.", "EvaluatorItem", EVALUATOR.example)
_MANY = answer("The evaluators.", "EvaluatorList", {"items": [EVALUATOR.example]})
_BODY = yaml_or_json_body(
    {"type": "object", "description": "An evaluator, in the form of `spanloom.evaluate`."},
    {key: value for key, value in EXAMPLE_CONFIG.items() if key != "name"},
)


@router.get(
    "/v1/evaluators",
    operation_id="listEvaluators",
    summary="List stored evaluators",
    responses={200: _MANY, **store_problems()},
)
@needs(Scope.READ)
async def list_evaluators(project: OneProject, using: Using) -> EvaluatorList:
    """Return the evaluators of a project by name, with their versions."""
    found = await using.calls.run(using.evaluators.listed, project)
    return EvaluatorList(items=list(map(_item_of, found)))


@router.get(
    "/v1/evaluators/{name}",
    operation_id="getEvaluator",
    summary="Get a stored evaluator",
    responses={200: _ONE, **store_problems(404)},
)
@needs(Scope.READ)
async def get_evaluator(name: NameInPath, project: OneProject, using: Using) -> EvaluatorItem:
    """Return the last version of an evaluator, and the list of its versions."""
    return _item_of(await using.calls.run(using.evaluators.get, project, name))


@router.put(
    "/v1/evaluators/{name}",
    operation_id="putEvaluator",
    summary="Store an evaluator",
    responses={200: _ONE, **store_problems(409, 413)},
    openapi_extra={"requestBody": _BODY},
)
@needs(Scope.ANNOTATE)
async def put_evaluator(
    name: NameInPath, request: Request, project: OneProject, using: Using, reader: Reader
) -> EvaluatorItem:
    """Store an evaluator, YAML or JSON; a change makes a new version.

    Storing the same again changes nothing. An invalid evaluator is 422, with line and reason.
    Evaluators that run the code of a file are refused. An experiment can name a stored evaluator.
    """
    value, places = read_body(await request.body())
    try:
        listed = await using.calls.run(using.evaluators.put, project, name, value, reader)
    except InvalidEvaluatorError as error:
        raise places.error(error.key, error.reason) from error
    return _item_of(listed)


def _item_of(listed: VersionedEvaluator) -> EvaluatorItem:
    versions = list(map(EvaluatorVersionItem.made_of, listed.versions))
    return EvaluatorItem.made_of(listed, versions=versions)
