"""``/v1/deletions``: deleting, dry runs, the list of deletions, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

TRACE = "a" * 32


@pytest.mark.parametrize(
    ("asked", "scope"),
    [
        ({"trace_id": TRACE.upper()}, DeletionScope(Reach.ALL, trace_id=TRACE)),
        (
            {"project": "default", "before": "1000"},
            DeletionScope(Reach.only("default"), None, None, 10**9),
        ),
        ({"conversation": "c"}, DeletionScope(Reach.ALL, conversation_id="c")),
    ],
)
def test_what_is_asked_for_is_deleted_and_listed(
    client: TestClient, store: ShelfStore, asked: dict[str, str], scope: DeletionScope
) -> None:
    answer = client.post("/v1/deletions", params=asked).json()
    assert store.deleted[0].scope == scope
    assert answer["requested_by"] == store.deleted[0].requested_by == "testclient"
    assert client.get("/v1/deletions?limit=1").json() == {"items": [answer]}


def test_a_dry_run_counts_and_records_nothing(client: TestClient, store: ShelfStore) -> None:
    asked = {"project": "default", "dry_run": "true"}
    answer = client.post("/v1/deletions", params=asked).json()
    assert (answer["id"], answer["traces"], answer["spans"]) == ("", 3, 40)
    assert store.deleted == []


@pytest.mark.parametrize(
    "asked", [{}, {"dry_run": "true"}, {"trace_id": "x"}, {"before": "soon"}, {"status": "live"}]
)
def test_what_names_nothing_deletes_nothing(
    client: TestClient, store: ShelfStore, asked: dict[str, str]
) -> None:
    assert client.post("/v1/deletions", params=asked).status_code == 422
    assert store.deleted == []


def test_no_page_may_delete(client: TestClient, store: ShelfStore) -> None:
    asked = {"project": "default"}
    headers = {"Origin": "https://evil.example"}
    assert client.post("/v1/deletions", params=asked, headers=headers).status_code == 403
    assert store.deleted == []


def test_a_store_that_is_away_is_told(client: TestClient, store: ShelfStore) -> None:
    store.error = StoreUnavailableError("away")
    assert client.post("/v1/deletions", params={"project": "p"}).status_code == 503
