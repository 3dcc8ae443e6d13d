"""A key of one project reads only that project, at every route that reads."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.isolation import Twins, make_twins
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.api.http import doorkeeper
from spanloom.api.http.doorkeeper import caller_of
from spanloom.core.model.access import ALL_PROJECTS, Caller
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI, Request

OF_CONVERSATION = "/v1/conversations/{conversation_id}"
READING = {
    "/v1/trajectories": "/v1/trajectories",
    "/v1/trajectories/changes": "/v1/trajectories/changes?after=beginning",
    "/v1/trajectories/latest": "/v1/trajectories/latest",
    "/v1/trajectories/{trace_id}": "/v1/trajectories/{trace}",
    "/v1/trajectories/{trace_id}/spans": "/v1/trajectories/{trace}/spans",
    "/v1/trajectories/{trace_id}/steps/{step_id}": "/v1/trajectories/{trace}/steps/{span}",
    "/v1/trajectories/{trace_id}/spans/{span_id}": "/v1/trajectories/{trace}/spans/{span}",
    "/v1/trajectories/{trace_id}/otlp": "/v1/trajectories/{trace}/otlp",
    "/v1/trajectories/{trace_id}/diff/{other_trace_id}": "/v1/trajectories/{trace}/diff/{trace}",
    "/v1/trajectories/{trace_id}/outline": "/v1/trajectories/{trace}/outline",
    "/v1/trajectories/{trace_id}/rows": "/v1/trajectories/{trace}/rows",
    "/v1/trajectories/{trace_id}/search": "/v1/trajectories/{trace}/search?q=e",
    "/v1/trajectories/{trace_id}/graph": "/v1/trajectories/{trace}/graph",
    "/v1/trajectories/{trace_id}/export.html": "/v1/trajectories/{trace}/export.html",
    "/v1/trajectories/{trace_id}/versions": "/v1/trajectories/{trace}/versions",
    "/v1/steps": "/v1/steps",
    "/v1/conversations": "/v1/conversations",
    OF_CONVERSATION: "/v1/conversations/{conversation}",
    f"{OF_CONVERSATION}/export.html": "/v1/conversations/{conversation}/export.html",
    "/v1/facets": "/v1/facets?fields=agent",
    "/v1/fields/{name}/values": "/v1/fields/agent/values",
    "/v1/stats": "/v1/stats?by=project",
    "/v1/projects": "/v1/projects",
    "/v1/scores": "/v1/scores",
    "/v1/queues": "/v1/queues",
    "/v1/replays": "/v1/replays",
    "/v1/replays/{replay_id}": "/v1/replays/{replay}",
}
"""Each route that reads, and a request for data of the project that owns it."""
NOT_OF_PROJECTS = {
    "/livez",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/v1/keys",
    "/v1/doctor",
}
NOT_OF_PROJECTS |= {"/v1/service", "/v1/fields", "/v1/where", "/v1/deletions"}
OF_OTHER_TESTS = {
    "/v1/search",
    "/v1/schemes",
    "/v1/trajectories/{trace_id}/annotations",
    "/v1/trajectories/{trace_id}/versions/{version}",
    "/v1/annotations",
    "/v1/annotations/corrections",
    "/v1/annotations/potato",
    "/v1/agreement",
    "/v1/agreement/units",
    "/v1/queues/{name}",
    "/v1/queues/{name}/items",
    "/v1/queues/{name}/items/{trace_id}",
    "/v1/views",
    "/v1/online-rules",
    "/v1/online-rules/{name}",
    "/v1/datasets",
    "/v1/datasets/{name}",
    "/v1/datasets/{name}/items",
    "/v1/evaluators",
    "/v1/evaluators/{name}",
    "/v1/experiments",
    "/v1/experiments/{name}",
    "/v1/experiments/{name}/results",
    "/v1/experiments/{a}/compare/{b}",
    "/v1/alerts",
    "/v1/alerts/{name}",
    "/v1/alerts/{name}/events",
}
"""Routes that need texts, schemes and documents which the twins do not have.

``check_isolation`` proves the methods of the store that these routes call with the caller's
reach; ``tests/unit/annotation`` and ``test_view_routes``, ``test_dataset_routes``,
``test_experiment_routes`` and ``test_alert_routes`` prove the rest.
"""


class Served(NamedTuple):
    app: FastAPI
    client: TestClient
    twins: Twins
    keys: dict[str, str]

    def ask(self, route: str, reader: str, owner: str, query: str = "") -> str:
        """Request ``owner``'s data with ``reader``'s key; return the text, empty if not 200."""
        path = READING[route].format(
            trace=self.twins.mine.trace_id,
            span=f"{1:016x}",
            conversation=self.twins.conversation,
            replay=self.twins.replays[owner],
        )
        headers = {"Authorization": f"Bearer {self.keys[reader]}"}
        joint = "&" if "?" in path else "?"
        answer = self.client.get(path + (joint + query if query else ""), headers=headers)
        assert answer.status_code in (200, 403, 404), answer.text
        return answer.text if answer.status_code == 200 else ""


@pytest.fixture
def served() -> Iterator[Served]:
    twins = make_twins(MemoryStore(), "mine", "theirs", secrets.token_hex(16))
    locks = Locks(is_open=False)
    keys = {project: locks.make(project) for project in ("mine", "theirs")}
    app = create_app(twins.store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Served(app, client, twins, keys)


def leaks(served: Served, route: str) -> bool:
    """Return whether a key of one project sees anything of the other project at this route."""
    for reader, owner in (("mine", "theirs"), ("theirs", "mine")):
        query = "" if "{replay_id}" in route else f"project={owner}"
        if _has(served.ask(route, reader, owner, query)):
            return True
        if owner in served.ask(route, reader, reader):
            return True
    return False


def _has(text: str) -> bool:
    return bool(text) and '"items":[]' not in text and '"values":[]' not in text


def test_every_route_has_its_case(served: Served) -> None:
    described = served.app.openapi()["paths"]
    paths = {path for path, operations in described.items() if "get" in operations}
    assert len(paths) > len(READING)
    assert paths - set(READING) - NOT_OF_PROJECTS == OF_OTHER_TESTS


@pytest.mark.parametrize("route", READING)
def test_a_key_of_one_project_reads_it_alone(served: Served, route: str) -> None:
    assert all(_has(served.ask(route, reader, reader)) for reader in ("mine", "theirs"))
    assert not leaks(served, route)


@pytest.mark.parametrize("route", READING)
def test_it_is_the_reach_that_keeps_it_so(
    served: Served, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    monkeypatch.setattr(doorkeeper, "caller_of", _opens_all)
    assert leaks(served, route)


def _opens_all(request: Request) -> Caller:
    return replace(caller_of(request), project=ALL_PROJECTS)
