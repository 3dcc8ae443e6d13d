"""Every route of the API with every kind of key: no route is open by oversight."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from starlette.routing import Route
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.access.keys import make_key
from spanloom.api.app import create_app
from spanloom.api.http.doorkeeper import guarded_routes
from spanloom.core.model.access import ALL_PROJECTS, Reach, Scope
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.api.conftest import ShelfStore

    from spanloom.core.ports.reading import ReadingStore

OPEN = {
    ("GET", "/livez"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
}
NEEDED = {
    ("GET", "/v1/trajectories"): Scope.READ,
    ("GET", "/v1/trajectories/changes"): Scope.READ,
    ("POST", "/v1/trajectories/search"): Scope.READ,
    ("GET", "/v1/stats"): Scope.READ,
    ("POST", "/v1/compare"): Scope.READ,
    ("GET", "/v1/steps"): Scope.READ,
    ("GET", "/v1/fields"): Scope.READ,
    ("GET", "/v1/where"): Scope.READ,
    ("GET", "/v1/fields/{name}/values"): Scope.READ,
    ("GET", "/v1/trajectories/latest"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/spans"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/steps/{step_id}"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/diff/{other_trace_id}"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/spans/{span_id}"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/otlp"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/outline"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/rows"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/search"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/graph"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/export.html"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/versions"): Scope.READ,
    ("GET", "/v1/facets"): Scope.READ,
    ("GET", "/v1/conversations"): Scope.READ,
    ("GET", "/v1/conversations/{conversation_id}"): Scope.READ,
    ("GET", "/v1/conversations/{conversation_id}/export.html"): Scope.READ,
    ("GET", "/v1/search"): Scope.READ,
    ("GET", "/metrics"): Scope.READ,
    ("GET", "/v1/service"): Scope.READ,
    ("GET", "/v1/trajectories/{trace_id}/annotations"): Scope.READ,
    ("POST", "/v1/trajectories/{trace_id}/annotations"): Scope.ANNOTATE,
    ("POST", "/v1/trajectories/{trace_id}/annotations/bulk"): Scope.ANNOTATE,
    ("POST", "/v1/trajectories/{trace_id}/annotations/undo"): Scope.ANNOTATE,
    ("GET", "/v1/trajectories/{trace_id}/versions/{version}"): Scope.READ,
    ("PUT", "/v1/trajectories/{trace_id}/versions/{version}"): Scope.ANNOTATE,
    ("GET", "/v1/schemes"): Scope.READ,
    ("PUT", "/v1/schemes/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/annotations"): Scope.READ,
    ("GET", "/v1/annotations/corrections"): Scope.READ,
    ("POST", "/v1/annotations/import"): Scope.ANNOTATE,
    ("GET", "/v1/agreement"): Scope.READ,
    ("GET", "/v1/queues"): Scope.READ,
    ("PUT", "/v1/queues/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/queues/{name}"): Scope.READ,
    ("GET", "/v1/queues/{name}/items/{trace_id}"): Scope.READ,
    ("GET", "/v1/agreement/units"): Scope.READ,
    ("POST", "/v1/schemes/check"): Scope.ANNOTATE,
    ("GET", "/v1/annotations/potato"): Scope.READ,
    ("POST", "/v1/annotations/potato"): Scope.ANNOTATE,
    ("GET", "/v1/queues/{name}/items"): Scope.READ,
    ("POST", "/v1/queues/{name}/next"): Scope.ANNOTATE,
    ("POST", "/v1/queues/{name}/items/{trace_id}/begin"): Scope.ANNOTATE,
    ("POST", "/v1/queues/{name}/items/{trace_id}/done"): Scope.ANNOTATE,
    ("POST", "/v1/queues/{name}/items/{trace_id}/reopen"): Scope.ANNOTATE,
    ("POST", "/v1/queues/{name}/items/{trace_id}/adjudicate"): Scope.ANNOTATE,
    ("POST", "/v1/imports"): Scope.INGEST,
    ("GET", "/v1/scores"): Scope.READ,
    ("POST", "/v1/scores"): Scope.ANNOTATE,
    ("GET", "/v1/projects"): Scope.READ,
    ("GET", "/v1/views"): Scope.READ,
    ("GET", "/v1/evaluators"): Scope.READ,
    ("GET", "/v1/evaluators/{name}"): Scope.READ,
    ("PUT", "/v1/evaluators/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/experiments"): Scope.READ,
    ("GET", "/v1/experiments/{name}"): Scope.READ,
    ("PUT", "/v1/experiments/{name}"): Scope.ANNOTATE,
    ("DELETE", "/v1/experiments/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/experiments/{name}/results"): Scope.READ,
    ("GET", "/v1/experiments/{a}/compare/{b}"): Scope.READ,
    ("GET", "/v1/online-rules"): Scope.READ,
    ("GET", "/v1/online-rules/{name}"): Scope.READ,
    ("PUT", "/v1/online-rules/{name}"): Scope.ANNOTATE,
    ("DELETE", "/v1/online-rules/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/datasets"): Scope.READ,
    ("GET", "/v1/datasets/{name}"): Scope.READ,
    ("PUT", "/v1/datasets/{name}"): Scope.ANNOTATE,
    ("DELETE", "/v1/datasets/{name}"): Scope.ADMIN,
    ("GET", "/v1/datasets/{name}/items"): Scope.READ,
    ("POST", "/v1/datasets/{name}/items"): Scope.ANNOTATE,
    ("DELETE", "/v1/datasets/{name}/items/{item_key}"): Scope.ANNOTATE,
    ("POST", "/v1/datasets/{name}/commit"): Scope.ANNOTATE,
    ("GET", "/v1/alerts"): Scope.READ,
    ("POST", "/v1/alerts/test"): Scope.READ,
    ("GET", "/v1/alerts/{name}"): Scope.READ,
    ("PUT", "/v1/alerts/{name}"): Scope.ANNOTATE,
    ("DELETE", "/v1/alerts/{name}"): Scope.ANNOTATE,
    ("GET", "/v1/alerts/{name}/events"): Scope.READ,
    ("POST", "/v1/views"): Scope.ANNOTATE,
    ("PUT", "/v1/views/{view_id}"): Scope.ANNOTATE,
    ("DELETE", "/v1/views/{view_id}"): Scope.ANNOTATE,
    ("PUT", "/v1/views/{view_id}/default"): Scope.ANNOTATE,
    ("POST", "/v1/replays"): Scope.ADMIN,
    ("GET", "/v1/replays"): Scope.ADMIN,
    ("GET", "/v1/replays/{replay_id}"): Scope.ADMIN,
    ("POST", "/v1/deletions"): Scope.ADMIN,
    ("GET", "/v1/deletions"): Scope.ADMIN,
    ("GET", "/v1/doctor"): Scope.ADMIN,
    ("POST", "/v1/snapshots"): Scope.ADMIN,
    ("GET", "/v1/keys"): Scope.ADMIN,
    ("POST", "/v1/keys"): Scope.ADMIN,
    ("DELETE", "/v1/keys/{key_id}"): Scope.ADMIN,
}
"""The scope of each route, repeated on purpose: a new route has to be considered here too."""
VALUES = {
    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "other_trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "step_id": "00f067aa0ba902b7",
    "span_id": "00f067aa0ba902b7",
    "replay_id": "00064119b2c8d000",
    "conversation_id": "c",
    "name": "agent",
    "a": "agent",
    "b": "agent",
    "version": "1",
    "key_id": "0f3a9c5b7d21",
    "view_id": "5b1f0c2d9e8a7463",
    "item_key": "item",
}


class Called(NamedTuple):
    """A service with keys, and a client of its API."""

    client: TestClient
    locks: Locks

    def ask(self, method: str, template: str, key: str = "", **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return self.client.request(method, template.format(**VALUES), headers=headers, **more)


@pytest.fixture
def called(store: ReadingStore) -> Iterator[Called]:
    locks = Locks()
    locks.make("other")
    app = create_app(store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Called(client, locks)


def all_routes() -> set[tuple[str, str]]:
    """Return method and path of each route in the OpenAPI description, and of the description."""
    app = create_app(MemoryStore(), Metrics(), Locks().access)
    described = {
        (method.upper(), path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
    }
    return described | {("GET", "/openapi.json")}


def test_the_table_has_every_route() -> None:
    assert all_routes() == OPEN | set(NEEDED)


@pytest.mark.parametrize(("method", "path"), sorted(OPEN))
def test_health_and_description_are_open(called: Called, method: str, path: str) -> None:
    assert called.ask(method, path).status_code == 200
    assert called.ask(method, path, "wrong").status_code == 200


@pytest.mark.parametrize(("method", "path"), sorted(NEEDED))
def test_every_route_refuses_every_bad_key(called: Called, method: str, path: str) -> None:
    locks = called.locks
    revoked, scope = locks.make(ALL_PROJECTS), NEEDED[method, path]
    locks.revoke(revoked)
    expired = locks.make(ALL_PROJECTS, expires_ns=time.time_ns() + 50_000_000)
    time.sleep(0.05)
    good = locks.make(ALL_PROJECTS)
    bad = ["", "wrong", make_key().text, good[:-3] + "AAA", good.upper(), revoked, expired]
    for key in bad:
        answer = called.ask(method, path, key)
        assert answer.status_code == 401, key
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "retry-after" not in answer.headers
    in_url = called.ask(method, path, good, params={"api_key": good})
    assert in_url.status_code == 401
    assert good not in in_url.text
    others = locks.make(ALL_PROJECTS, *(set(Scope) - {scope}))
    refused = called.ask(method, path, others)
    assert (refused.status_code, refused.headers["content-type"]) == (
        403,
        "application/problem+json",
    )
    assert called.ask(method, path, locks.make(ALL_PROJECTS, scope)).status_code not in {401, 403}


@pytest.mark.parametrize("path", ["/nowhere", "/v1/keys/x/y", "/docs", "/redoc"])
def test_what_is_no_route_is_closed_too(called: Called, path: str) -> None:
    assert called.ask("GET", path).status_code == 401
    assert called.ask("GET", path, called.locks.make("p")).status_code == 404


def test_a_key_opens_in_every_place_where_a_request_may_carry_it(called: Called) -> None:
    key = called.locks.make("p", Scope.READ)
    basic = base64.b64encode(f"pk-anything:{key}".encode()).decode()
    for headers in (
        {"authorization": f"Bearer {key}"},
        {"authorization": f"Basic {basic}"},
        {"x-api-key": key},
    ):
        assert called.client.get("/v1/trajectories", headers=headers).status_code == 200


def test_a_key_of_one_project_deletes_in_that_project_alone(
    called: Called, store: ShelfStore
) -> None:
    key = called.locks.make("p", Scope.ADMIN)
    elsewhere = called.ask("POST", "/v1/deletions", key, params={"project": "other"})
    assert (elsewhere.status_code, store.deleted) == (403, [])
    done = called.ask("POST", "/v1/deletions", key, params={"trace_id": VALUES["trace_id"]})
    assert (done.status_code, store.deleted[0].scope.reach) == (200, Reach.only("p"))
    assert store.deleted[0].requested_by.startswith("key ")
    assert called.ask("GET", "/v1/deletions", key).status_code == 403


def test_sums_over_all_projects_need_a_key_of_all(called: Called) -> None:
    assert called.ask("GET", "/metrics", called.locks.make("p")).status_code == 403
    assert called.ask("POST", "/v1/snapshots", called.locks.make("p")).status_code == 403


def test_a_body_is_not_read_before_the_key_was(called: Called) -> None:
    assert called.ask("POST", "/v1/keys", content=b"{" * 1_000_000).status_code == 401
    assert called.ask("POST", "/v1/keys", called.locks.make("p"), content=b"{").status_code == 422


def test_another_projects_administrator_is_nobody_here(called: Called) -> None:
    """An administrator of another project sees, makes and revokes no key of this project."""
    mine, theirs = called.locks.make("mine"), called.locks.make("theirs")
    wanted = {"project": "mine", "scopes": ["read"]}
    assert called.ask("POST", "/v1/keys", theirs, json=wanted).status_code == 403
    assert called.ask("POST", "/v1/keys", theirs, json={**wanted, "project": None}).status_code == (
        403
    )
    listed = called.ask("GET", "/v1/keys", theirs).json()["items"]
    assert {key["project"] for key in listed} == {"theirs"}
    path = f"/v1/keys/{mine.split('_')[1]}"
    assert called.ask("DELETE", path, theirs).status_code == 404
    assert called.ask("GET", "/v1/trajectories", mine).status_code == 200


def test_a_key_is_made_shown_once_and_revoked(called: Called) -> None:
    admin = called.locks.make("p", Scope.ADMIN)
    made = called.ask("POST", "/v1/keys", admin, json={"project": "p", "scopes": ["read"]}).json()
    called.locks.keyring.refresh()
    assert called.ask("GET", "/v1/trajectories", made["key"]).status_code == 200
    assert made["key"] not in called.ask("GET", "/v1/keys", admin).text
    revoked = called.ask("DELETE", f"/v1/keys/{made['id']}", admin).json()
    assert (revoked["id"], revoked["project"]) == (made["id"], "p")
    assert revoked["revoked_at"]
    called.locks.keyring.refresh()
    assert called.ask("GET", "/v1/trajectories", made["key"]).status_code == 401


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"project": "p"},
        {"project": "p", "scopes": []},
        {"project": "p", "scopes": ["write"]},
        {"project": "a\nb", "scopes": ["read"]},
        {"project": "p", "scopes": ["read"], "expires_at": "2001-01-01T00:00:00Z"},
        {"project": "p", "scopes": ["read"], "surprise": 1},
    ],
)
def test_a_key_that_cannot_be_is_refused(called: Called, wanted: dict[str, object]) -> None:
    assert called.ask("POST", "/v1/keys", called.locks.make("*"), json=wanted).status_code == 422


def test_no_page_changes_anything_even_without_keys(client: TestClient) -> None:
    for origin in ("https://evil.example", "null"):
        answer = client.post(
            "/v1/keys", headers={"Origin": origin}, json={"project": "p", "scopes": ["read"]}
        )
        assert answer.status_code == 403


def test_our_own_page_makes_and_revokes_keys_and_deletes_nothing(client: TestClient) -> None:
    own = {"Origin": "http://127.0.0.1:8080"}
    wanted = {"project": "p", "scopes": ["admin"]}
    made = client.post("/v1/keys", headers=own, json=wanted)
    assert made.status_code == 200
    asked = {**own, "authorization": f"Bearer {made.json()['key']}"}
    as_text = {**asked, "content-type": "text/plain"}  # which a form of another site could send
    assert client.post("/v1/keys", headers=as_text, content=b"{}").status_code == 403
    for path in ("/v1/deletions", "/v1/replays"):
        assert client.post(path, headers=asked, json={}).status_code == 403
    assert client.delete(f"/v1/keys/{made.json()['id']}", headers=asked).status_code == 200


def test_a_route_that_declares_no_scope_stops_the_start() -> None:
    router = APIRouter()

    @router.get("/v1/forgotten")
    async def forgotten() -> None: ...

    with pytest.raises(TypeError, match="declares no scope"):
        guarded_routes([router])
    with pytest.raises(TypeError, match="no route"):
        guarded_routes([APIRouter(routes=[Route("/x", forgotten)])])
