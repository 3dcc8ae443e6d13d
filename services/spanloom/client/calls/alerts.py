"""Calls that list, create, try and delete alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.request import (
    Call,
    as_object,
    delete,
    get,
    segment,
    typed,
    typed_items,
    with_json,
)
from spanloom.core.records.alert import AlertEventList, AlertItem, AlertList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/v1/alerts"
MOST = 200
"""Events per page."""


def alerts(*, project: str | None = None) -> Call[Sequence[AlertItem]]:
    """Return the alerts of a project by name, each with its number of firing runs or groups."""
    return typed_items(get(_PATH, project=project), AlertList)


def alert(name: str, *, project: str | None = None) -> Call[AlertItem]:
    """Return an alert; raises ``NotFoundError``."""
    return typed(get(_path(name), project=project), AlertItem)


def put_alert(
    name: str,
    definition: Mapping[str, Any],
    *,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[AlertItem]:
    """Make or replace an alert.

    ``definition`` has the members of ``PUT /v1/alerts/{name}``. ::

        client.put_alert("slow", {"where": "duration > 5m", "channels": [...]})
    """
    request = with_json("PUT", _path(name), definition, project=project, annotator=annotator)
    return typed(request, AlertItem)


def delete_alert(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[AlertItem]:
    """Delete an alert, so that it stops firing, and return the deleted alert."""
    return typed(delete(_path(name), annotator, project=project), AlertItem)


def alert_events(
    name: str,
    *,
    state: str | None = None,
    current: bool = False,
    project: str | None = None,
    limit: int = MOST,
    cursor: str | None = None,
) -> Call[AlertEventList]:
    """Return a page of the events of an alert, newest first.

    ``current`` returns only the last event for each event id (one firing and its resolution share
    an id): with ``state="firing"`` the events that are firing now.
    """
    filters = {"state": state, "current": "true" if current else None}
    path = f"{_path(name)}/events"
    return typed(get(path, project=project, limit=limit, cursor=cursor, **filters), AlertEventList)


def try_alert(
    definition: Mapping[str, Any], *, days: int = 7, project: str | None = None
) -> Call[Mapping[str, Any]]:
    """Return how often an alert would have fired in the last ``days`` days.

    The members are ``fired``, ``of`` and ``runs``.
    """
    body = {**definition, "days": days}
    return Call(with_json("POST", f"{_PATH}/test", body, project=project), as_object)


def _path(name: str) -> str:
    return f"{_PATH}/{segment(name)}"
