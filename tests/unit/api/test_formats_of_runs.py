"""A run over HTTP in every registered format: media types, reported losses, refusals, caching."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.drafted import planner
from tests.support.made_formats import REFUSED, register

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

RUN = planner()


@pytest.fixture(autouse=True)
def _made(monkeypatch: pytest.MonkeyPatch, store: ShelfStore) -> None:
    register(monkeypatch)
    newest = max(store.summaries, key=lambda line: line.cursor)
    RUN["id"] = newest.key.trace_id
    store.stored_documents[newest.key] = orjson.dumps(RUN)


@pytest.fixture(params=["latest", "id"])
def path(request: pytest.FixtureRequest) -> str:
    name = "latest" if request.param == "latest" else RUN["id"]
    return f"/v1/trajectories/{name}"


def test_a_lossy_answer_says_what_it_lost(client: TestClient, path: str) -> None:
    answer = client.get(path, params={"format": "note"})
    assert answer.json()["asked"] == RUN["root_step"]["input"]
    steps = sum(len(agent["steps"]) for agent in RUN["agent_steps"])
    assert answer.headers["spanloom-losses"] == f"texts_dropped={steps}, times_dropped=1"
    assert "spanloom-losses" not in client.get(path).headers


def test_the_media_type_is_that_of_the_format(client: TestClient, path: str) -> None:
    assert client.get(path, params={"format": "each"}).headers["content-type"] == (
        "application/x-ndjson"
    )
    assert client.get(path, params={"format": "note"}).headers["content-type"] == "application/json"


def test_a_run_that_it_cannot_hold_is_not_acceptable(
    client: TestClient, path: str, store: ShelfStore
) -> None:
    key = next(k for k in store.stored_documents if k.trace_id == RUN["id"])
    refused = {**RUN, "root_step": {**RUN["root_step"], "output": REFUSED}}
    store.stored_documents[key] = orjson.dumps(refused)
    answer = client.get(path, params={"format": "note"})
    assert (answer.status_code, answer.json()["reason"]) == (406, "no_agent")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == "This format cannot hold the run: no_agent."


@pytest.mark.parametrize("profile", [{}, {"profile": "coze"}])
def test_an_unknown_format_is_refused(
    client: TestClient, path: str, profile: dict[str, str]
) -> None:
    answer = client.get(path, params={"format": "csv", **profile})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == "format"


def test_a_profile_is_a_format(client: TestClient, path: str, store: ShelfStore) -> None:
    key = next(k for k in store.stored_documents if k.trace_id == RUN["id"])
    store.stored_spans[TraceKey(*key)] = b"[]"
    coze = client.get(path, params={"profile": "coze"})
    assert coze.content == client.get(path, params={"format": "coze"}).content
    assert "extraction" not in coze.json()


def test_what_is_known_is_not_sent_again(client: TestClient) -> None:
    path = f"/v1/trajectories/{RUN['id']}?format=note"
    first = client.get(path)
    again = client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
