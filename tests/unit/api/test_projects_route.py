"""The list of projects that a key reaches: runs, sizes, limits and retention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient
from tests.support.access import Locks, open_access
from tests.support.isolation import make_twins
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom.access.limits import ProjectLimits
from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.core.model.upkeep import RetentionPlan, Terms
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from spanloom.core.ports.reading import ReadingStore

PLAN = RetentionPlan(Terms(30, 0), {"theirs": Terms(7, 365)})
LIMITS = {"theirs": ProjectLimits(100, 0, 5_000)}


def listed(
    store: ReadingStore, path: str = "/v1/projects", key: str = "", **more: Any
) -> dict[str, Any]:
    app = create_app(store, Metrics(), more.pop("access", open_access()), ServingProcess(**more))
    client = TestClient(app, base_url="http://127.0.0.1")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def limits_of(project: str) -> ProjectLimits:
    return LIMITS.get(project, ProjectLimits())


def test_a_project_has_its_own_terms_and_limits_or_those_of_all() -> None:
    store = make_twins(MemoryStore(), "mine", "theirs", "ab" * 16).store
    told = listed(store, retention=lambda: PLAN, limits_of=limits_of)
    mine, theirs = told["items"]
    assert (mine["project"], theirs["project"]) == ("mine", "theirs")
    assert mine["retention"] == {"spans_days": 30, "trajectories_days": 0}
    assert theirs["retention"] == {"spans_days": 7, "trajectories_days": 365}
    assert mine["limits"] == {"spans_per_s": 0, "bytes_per_s": 0, "stored_bytes": 0}
    assert theirs["limits"] == {"spans_per_s": 100, "bytes_per_s": 0, "stored_bytes": 5_000}
    assert told["retention"] == {
        "spans_days": 30,
        "trajectories_days": 0,
        "keeps_annotated": True,
    }


def test_its_runs_are_those_of_the_list() -> None:
    store = make_twins(MemoryStore(), "mine", "theirs", "ab" * 16).store
    client = TestClient(create_app(store, Metrics(), open_access()), "http://127.0.0.1")
    for one in client.get("/v1/projects").json()["items"]:
        runs = client.get("/v1/trajectories", params={"project": one["project"]}).json()["items"]
        assert one["runs"] == len(runs) > 0
        assert int(one["newest_start"]) == max(int(run["started_at"]) for run in runs)


def test_spans_without_a_run_make_a_project_too() -> None:
    store = MemoryStore()
    store.spans.append([spooled(message_of([wire_span("ab" * 16, 1)]), "new")])
    [new] = listed(store)["items"]
    assert (new["project"], new["runs"], new["newest_start"]) == ("new", 0, None)
    assert new["stored_bytes"] > 0


def test_a_process_without_keeper_and_collector_knows_neither() -> None:
    store = make_twins(MemoryStore(), "mine", "theirs", "ab" * 16).store
    told = listed(store)
    assert told["retention"] is None
    assert {(one["limits"], one["retention"]) for one in told["items"]} == {(None, None)}


def test_a_key_of_one_project_sees_it_alone() -> None:
    store = make_twins(MemoryStore(), "mine", "theirs", "ab" * 16).store
    locks = Locks(is_open=False)
    key = locks.make("mine")
    for query, names in {"": ["mine"], "?project=mine": ["mine"], "?project=theirs": []}.items():
        told = listed(store, f"/v1/projects{query}", key, access=locks.access)
        assert [one["project"] for one in told["items"]] == names
