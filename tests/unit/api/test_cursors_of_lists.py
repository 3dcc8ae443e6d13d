"""A cursor continues only the list and the query that it came from."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertEvent, AlertState
from spanloom.core.model.score import Score
from spanloom.core.model.upkeep import Replay, Selection
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.span import TraceKey

PROJECTS = ("a", "b", "c")
LISTS = {
    "/v1/trajectories": {"order": "-duration"},
    "/v1/steps": {"where": "error"},
    "/v1/search?q=ok": {"q": "timeout"},
    "/v1/conversations": {"project": "a"},
    "/v1/conversations/trip": {"project": "a"},
    "/v1/replays": {"project": "a"},
    "/v1/scores": {"name": "judge"},
    "/v1/datasets/trips/items?project=a": {"version": "1"},
    "/v1/experiments/trips/results?project=a": {"score": "judge"},
    "/v1/alerts/trips/events?project=a": {"state": "firing"},
}
"""Every list that has a cursor, with parameters that make it a different query."""


@pytest.fixture(scope="module")
def served() -> Iterator[TestClient]:
    store = MemoryStore()
    for seed, project in enumerate(PROJECTS):
        records = generate_records(20, project, seed=seed)
        store.trajectories.write(records)
        store.text_index.index_texts([record.key for record in records])
        store.scores.add([_score(record.key) for record in records])
        for number in range(2):
            outdated = Selection(Reach.only(project), other_than=str(number))
            store.replays.record(Replay(f"{2 * seed + number:016x}", outdated, 0))
    app = create_app(store, Metrics(), Locks().access)
    items = [{"item_key": key, "input": key} for key in ("x", "y")]
    with TestClient(app, base_url="http://localhost") as client:
        client.put("/v1/datasets/trips?project=a", json={})
        client.post("/v1/datasets/trips/items?project=a", json={"items": items})
        client.post("/v1/datasets/trips/commit?project=a")
        client.put("/v1/alerts/trips?project=a", json={"where": "has_error"})
        store.alerts.add_events([_event(of) for of in ("x", "y")], [])
        yield client


def _event(of: str) -> AlertEvent:
    return AlertEvent("a", "trips", 1, of, 1, AlertState.FIRING, 1, of, 1)


def _score(key: TraceKey) -> Score:
    return Score(key, "judge", "llm", "tester", 1, experiment="trips", item=key.trace_id)


def asked(path: str, **more: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{urlencode(more)}"


def first_cursor(client: TestClient, path: str) -> str:
    page = client.get(asked(path, limit="1")).json()
    cursor: str = page["next_cursor"]
    return cursor


@pytest.mark.parametrize("path", LISTS)
def test_it_goes_on_with_its_own_question(served: TestClient, path: str) -> None:
    cursor = first_cursor(served, path)
    answer = served.get(asked(path, limit="9", cursor=cursor))
    assert answer.status_code == 200, answer.text
    assert answer.json()["items"]
    other = {"cursor": cursor, **LISTS[path]}
    answer = served.get(asked(path.partition("?")[0], **other))
    assert (answer.status_code, "another query" in answer.json()["detail"]) == (422, True)
    [fault] = answer.json()["errors"]
    assert fault["parameter"] == "cursor"


@pytest.mark.parametrize(("path", "other"), [p for p in product(LISTS, LISTS) if p[0] != p[1]])
def test_it_goes_on_with_no_other_list(served: TestClient, path: str, other: str) -> None:
    answer = served.get(asked(other, cursor=first_cursor(served, path)))
    assert (answer.status_code, answer.json()["detail"][:7]) == (422, "cursor:")


def test_every_list_with_a_cursor_is_here(served: TestClient) -> None:
    paths = {
        path.replace("{conversation_id}", "trip").replace("{name}", "trips")
        for path, methods in served.get("/openapi.json").json()["paths"].items()
        if "cursor" in {one["name"] for one in methods.get("get", {}).get("parameters", [])}
    }
    assert paths == {path.partition("?")[0] for path in LISTS}


def test_of_two_conversations_each_has_its_own(served: TestClient) -> None:
    cursor = first_cursor(served, "/v1/conversations/trip")
    answer = served.get(asked("/v1/conversations/other", cursor=cursor))
    assert answer.status_code == 422


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("cursor", ["WzFd", "soon", "e30", "default/00/00", "IiI"])
def test_what_is_no_cursor_is_refused(served: TestClient, path: str, cursor: str) -> None:
    answer = served.get(asked(path, cursor=cursor))
    assert (answer.status_code, "not one that this list gave" in answer.text) == (422, True)
