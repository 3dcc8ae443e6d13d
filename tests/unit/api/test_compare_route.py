"""``/v1/compare``: differences in behaviour of two sets of runs, with the runs that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.api.stats import compare, compare_schemas
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def served() -> Iterator[TestClient]:
    store = MemoryStore()
    for seed, project in enumerate(("a", "b")):
        store.trajectories.write(generate_records(25, project, seed=seed))
    app = create_app(store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def compared(served: TestClient, **asked: Any) -> Any:
    response = served.post("/v1/compare", json=asked)
    assert response.status_code == 200, response.text
    return response.json()


def count(served: TestClient, where: str) -> int:
    return len(
        served.get("/v1/trajectories", params={"where": where, "limit": 500}).json()["items"]
    )


def test_the_questions_list_the_runs_of_each_figure(served: TestClient) -> None:
    sets = {"a": {"where": "steps < 8"}, "b": {"where": "steps >= 8", "project": "b"}}
    found = compared(served, **sets, min_support=1)
    assert found["format"] == "spanloom.behaviour/1"
    assert found["b"]["question"] == '(steps >= 8) and project = "b"'
    assert found["differences"]
    for side in ("a", "b"):
        assert count(served, found[side]["question"]) == found[side]["runs"]
        for change in found["differences"][:6]:
            assert count(served, change[f"runs_{side}"]) == change[f"n_{side}"]
    for only in (*found["only_a"][:3], *found["only_b"][:3]):
        assert count(served, only["line"]) == only["runs"]


def test_the_same_request_has_the_same_bytes(served: TestClient) -> None:
    asked = {"a": {"where": "not has_error"}, "b": {"where": "has_error"}, "seed": "x"}
    first = served.post("/v1/compare", json=asked).content
    assert served.post("/v1/compare", json=asked).content == first


def test_times_become_part_of_the_question(served: TestClient) -> None:
    runs = served.get("/v1/trajectories", params={"limit": 500}).json()["items"]
    middle = sorted(int(run["started_at"]) for run in runs)[25]
    found = compared(served, a={"until": str(middle)}, b={"since": str(middle)})
    for side in ("a", "b"):
        assert count(served, found[side]["question"]) == found[side]["runs"]
    assert found["a"]["runs"] + found["b"]["runs"] == len(runs)


def test_of_large_sets_the_newest_are_compared(
    served: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "MOST_RUNS", 10)
    found = compared(served, a={}, b={"project": "b"})
    assert found["remarks"][-2:] == ["of A the newest 10 runs", "of B the newest 10 runs"]
    for side in ("a", "b"):
        assert 0 < found[side]["runs"] <= 10
        assert count(served, found[side]["question"]) == found[side]["runs"]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"a": {"where": "durtion > 5s"}, "b": {}}, "a.where"),
        ({"a": {}, "b": {"where": "has("}}, "b.where"),
        ({"a": {"where": "x" * (compare_schemas._LONGEST + 1)}, "b": {}}, "a.where"),
        ({"a": {}, "b": {}, "min_support": 0}, "min_support"),
        ({"a": {}}, "b"),
        ({"a": {"wher": "x"}, "b": {}}, "a.wher"),
    ],
)
def test_a_wrong_request_is_refused_with_its_place(
    served: TestClient, asked: dict[str, Any], place: str
) -> None:
    response = served.post("/v1/compare", json=asked)
    assert response.status_code == 422
    assert place in response.text
