"""``/v1/datasets``: from a draft to versions, with scopes of keys and readable errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import Scope
from spanloom.core.model.dataset import MOST_AT_ONCE
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ITEM = {
    "item_key": f"{TRACE}/00f067aa0ba902b7",
    "set": "trips",
    "input": [{"role": "user", "content": "Oslo?"}],
    "expected": {"response": "Oslo", "trajectory": {"id": TRACE}},
    "splits": ["test"],
    "metadata": {"name": "planner"},
    "source": {"trace_id": TRACE, "project": "default", "version": 1, "step_id": None},
}


class Served(NamedTuple):
    client: TestClient
    locks: Locks

    def ask(self, method: str, path: str = "", body: object = None, **more: str) -> Any:
        """Send a request, with ``key`` and ``accept`` as headers, and return the response."""
        key, accept = more.pop("key", ""), more.pop("accept", "application/json")
        headers = {"x-spanloom-annotator": "ada", "accept": accept}
        if key:
            headers["x-api-key"] = key
        url = f"/v1/datasets{path}"
        return self.client.request(method, url, json=body, params=more, headers=headers)

    def add(self, *items: object) -> dict[str, Any]:
        told: dict[str, Any] = self.ask("POST", "/trips/items", {"items": items}).json()
        return told


@pytest.fixture
def served() -> Iterator[Served]:
    locks = Locks()
    app = create_app(MemoryStore(), Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        made = Served(client, locks)
        assert made.ask("PUT", "/trips", {"description": "Trips"}).status_code == 200
        yield made


def test_a_dataset_goes_from_put_to_a_version(served: Served) -> None:
    told = served.add(ITEM, {"item_key": "b", "input": "Bergen?"})
    assert told == {"stored": 2, "unchanged": 0, "rejected": 0, "refused": []}
    assert served.add(ITEM)["unchanged"] == 1
    made = served.ask("POST", "/trips/commit").json()
    assert (made["version"], made["items"]) == (1, 2)
    assert served.ask("POST", "/trips/commit").json() == made
    gone = served.ask("DELETE", f"/trips/items/{ITEM['item_key']}").json()
    assert (gone["draft_items"], gone["versions"]) == (1, [made])
    assert served.ask("GET", "/trips").json() == gone
    assert served.ask("GET").json()["items"] == [gone]
    (row,) = served.ask("GET", "/trips/items").json()["items"]
    assert row["item_key"] == "b"
    rows = served.ask("GET", "/trips/items", version="1").json()["items"]
    assert ITEM in rows


def test_items_come_in_pages_and_in_every_form(served: Served) -> None:
    served.add(*({"item_key": f"{n}", "input": n} for n in range(5)))
    cursor: dict[str, str] = {}
    keys = []
    while True:
        page = served.ask("GET", "/trips/items", limit="2", **cursor).json()
        keys += [row["item_key"] for row in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert keys == ["0", "1", "2", "3", "4"]
    served.ask("POST", "/trips/commit")
    other = served.ask("GET", "/trips/items", version="1", limit="2", **cursor)
    assert other.status_code == 422
    lines = served.ask("GET", "/trips/items", accept="application/x-ndjson").content.splitlines()
    assert [orjson.loads(line).get("item_key") for line in lines] == [*keys, None]
    table = served.ask("GET", "/trips/items", accept="text/csv").text
    assert table.startswith("item_key,set,input,expected,splits,metadata,source\r\n0,trips,0,")
    parquet = served.ask("GET", "/trips/items", accept="application/vnd.apache.parquet")
    assert parquet.content.startswith(b"PAR1")


def test_bad_items_are_named_and_their_neighbours_taken(served: Served) -> None:
    told = served.add(ITEM, {"input": 1}, {"item_key": "x" * 256}, {"item_key": "y", "z": 1}, "no")
    assert (told["stored"], told["rejected"]) == (1, 4)
    assert [one["item"] for one in told["refused"]] == [1, 2, 3, 4]
    assert told["refused"][0]["reason"] == "item_key: Field required"


def test_what_cannot_be_is_refused(served: Served) -> None:
    for path in ("/other", "/other/items"):
        assert served.ask("GET", path).status_code == 404, path
    assert served.ask("GET", "/trips/items", version="7").status_code == 404
    assert served.ask("DELETE", "/trips/items/none").status_code == 404
    assert served.ask("POST", "/trips/commit").status_code == 409
    for name in ("a@1", "%20a", "..%2e", "x" * 101):
        assert served.ask("PUT", f"/{name}", {}).status_code == 422, name
    many = {"items": [{"item_key": "a"}] * (MOST_AT_ONCE + 1)}
    assert served.ask("POST", "/trips/items", many).status_code == 422
    large = {"items": [{"item_key": "a", "input": "x" * (32 << 20)}]}
    assert served.ask("POST", "/trips/items", large).status_code == 413


def test_evaluators_are_checked(served: Served) -> None:
    fine = [{"name": "path", "kind": "match"}, {"kind": "rules", "rules": {"max_steps": 4}}]
    assert served.ask("PUT", "/trips", {"evaluators": fine}).json()["evaluators"] == fine
    for wrong, place in (
        ([{"kind": "match", "mode": "no"}], "evaluators.0.mode"),
        ([fine[0], {"kind": "match", "moode": 1, "name": "b"}], "evaluators.1.moode"),
        ([{"kind": "python", "file": "/etc/passwd"}], "evaluators.0.kind"),
        ([fine[0], fine[0]], "evaluators.1.name"),
    ):
        refused = served.ask("PUT", "/trips", {"evaluators": wrong})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["parameter"] == place
    assert served.ask("GET", "/trips").json()["evaluators"] == fine


def test_a_key_opens_its_project_by_its_scope(served: Served) -> None:
    reads = served.locks.make("shop", Scope.READ)
    writes = served.locks.make("shop", Scope.READ, Scope.ANNOTATE)
    assert served.ask("PUT", "/mine", {}, key=reads).status_code == 403
    assert served.ask("PUT", "/mine", {}, key=writes).json()["project"] == "shop"
    found = served.ask("GET", key=reads).json()["items"]
    assert [one["name"] for one in found] == ["mine"]
    assert served.ask("GET", "/trips", key=reads).status_code == 404
    assert served.ask("GET", key=reads, project="default").status_code == 403
