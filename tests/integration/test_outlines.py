"""Outlines as the page requests them over HTTP: captured runs, API keys and changed versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.extracting import World
from tests.support.ground_truth import Capture
from tests.support.read_outline import decode_outline

from spanloom.api.app import create_app
from spanloom.core.outline.columns import MEDIA_TYPE
from spanloom.core.outline.rows import MERGED, NO_STEP
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.storage.store import ClickHouseStore

CAPTURE = Capture("openinference-langchain", "react_tools")
(TRACE,) = CAPTURE.spans_by_trace
PATH = f"/v1/trajectories/{TRACE}"


@pytest.fixture
def world(clickhouse_store: ClickHouseStore) -> World:
    world = World(clickhouse_store)
    for body in CAPTURE.requests():
        world.send_message(body)
    world.step(100)
    world.step(100)
    return world


@pytest.fixture
def client(world: World) -> Iterator[TestClient]:
    app = create_app(world.store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield client


def test_an_outline_has_what_the_spans_and_the_document_tell(client: TestClient) -> None:
    answer = client.get(f"{PATH}/outline")
    assert (answer.status_code, answer.headers["content-type"]) == (200, MEDIA_TYPE)
    outline = decode_outline(answer.content)
    spans = {s["span_id"]: s for s in client.get(f"{PATH}/spans").json()["spans"]}
    assert sorted(outline.ids) == sorted(spans)
    document = client.get(PATH).json()
    steps = {s["id"]: s for agent in document["agent_steps"] for s in agent["steps"]}
    for number, span_id in enumerate(outline.ids):
        told, flags = spans[span_id], outline.columns["flags"][number]
        assert outline.words("kind")[number] == told["kind"]
        assert bool(flags & NO_STEP) == (told["step_id"] is None)
        assert bool(flags & MERGED) == (told["step_id"] not in {None, span_id})
        usage = steps.get(span_id, {}).get("model_info", {"input_tokens": 0})
        assert outline.columns["tin"][number] == usage["input_tokens"]
    assert outline.header["version"] == document["extraction"]["version"]
    again = client.get(f"{PATH}/outline", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_rows_and_hits_and_nodes_speak_of_the_same_numbers(client: TestClient) -> None:
    ids = decode_outline(client.get(f"{PATH}/outline").content).ids
    rows = client.get(f"{PATH}/rows", params={"from": 2, "to": 5}).json()
    assert [(row["row"], row["span_id"]) for row in rows["items"]] == list(enumerate(ids))[2:5]
    assert rows["rows"] == len(ids)
    assert client.get(f"{PATH}/rows", params={"from": 10**6}).json()["items"] == []
    hits = client.get(f"{PATH}/search", params={"q": "get_weather"}).json()
    assert hits["items"]
    graph = client.get(f"{PATH}/graph").json()
    assert {ids[node["first_row"]] for node in graph["nodes"]} == {n["id"] for n in graph["nodes"]}


def test_a_version_that_is_gone_is_told(client: TestClient) -> None:
    version = client.get(f"{PATH}/rows").json()["version"]
    for piece in ("outline", "rows", "graph", "search?q=a"):
        joined = "&" if "?" in piece else "?"
        assert client.get(f"{PATH}/{piece}{joined}version={version}").status_code == 200
        refused = client.get(f"{PATH}/{piece}{joined}version={version + 1}")
        assert refused.status_code == 409
        assert f"the newest is {version}" in refused.json()["detail"]


def test_another_projects_run_is_not_there_even_if_it_was_looked_at(
    world: World,
) -> None:
    locks = Locks()
    own, other = locks.make("default"), locks.make("other")
    app = create_app(world.store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        for piece in ("outline?version=1", "rows?version=1", "search?q=a", "graph"):
            allowed = client.get(f"{PATH}/{piece}", headers={"authorization": f"Bearer {own}"})
            assert allowed.status_code == 200
            hidden = client.get(f"{PATH}/{piece}", headers={"authorization": f"Bearer {other}"})
            assert hidden.status_code == 404
