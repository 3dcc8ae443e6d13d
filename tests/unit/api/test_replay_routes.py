"""``/v1/replays``: starting, listing and showing replays, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.api.conftest import replay

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import Selection

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

DAY_NS = 1_769_817_600_000_000_000


@pytest.mark.parametrize(
    ("asked", "selected"),
    [
        ({}, Selection(Reach.ALL)),
        (
            {"project": "p", "since": "2026-01-31T00:00:00Z", "until": "1769817600001"},
            Selection(Reach.only("p"), DAY_NS, DAY_NS + 10**6),
        ),
        (
            {"dialect": "eino", "outdated": "true"},
            Selection(Reach.ALL, dialect="eino", other_than="7"),
        ),
    ],
)
def test_what_is_asked_for_is_recorded(
    client: TestClient, store: ShelfStore, asked: dict[str, str], selected: Selection
) -> None:
    answer = client.post("/v1/replays", params=asked).json()
    assert (answer["total"], answer["done"], answer["is_finished"]) == (12, 0, False)
    assert store.recorded[answer["id"]].selection == selected
    assert client.get(f"/v1/replays/{answer['id']}").json() == answer
    assert client.post("/v1/replays", params=asked).json() == answer


@pytest.mark.parametrize("asked", [{"status": "live"}, {"since": "soon"}, {"outdated": "x"}])
def test_what_cannot_be_used_is_said(client: TestClient, asked: dict[str, str]) -> None:
    assert client.post("/v1/replays", params=asked).status_code == 422


def test_no_page_may_start_one(client: TestClient, store: ShelfStore) -> None:
    known = len(store.recorded)
    for origin in ("https://evil.example", "null"):
        assert client.post("/v1/replays", headers={"Origin": origin}).status_code == 403
    assert len(store.recorded) == known


def test_an_unknown_replay_and_a_store_that_is_away(client: TestClient, store: ShelfStore) -> None:
    assert client.get("/v1/replays/" + "0" * 16).status_code == 404
    assert client.get("/v1/replays/none").status_code == 422
    store.error = StoreUnavailableError("away")
    assert client.post("/v1/replays").status_code == 503


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_every_replay_is_listed_once_newest_first(
    client: TestClient, store: ShelfStore, limit: int
) -> None:
    store.recorded = {f"{n:016x}": replay(f"{n:016x}") for n in range(6)}
    seen: list[str] = []
    query: dict[str, str] = {"limit": str(limit)}
    while True:
        page = client.get("/v1/replays", params=query).json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert seen == [f"{n:016x}" for n in reversed(range(6))]
    assert client.get("/v1/replays?project=other").json()["items"] == []
    assert client.get("/v1/replays?cursor=soon").status_code == 422
