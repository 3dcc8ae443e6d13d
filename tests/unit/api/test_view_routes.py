"""``/v1/views``: saved views per project, with scopes of keys and readable errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import ALL_PROJECTS, Scope
from spanloom.core.model.names import MAX_NAME
from spanloom.core.model.saved_view import FORMAT, SavedView
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEW = {"page": "runs", "name": "week", "parameters": {"where": "outcome = failed", "since": "7d"}}
ORIGIN = {"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}


class Served(NamedTuple):
    client: TestClient
    store: MemoryStore
    locks: Locks

    def ask(self, method: str, path: str = "", body: object = None, **more: str) -> Any:
        """Send a request as ``who`` with ``key`` as its API key, and return the response."""
        who, key = more.pop("who", "ada"), more.pop("key", "")
        headers = {"x-spanloom-annotator": who, **({"x-api-key": key} if key else {})}
        url = f"/v1/views{path}"
        return self.client.request(method, url, json=body, params=more, headers=headers)

    def made(self, **more: Any) -> dict[str, Any]:
        item: dict[str, Any] = self.ask("POST", body={**VIEW, **more}).json()
        return item


@pytest.fixture
def served() -> Iterator[Served]:
    store, locks = MemoryStore(), Locks()
    app = create_app(store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Served(client, store, locks)


def test_a_view_lives_from_post_to_delete(served: Served) -> None:
    made = served.made()
    assert {**made, **VIEW, "owner": "ada", "revision": 1, "default": False} == made
    change = {"name": "7 days", "parameters": {"since": "7d"}, "revision": 1}
    changed = served.ask("PUT", f"/{made['id']}", change, who="bo").json()
    assert (changed["owner"], changed["changed_by"], changed["revision"]) == ("ada", "bo", 2)
    chosen = served.ask("PUT", f"/{made['id']}/default", {"default": True}).json()
    assert chosen == {**changed, "default": True}
    assert served.ask("GET", page="runs").json()["items"] == [chosen]
    assert served.ask("GET", page="steps").json()["items"] == []
    served.ask("DELETE", f"/{made['id']}", {}, revision="2")
    assert served.ask("GET").json()["items"] == []
    assert served.ask("DELETE", f"/{made['id']}", {}, revision="2").status_code == 404


def test_who_renames_second_gets_the_view_as_it_is(served: Served) -> None:
    made = served.made()
    first = {"name": "one", "parameters": made["parameters"], "revision": 1}
    changed = served.ask("PUT", f"/{made['id']}", first, who="ada").json()
    refused = served.ask("PUT", f"/{made['id']}", {**first, "name": "two"}, who="bo")
    assert refused.status_code == 409
    assert "ada has changed" in refused.json()["detail"]
    assert refused.json()["current"] == [changed]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "x" * 10_000}, f"1 to {MAX_NAME} characters; this has 10000"),
        ({"name": "  "}, "needs a name"),
        ({"format": FORMAT + 1}, "upgrade it"),
        ({"parameters": {"cursor": "x"}}, "leave out cursor"),
        ({"parameters": {"where": "colour = red"}}, "colour"),
        ({"parameters": {"since": "yesterday"}}, "since"),
        ({"parameters": {"order": "-x"}}, "ordered by"),
        ({"parameters": {"No-Name": "x"}}, "pattern"),
        ({"parameters": {"where": "x" * 5_000}}, "4096"),
        ({"parameters": {f"p_{'a' * n}": "x" for n in range(21)}}, "20"),
        ({"page": "boards"}, "page"),
    ],
)
def test_what_cannot_be_stored_is_said(served: Served, wrong: object, words: str) -> None:
    refused = served.ask("POST", body={**VIEW, **wrong})  # type: ignore[dict-item]  # any JSON value
    assert (refused.status_code, words in refused.json()["detail"]) == (422, True), refused.json()
    assert served.ask("GET").json()["items"] == []


def test_a_stale_view_names_the_field_that_is_gone(served: Served) -> None:
    served.store.saved_views.add(
        SavedView("default", "a" * 16, "runs", "old", {"where": "hue = 1"})
    )
    (item,) = served.ask("GET").json()["items"]
    assert item["faults"] == [{"parameter": "where", "detail": "no run field 'hue' (at 0)"}]


def test_a_key_reads_and_changes_its_own_project_alone(served: Served) -> None:
    mine, theirs = served.locks.make("mine"), served.locks.make("theirs")
    made = served.ask("POST", body=VIEW, key=mine).json()
    assert made["project"] == "mine"
    assert served.ask("GET", key=mine).json()["items"] == [made]
    assert served.ask("GET", key=theirs).json()["items"] == []
    assert served.ask("GET", key=theirs, project="mine").status_code == 403
    change = {"name": "x", "parameters": {}, "revision": 1}
    for method, path, body, asked in (
        ("PUT", f"/{made['id']}", change, {}),
        ("DELETE", f"/{made['id']}", {}, {"revision": "1"}),
        ("PUT", f"/{made['id']}/default", {"default": True}, {}),
    ):
        assert served.ask(method, path, body, key=theirs, **asked).status_code == 404
        refused = served.ask(method, path, body, key=theirs, project="mine", **asked)
        assert refused.status_code == 403
    everybody = served.locks.make(ALL_PROJECTS)
    assert served.ask("GET", key=everybody, project="mine").json()["items"] == [made]
    assert served.ask("GET", key=everybody).json()["items"] == []  # only views of `default`


def test_reading_and_writing_are_scopes_of_their_own(served: Served) -> None:
    reads, writes = (served.locks.make("p", scope) for scope in (Scope.READ, Scope.ANNOTATE))
    refused = served.ask("POST", body=VIEW, key=reads)
    assert (refused.status_code, "annotate" in refused.json()["detail"]) == (403, True)
    assert served.ask("POST", body=VIEW, key=writes).status_code == 200
    assert served.ask("GET", key=writes).status_code == 403
    assert [item["name"] for item in served.ask("GET", key=reads).json()["items"]] == ["week"]


def test_only_our_own_page_changes_them(served: Served) -> None:
    own = served.client.post("/v1/views", json=VIEW, headers=ORIGIN)
    other = {"origin": "http://elsewhere.example"}
    assert own.status_code == 200
    assert served.client.post("/v1/views", json=VIEW, headers=other).status_code == 403
