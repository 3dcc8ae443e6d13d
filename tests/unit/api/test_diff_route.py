"""Two runs compared over HTTP: the caller's key has to reach the projects of both."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

A, B = "aa" * 16, "bb" * 16
PATH = f"/v1/trajectories/{A}/diff/{B}"


@pytest.fixture(autouse=True)
def two_runs(store: Any) -> None:
    """Store a run in the project ``default``, and one with another answer in ``other``."""
    run = deepcopy(canonical_example())
    store.stored_documents[TraceKey("default", A)] = orjson.dumps(run)
    run["root_step"]["output"] = "x" * 900
    store.stored_documents[TraceKey("other", B)] = orjson.dumps(run)


def test_the_runs_may_be_of_two_projects(client: TestClient) -> None:
    diff = client.get(PATH, params={"project": "default", "other_project": "other"}).json()
    assert diff["summary"]["changed"] == 1
    (row,) = diff["steps"]
    assert (row["a"], row["b"], row["changes"][0]["field"]) == (None, None, "output")
    assert len(row["changes"][0]["b"]) == 401


def test_both_projects_are_minded(client: TestClient) -> None:
    missing = client.get(PATH, params={"project": "default"})
    assert missing.status_code == 404
    assert f"trace {B} in project 'default'" in missing.json()["detail"]
    assert client.get(PATH, params={"project": "other"}).status_code == 404


def test_whole_texts_and_steps_that_are_the_same_where_they_are_asked_for(
    client: TestClient,
) -> None:
    diff = client.get(PATH, params={"every": True, "whole_texts": True}).json()
    assert len(diff["steps"]) == 1 + diff["summary"]["same"]
    assert len(diff["steps"][0]["changes"][0]["b"]) == 900
