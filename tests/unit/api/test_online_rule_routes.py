"""``/v1/online-rules``: put, listed, paused and deleted; scopes of keys, positions of mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import Scope
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}
RULE = {"where": "outcome = failed", "evaluators": [LIMITS], "sample": 0.5}
NO_PROGRESS = {"pending": 0, "done": 0, "error": 0, "deferred": 0, "stale": 0, "lag_s": 0.0}


class Served(NamedTuple):
    client: TestClient
    locks: Locks

    def ask(self, method: str, path: str = "", body: object = None, **more: str) -> Any:
        """Send a request, with ``key`` as its API key if given, and return the response."""
        headers = {"x-spanloom-annotator": "ada"}
        if key := more.pop("key", ""):
            headers["x-api-key"] = key
        url = f"/v1/online-rules{path}"
        return self.client.request(method, url, json=body, params=more, headers=headers)

    def put(self, **changes: object) -> dict[str, Any]:
        answer = self.ask("PUT", "/r1", changes)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def refused(self, **changes: object) -> dict[str, Any]:
        answer = self.ask("PUT", "/r2", {**RULE, **changes})
        assert answer.status_code == 422, answer.text
        fault: dict[str, Any] = answer.json()["errors"][0]
        return fault


@pytest.fixture
def served() -> Iterator[Served]:
    locks = Locks()
    app = create_app(MemoryStore(), Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Served(client, locks)


def test_a_rule_is_put_listed_and_deleted(served: Served) -> None:
    made = served.put(**RULE)
    assert made["put_at"].isdecimal()
    assert {**made, "put_at": ""} == {
        **RULE,
        "name": "r1",
        "project": "default",
        "version": 1,
        "unit": "trace",
        "when": "settled",
        "delay_s": 0.0,
        "budget": None,
        "backfill": None,
        "paused": False,
        "progress": NO_PROGRESS,
        "put_by": "ada",
        "put_at": "",
    }
    assert served.put(**RULE) == made
    assert served.ask("GET", "/r1").json() == made
    assert served.ask("GET").json() == {"items": [made]}
    assert served.ask("DELETE", "/r1").json() == made
    assert served.ask("GET").json() == {"items": []}
    assert [served.ask(how, "/r1").status_code for how in ("GET", "DELETE")] == [404, 404]


def test_what_it_judges_makes_a_version_and_its_limits_do_not(served: Served) -> None:
    served.put(**RULE)
    limits = served.put(budget={"runs": 5}, delay_s=2, paused=True, backfill={"to": "7000"})
    assert (limits["version"], limits["paused"], limits["delay_s"]) == (1, True, 2.0)
    assert limits["budget"] == {"usd": None, "tokens": None, "calls": None, "runs": 5}
    assert limits["backfill"] == {"from": None, "to": "7000", "taken": 0, "done": False}
    assert served.put(sample=0.6)["version"] == 2
    assert served.put(where=None, unit="conversation")["version"] == 3
    reordered = {key: LIMITS[key] for key in sorted(LIMITS, reverse=True)}
    again = served.put(evaluators=[reordered], budget=None, backfill=None)
    assert (again["version"], again["where"], again["budget"]) == (3, "", None)
    served.ask("DELETE", "/r1")
    assert served.put(**RULE)["version"] == 4


def test_what_cannot_be_meant_is_refused_with_its_place(served: Served) -> None:
    fault = served.refused(where="durtion > 5s")
    assert (fault["parameter"], fault["position"]) == ("where", 0)
    assert fault["did_you_mean"] == ["duration"]
    assert served.refused(where='"rate limit"')["parameter"] == "where"
    assert served.refused(evaluators=[{"kind": "mach"}])["parameter"] == "evaluators.0.kind"
    code = served.refused(evaluators=[LIMITS, {"kind": "python", "file": "check.py"}])
    assert code["parameter"] == "evaluators.1.kind"
    judge = {"kind": "judge", "model": "openai-chat:unheard-of", "criteria": "Good?"}
    assert served.refused(evaluators=[judge], budget={"usd": 1})["parameter"] == "budget.usd"
    assert served.refused(evaluators=[])["parameter"] == "evaluators"
    assert served.refused(backfill={"from": "7000", "to": "6000"})["parameter"] == "backfill"
    for wrong in ({"sample": 1.5}, {"unit": "run"}, {"budget": {"eur": 1}}, {"colour": "red"}):
        served.refused(**wrong)
    assert served.ask("GET").json() == {"items": []}


def test_the_project_of_judges_has_no_rules(served: Served) -> None:
    answer = served.ask("PUT", "/r1", RULE, project="spanloom.judge")
    assert answer.status_code == 409


def test_keys_see_and_change_the_rules_of_their_projects_alone(served: Served) -> None:
    reads = served.locks.make("other", Scope.READ)
    writes = served.locks.make("other", Scope.READ, Scope.ANNOTATE)
    assert served.ask("PUT", "/r1", RULE, key=reads).status_code == 403
    assert served.ask("GET", key=reads).json() == {"items": []}
    assert served.ask("PUT", "/r1", {**RULE, "sample": 0.1}, key=writes).status_code == 200
    assert served.ask("GET", "/r1", key=reads).json()["project"] == "other"
    assert served.ask("GET", "/r1", key=reads, project="default").status_code == 403
