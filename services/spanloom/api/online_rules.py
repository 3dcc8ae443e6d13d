"""Routes for online rules: list, store (also to pause a rule), delete."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import AfterValidator

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.bodies import ALSO_YAML, YamlRoute
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.online_rule_schemas import RULE, RULES, OnlineRuleRequest, item_of
from spanloom.api.runs.places import Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.model.names import named_in_path
from spanloom.core.records.online_rule import EXAMPLE_RULE, OnlineRuleItem, OnlineRuleList

router = APIRouter(tags=["online rules"], route_class=YamlRoute)

NameInPath = Annotated[
    str,
    Path(description="Name of the rule.", examples=[EXAMPLE_RULE]),
    AfterValidator(named_in_path),
]
READING = store_problems(404)


@router.get(
    "/v1/online-rules",
    operation_id="listOnlineRules",
    summary="List online rules",
    responses={200: RULES, **store_problems()},
)
@needs(Scope.READ)
async def list_online_rules(project: OneProject, using: Using) -> OnlineRuleList:
    """Return the online rules of a project by name, with their progress."""
    found = await using.calls.run(using.online_rules.listed, project)
    return OnlineRuleList(items=list(map(item_of, found)))


@router.get(
    "/v1/online-rules/{name}",
    operation_id="getOnlineRule",
    summary="Get an online rule",
    responses={200: RULE, **READING},
)
@needs(Scope.READ)
async def get_online_rule(name: NameInPath, project: OneProject, using: Using) -> OnlineRuleItem:
    """Return a rule with its progress."""
    return item_of(await using.calls.run(using.online_rules.get, project, name))


@router.put(
    "/v1/online-rules/{name}",
    operation_id="putOnlineRule",
    summary="Make or change an online rule",
    openapi_extra=ALSO_YAML,
    responses={200: RULE, **store_problems(409, 413)},
)
@needs(Scope.ANNOTATE)
async def put_online_rule(
    name: NameInPath,
    requested: OnlineRuleRequest,
    project: OneProject,
    using: Using,
    reader: Reader,
) -> OnlineRuleItem:
    """Store a rule; a member that is left out stays as it is.

    A change of `where`, `evaluators`, `sample`, `unit` or `when` makes a new version, for runs that
    arrive from now on; with `rescore` it also judges again the runs that the rule has judged
    before. An invalid evaluator or `where` is 422 with its position and the reason. Evaluators that
    run the code of a file are refused.
    """
    put = using.online_rules.put
    return item_of(await using.calls.run(put, project, name, requested.changes(), reader))


@router.delete(
    "/v1/online-rules/{name}",
    operation_id="deleteOnlineRule",
    summary="Delete an online rule",
    responses={200: RULE, **READING},
)
@needs(Scope.ANNOTATE)
async def delete_online_rule(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> OnlineRuleItem:
    """Delete a rule, and return it as it was. Its scores stay."""
    return item_of(await using.calls.run(using.online_rules.delete, project, name, reader))
