"""Routes for alerts: store alerts, list their events, and try an alert before it is stored."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator

from spanloom.alerts.condition import parse_alert_condition
from spanloom.alerts.definition import AlertDefinition
from spanloom.alerts.trial import try_alert
from spanloom.api.alert_schemas import (
    ALERT,
    ALERTS,
    EVENTS,
    TRIED,
    EventsParameters,
    TriedAlert,
    TryRequest,
    event_item_of,
    item_of,
    tried_of,
)
from spanloom.api.annotations.annotators import OneProject
from spanloom.api.bodies import ALSO_YAML, YamlRoute
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.runs.places import Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.names import named_in_path
from spanloom.core.records.alert import EXAMPLE_ALERT, AlertEventList, AlertItem, AlertList

router = APIRouter(tags=["alerts"], route_class=YamlRoute)

NameInPath = Annotated[
    str,
    Path(description="Name of the alert.", examples=[EXAMPLE_ALERT]),
    AfterValidator(named_in_path),
]
READING = store_problems(404)
_DAY_NS = 86_400 * 10**9


@router.get(
    "/v1/alerts",
    operation_id="listAlerts",
    summary="List alerts",
    responses={200: ALERTS, **store_problems()},
)
@needs(Scope.READ)
async def list_alerts(project: OneProject, using: Using) -> AlertList:
    """Return the alerts of a project by name, each with its number of firing runs or groups."""
    found = await using.calls.run(using.alerts.listed, project)
    return AlertList(items=list(map(item_of, found)))


@router.post(
    "/v1/alerts/test",
    operation_id="testAlert",
    summary="See how often an alert would have fired",
    openapi_extra=ALSO_YAML,
    responses={200: TRIED, **store_problems(413)},
)
@needs(Scope.READ, is_of_page=True)
async def test_alert(requested: TryRequest, project: OneProject, using: Using) -> TriedAlert:
    """Return how many runs of the last days match the condition, and the newest runs.

    A metric is evaluated in windows that follow one another, while an alert's window slides.
    Nothing is stored or sent.
    """
    now_ns, definition = time.time_ns(), requested.definition()
    condition, since_ns = parse_alert_condition(definition), now_ns - requested.days * _DAY_NS
    reach = Reach.only(project)
    tried = await using.calls.run(try_alert, using.store, reach, condition, since_ns, now_ns)
    return tried_of(tried, definition)


@router.get(
    "/v1/alerts/{name}",
    operation_id="getAlert",
    summary="Get an alert",
    responses={200: ALERT, **READING},
)
@needs(Scope.READ)
async def get_alert(name: NameInPath, project: OneProject, using: Using) -> AlertItem:
    """Return an alert, without possible secrets in the addresses of its channels."""
    return item_of(await using.calls.run(using.alerts.get, project, name))


@router.put(
    "/v1/alerts/{name}",
    operation_id="putAlert",
    summary="Make or replace an alert",
    openapi_extra=ALSO_YAML,
    responses={200: ALERT, **store_problems(409, 413)},
)
@needs(Scope.ANNOTATE)
async def put_alert(
    name: NameInPath, requested: AlertDefinition, project: OneProject, using: Using, reader: Reader
) -> AlertItem:
    """Store a condition on runs, or a metric with a threshold, and the channels to notify.

    Storing the same again changes nothing. A changed condition makes a new version, which fires
    again, for changes from now on. An invalid alert is 422 with the position of the error.
    """
    return item_of(await using.calls.run(using.alerts.put, project, name, requested, reader))


@router.delete(
    "/v1/alerts/{name}",
    operation_id="deleteAlert",
    summary="Delete an alert",
    responses={200: ALERT, **READING},
)
@needs(Scope.ANNOTATE)
async def delete_alert(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> AlertItem:
    """Delete an alert: it stops firing, and a metric that fires is resolved."""
    return item_of(await using.calls.run(using.alerts.delete, project, name, reader))


@router.get(
    "/v1/alerts/{name}/events",
    operation_id="listAlertEvents",
    summary="List the events of an alert",
    responses={200: EVENTS, **READING},
)
@needs(Scope.READ)
async def list_events(
    name: NameInPath,
    project: OneProject,
    using: Using,
    query: Annotated[EventsParameters, Query()],
) -> AlertEventList:
    """Return the events of an alert, newest first, with their deliveries."""
    after, most = query.after(name), query.limit + 1
    found = await using.calls.run(
        using.alerts.events, project, name, query.store_query, most, after
    )
    page = found[: query.limit]
    next_cursor = query.cursor_after(name, page[-1]) if len(found) > len(page) else None
    return AlertEventList(items=list(map(event_item_of, page)), next_cursor=next_cursor)
