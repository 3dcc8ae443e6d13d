"""Every error of the API is a problem document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from spanloom.api.http.bounds import MAX_BODY_BYTES
from spanloom.core.errors import StoreRejectedError, StoreUnavailableError

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        (f"/v1/trajectories/{'0' * 32}", 404, "There is no trajectory of trace 000"),
        (f"/v1/trajectories/{'0' * 32}/spans", 404, "There is no trajectory of trace 000"),
        ("/nowhere", 404, "/openapi.json lists all paths"),
        ("/v1/trajectories/", 404, "There is no such path"),
        ("/v1/trajectories/xyz", 422, "trace_id: String should match pattern"),
        (f"/v1/trajectories/{TRACE}0", 422, "trace_id"),
        ("/v1/trajectories?limit=0", 422, "limit: Input should be greater than or equal to 1"),
        ("/v1/trajectories?limit=1001", 422, "limit"),
        ("/v1/trajectories?limt=1", 422, "limt: Extra inputs are not permitted"),
        ("/v1/trajectories?since=yesterday", 422, "since: write RFC 3339 such as"),
        ("/v1/trajectories?until=2026-01-31T12:00:00", 422, "until: an offset is missing"),
        ("/v1/trajectories?status=done", 422, "status: Input should be 'live'"),
        ("/v1/trajectories?cursor=%F0%9F%98%80", 422, "cursor: not one that this list gave"),
    ],
)
def test_what_cannot_be_answered(client: TestClient, path: str, status: int, said: str) -> None:
    answer = client.get(path)
    body = answer.json()
    assert answer.status_code == body["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert body["type"] == "about:blank"
    assert body["instance"] == path.partition("?")[0]
    assert said in body["detail"]


def test_each_parameter_at_fault_is_named(client: TestClient) -> None:
    errors = client.get("/v1/trajectories?limit=x&status=y").json()["errors"]
    assert {error["parameter"] for error in errors} == {"limit", "status"}


def test_a_method_that_is_not_there(client: TestClient) -> None:
    answer = client.post("/v1/trajectories")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    assert answer.json()["title"] == "Method Not Allowed"


def test_a_store_that_is_away_asks_to_come_back(client: TestClient, store: Any) -> None:
    store.error = StoreUnavailableError("the store is away", retry_after_s=2.5)
    answer = client.get(f"/v1/trajectories/{TRACE}")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "3"
    assert answer.json()["detail"] == "the store is away"


@pytest.mark.parametrize("error", [StoreRejectedError("secret"), RuntimeError("secret")])
def test_the_unexpected_is_answered_without_its_text(
    client: TestClient, store: Any, error: Exception
) -> None:
    store.error = error
    with capture_logs() as logged:
        answer = client.get("/v1/trajectories")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "secret" not in answer.text
    assert [(line["event"], line["route"]) for line in logged] == [
        ("request failed", "/v1/trajectories")
    ]


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (b"\xff", "body"),
        (b'{"project":', "body"),
        (b"[" * 60_000, "body"),
        (b'{"expires_at":' + b"9" * 5_000 + b"}", "body"),
        (b'{"project":"p","scopes":["read"],"expires_at":-1}', "expires_at"),
        (b'{"project":"p","scopes":["read"],"expires_at":true}', "expires_at"),
        (b'{"project":"p","scopes":["read"],"expires_at":NaN}', "expires_at"),
        (b'{"project":"p","scopes":["\\ud800"]}', "scopes"),
    ],
    ids=lambda value: str(value[:40]) if isinstance(value, bytes) else value,
)
def test_a_body_that_cannot_be_used(client: TestClient, body: bytes, parameter: str) -> None:
    answer = client.post("/v1/keys", content=body, headers=JSON)
    assert answer.status_code == 422
    assert [error["parameter"] for error in answer.json()["errors"]] == [parameter]


def test_a_member_of_a_row_is_named_with_its_row(client: TestClient) -> None:
    """The error names ``items[1].author``, as ``items: Field required`` alone would not help."""
    row = {"trace_id": "cd" * 16, "name": "helpful", "value": 1}
    answer = client.post("/v1/scores", json={"items": [{**row, "author": "rule"}, row]})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"parameter": "items[1].author", "detail": "Field required"}]


@pytest.mark.parametrize("is_told", [True, False], ids=["its length is told", "in chunks"])
def test_a_body_beyond_its_bound_is_refused(client: TestClient, is_told: bool) -> None:
    body = b" " * (MAX_BODY_BYTES + 1)
    answer = client.post("/v1/keys", content=body if is_told else iter([body]), headers=JSON)
    assert (answer.status_code, answer.json()["status"]) == (413, 413)
    assert answer.headers["connection"] == "close"
    fits = client.post("/v1/keys", content=body[1:], headers=JSON)
    assert fits.status_code == 422
