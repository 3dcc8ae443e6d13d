"""``POST /v1/snapshots`` holds an embedded store; a server store is answered with a conflict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import NotEmbeddedError

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore


def test_a_store_is_held(client: TestClient) -> None:
    answer = client.post("/v1/snapshots")
    assert (answer.status_code, answer.json()) == (200, {"tables": 15})


def test_a_server_is_a_conflict(client: TestClient, store: ShelfStore) -> None:
    store.error = NotEmbeddedError("The store is a ClickHouse server.")
    answer = client.post("/v1/snapshots")
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
