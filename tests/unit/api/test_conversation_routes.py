"""``GET /v1/conversations`` and ``GET /v1/conversations/{id}``: pages, filters and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.support.filters import filtered
from tests.unit.api.conftest import summary, talk

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

ODD_ID = "user/7?#ü 'OR 1=1"


@pytest.fixture
def conversation(store: ShelfStore) -> str:
    store.summaries += [summary(n, conversation_id=ODD_ID) for n in range(20, 25)]
    store.summaries.append(summary(30, "other", ODD_ID))
    return "/v1/conversations/" + quote(ODD_ID, safe="")


def pages(client: TestClient, path: str, **asked: str | int) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = []
    cursor = None
    while True:
        params = {**asked, **({"cursor": cursor} if cursor else {})}
        page = client.get(path, params=params).json()
        assert page["conversation_id"] == ODD_ID
        found.append(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def test_runs_come_in_order_page_by_page(client: TestClient, conversation: str) -> None:
    found = pages(client, conversation, limit=2)
    assert [len(page) for page in found] == [2, 2, 2]
    items = [item for page in found for item in page]
    assert [int(item["trace_id"], 16) for item in items] == [20, 21, 22, 23, 24, 30]
    assert {item["conversation_id"] for item in items} == {ODD_ID}


def test_a_project_narrows_it_down(client: TestClient, conversation: str) -> None:
    [[item]] = pages(client, conversation, project="other")
    assert item["project"] == "other"


def test_a_conversation_without_runs_is_not_there(client: TestClient) -> None:
    answer = client.get("/v1/conversations/nobody")
    assert answer.status_code == 404
    assert "conversation 'nobody'" in answer.json()["detail"]


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 1001}, {"cursor": "x"}, {"status": "live"}]
)
def test_what_cannot_be_used_is_said(
    client: TestClient, conversation: str, asked: dict[str, str]
) -> None:
    assert client.get(conversation, params=asked).status_code == 422
    assert client.get("/v1/conversations/" + "x" * 513).status_code == 422


def test_a_store_that_is_away_is_503(client: TestClient, store: ShelfStore) -> None:
    store.error = StoreUnavailableError("away")
    assert client.get("/v1/conversations/c").status_code == 503


def test_conversations_come_page_by_page(client: TestClient, store: ShelfStore) -> None:
    store.talks = [talk(n) for n in range(5)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = client.get("/v1/conversations", params={"limit": "2", **cursor}).json()
        seen += [item["conversation_id"] for item in page["items"]]
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [f"talk {n}" for n in (4, 3, 2, 1, 0)]
    assert cursor == {"cursor": None}


def test_a_conversation_in_the_list(client: TestClient, store: ShelfStore) -> None:
    store.talks = [talk(3)]
    [item] = client.get("/v1/conversations").json()["items"]
    assert item == {
        "conversation_id": "talk 3",
        "project": "default",
        "runs": 2,
        "started_at": "1715400000000",
        "question": "Where to?",
        "answer": "Oslo",
        "user_id": None,
        "input_tokens": 20,
        "output_tokens": 10,
        "failed_runs": 0,
        "cost": 0,
        "last_run": {
            "trace_id": f"{3:032x}",
            "started_at": "1715400000000",
            "duration": "2",
            "status": "settled",
            "outcome": "paused",
        },
    }


def test_filters_of_conversations_reach_the_store(client: TestClient, store: ShelfStore) -> None:
    asked = {"project": "p", "since": "1000", "until": "2000", "service": "s", "user": "u"}
    client.get("/v1/conversations", params={**asked, "environment": "e"}).raise_for_status()
    where = filtered(since=10**9, until=2 * 10**9, service="s", environment="e", user="u")
    assert store.asked == [(Reach.only("p"), where)]
    assert client.get("/v1/conversations?duplicate=any").status_code == 422
    store.error = StoreUnavailableError("away")
    assert client.get("/v1/conversations").status_code == 503
