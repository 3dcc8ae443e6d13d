"""``/v1/experiments`` and ``/v1/evaluators``: their life cycle, scopes of keys, readable errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.annotated_runs import store_run, tool_step
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import Scope
from spanloom.core.model.annotation_queue import Queue, QueueItem
from spanloom.core.model.span import TraceKey
from spanloom.experiments.runner import ExperimentRunner
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

TRACES = [f"{number:032x}" for number in range(1, 5)]
LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 2}}
ASKED: dict[str, Any] = {"runs": {}, "evaluators": [LIMITS]}
YAML = b"""
kind: rules
rules:
  max_tool_calls: many
"""


class Served(NamedTuple):
    client: TestClient
    locks: Locks
    store: MemoryStore

    def ask(self, method: str, path: str, body: object = None, **more: str) -> Any:
        """Send a request, with ``key`` and ``accept`` as headers, and return the response."""
        key, accept = more.pop("key", ""), more.pop("accept", "application/json")
        headers = {"x-spanloom-annotator": "ada", "accept": accept}
        if key:
            headers["x-api-key"] = key
        sent = body if isinstance(body, bytes) else None if body is None else orjson.dumps(body)
        url = f"/v1/{path}"
        return self.client.request(method, url, content=sent, params=more, headers=headers)

    def run(self, name: str, body: object = ASKED) -> dict[str, Any]:
        """Start an experiment, run it to its end, and return it as the API shows it."""
        started = self.ask("PUT", f"experiments/{name}", body)
        assert started.status_code == 200, started.text
        runner = ExperimentRunner(self.store)
        while runner.run_once():
            pass
        told: dict[str, Any] = self.ask("GET", f"experiments/{name}").json()
        return told


@pytest.fixture
def served() -> Iterator[Served]:
    locks, store = Locks(), MemoryStore()
    for number, trace_id in enumerate(TRACES):
        steps = [tool_step(n + 2) for n in range(number)]
        store_run(store, TraceKey("default", trace_id), steps)
    app = create_app(store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Served(client, locks, store)


def test_an_experiment_goes_from_put_to_its_results(served: Served) -> None:
    started = served.ask("PUT", "experiments/x", ASKED).json()
    assert (started["status"], started["total"], started["done"]) == ("running", 4, 0)
    assert (started["summary"], started["started_by"], started["runs"]) == ({}, "ada", {})
    told = served.run("x")
    assert (told["status"], told["done"], told["errors"], told["withheld"]) == ("done", 4, 0, 0)
    (summary,) = told["summary"].values()
    assert (summary["n"], summary["ok"], summary["pass_rate"]) == (4, 4, 0.75)
    assert told["evaluators"][0]["kind"] == "rules"
    assert served.ask("GET", "experiments").json()["items"] == [{**told, "summary": None}]
    rows = served.ask("GET", "experiments/x/results").json()["items"]
    assert [row["item"] for row in rows] == TRACES
    assert rows[0]["evaluator"] == "limits"
    assert rows[0]["name"] == "limits/max_tool_calls"
    only = served.ask("GET", "experiments/x/results", score="other").json()["items"]
    assert only == []


def test_results_come_in_pages_and_in_every_form(served: Served) -> None:
    served.run("x")
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = served.ask("GET", "experiments/x/results", limit="3", **cursor).json()
        found += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    lines = served.ask("GET", "experiments/x/results", accept="application/x-ndjson").text
    assert list(map(orjson.loads, lines.splitlines()))[:-1] == found
    table = served.ask("GET", "experiments/x/results", accept="text/csv").text
    assert len(table.splitlines()) == 5


def test_two_are_compared(served: Served) -> None:
    served.run("x")
    served.run("y", {**ASKED, "runs": {"limit": 3}})
    told = served.ask("GET", "experiments/x/compare/y").json()
    assert (told["format"], told["common"], told["only_a"]) == ("spanloom.compare/1", 3, TRACES[:1])
    assert served.ask("GET", "experiments/x/compare/z").status_code == 404


def test_another_body_is_a_conflict(served: Served) -> None:
    told = served.run("x")
    assert served.ask("PUT", "experiments/x", ASKED).json() == told
    again = served.ask("PUT", "experiments/x", {**ASKED, "repeats": 2})
    assert (again.status_code, "another name" in again.json()["detail"]) == (409, True)


def test_it_is_cancelled(served: Served) -> None:
    served.ask("PUT", "experiments/x", ASKED)
    told = served.ask("DELETE", "experiments/x").json()
    assert (told["status"], told["done"]) == ("cancelled", 0)
    assert served.run("x")["status"] == "cancelled"
    assert served.ask("DELETE", "experiments/none").status_code == 404


@pytest.mark.parametrize(
    ("body", "place", "said"),
    [
        (b"{", "the text", "line 1"),
        (b"\xff", "the text", "no UTF-8"),
        (b"[]", "the text", "line 1"),
        (b"a: &a [*a]", "the text", "line 1"),
        (b'{"runs": {}, "runs": {}}', "runs", "line 1"),
        ({}, "the text", "one of dataset and runs"),
        ({"runs": {}}, "the text", "evaluators"),
        ({**ASKED, "dataset": "trips"}, "the text", "one of dataset and runs"),
        ({**ASKED, "repeats": 0}, "repeats", "greater"),
        ({**ASKED, "more": 1}, "more", "line 1"),
        ({**ASKED, "runs": {"where": "durtion > 3"}}, "where", "no run field"),
        ({**ASKED, "runs": {"since": "soon"}}, "runs.since", "line 1"),
        ({"dataset": "none", "evaluators": [LIMITS]}, "dataset", "no dataset 'none'"),
        ({**ASKED, "evaluators": []}, "evaluators", "at least 1"),
        ({**ASKED, "evaluators": [LIMITS, {"kind": "mach"}]}, "evaluators.1.kind", "one of"),
        ({**ASKED, "evaluators": [{"kind": "python", "file": "/etc/passwd"}]}, "kind", "code"),
    ],
)
def test_what_cannot_be_meant_is_named(served: Served, body: object, place: str, said: str) -> None:
    answer = served.ask("PUT", "experiments/x", body)
    assert answer.status_code == 422, answer.text
    told = answer.json()
    assert place in told["errors"][0]["parameter"], told
    assert said in told["errors"][0]["detail"], told
    assert served.ask("GET", "experiments").json()["items"] == []


def test_a_fault_has_its_line(served: Served) -> None:
    body = b"runs: {}\nevaluators:\n  - kind: rules\n    rules:\n      max_tool_cals: 3\n"
    (fault,) = served.ask("PUT", "experiments/x", body).json()["errors"]
    assert fault["detail"].startswith("line 5: ")


def test_an_evaluator_is_put_as_yaml_or_json(served: Served) -> None:
    wrong = served.ask("PUT", "evaluators/limits", YAML)
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["detail"].startswith("line 4: ")
    first = served.ask("PUT", "evaluators/limits", YAML.replace(b"many", b"2")).json()
    assert (first["kind"], first["config"]) == ("rules", LIMITS)
    assert served.ask("PUT", "evaluators/limits", LIMITS).json() == first
    changed = {**LIMITS, "rules": {"max_tool_calls": 0}}
    second = served.ask("PUT", "evaluators/limits", changed).json()
    assert [one["version"] for one in second["versions"]] == [1, 2]
    assert served.ask("GET", "evaluators/limits").json() == second
    assert served.ask("GET", "evaluators").json()["items"] == [second]
    assert served.ask("GET", "evaluators/none").status_code == 404
    told = served.run("x", {"runs": {}, "evaluators": ["limits"]})
    assert told["evaluators"][0]["stored_version"] == 2
    assert told["summary"]["limits/max_tool_calls"]["n"] == 4
    for wrong_body in ({**LIMITS, "name": "other"}, [LIMITS], {"kind": "python", "file": "x"}):
        assert served.ask("PUT", "evaluators/limits", wrong_body).status_code == 422


@pytest.mark.parametrize("name", ["a@1", "%20", "." * 3, "x" * 101])
def test_a_name_can_be_written_everywhere(served: Served, name: str) -> None:
    for place in ("experiments", "evaluators"):
        assert served.ask("PUT", f"{place}/{name}", ASKED).status_code == 422


def test_projects_are_apart(served: Served) -> None:
    served.run("x")
    mine = served.locks.make("default", Scope.READ)
    theirs = served.locks.make("other", Scope.READ, Scope.ANNOTATE)
    assert served.ask("GET", "experiments", key=mine).json()["items"]
    assert served.ask("GET", "experiments", key=theirs).json()["items"] == []
    for path in ("experiments/x", "experiments/x/results", "experiments/x/compare/x"):
        assert served.ask("GET", path, key=mine).status_code == 200
        assert served.ask("GET", path, key=theirs).status_code == 404
        assert served.ask("GET", path, key=theirs, project="default").status_code == 403
    assert served.ask("PUT", "experiments/y", ASKED, key=mine).status_code == 403
    assert served.ask("DELETE", "experiments/x", key=theirs).status_code == 404
    started = served.ask("PUT", "experiments/x", ASKED, key=theirs).json()
    assert (started["project"], started["total"]) == ("other", 0)


def test_what_a_blind_queue_hides_is_no_result(served: Served) -> None:
    served.run("x")
    queue = Queue("default", "blind", "s", ["bo", "ada"], is_blind=True)
    served.store.queues.put(queue)
    served.store.queues.add_items(queue, [QueueItem(TRACES[0], 1)])
    told = served.ask("GET", "experiments/x").json()
    assert (told["withheld"], told["summary"]["limits/max_tool_calls"]["n"]) == (1, 3)
    page = served.ask("GET", "experiments/x/results").json()
    assert (page["withheld"], [row["item"] for row in page["items"]]) == (1, TRACES[1:])
